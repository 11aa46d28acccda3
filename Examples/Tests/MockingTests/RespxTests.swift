import Foundation
import RequestsTesting
import Testing

/// The examples of respx's user guide (https://lundberg.github.io/respx/guide/).
@Suite("The examples of respx", .timeLimit(.minutes(5)))
struct RespxTests {
    private let example = BaseURL("https://example.org")

    @Test("a route is mocked, called and asserted")
    func quickstart() async throws {
        let route = StubTransport.Route.get("https://example.org/", .reply(204))
        let stub = StubTransport(routes: [route])
        let response = try await Client(transport: stub).response(for: example.get(.none, from: "/"))
        #expect(response.head.statusCode == 204)
        #expect(stub.requests(to: route).count == 1)
    }

    @Test("routes match parameters, fields, cookies, forms and JSON")
    func patterns() async throws {
        let stub = StubTransport(routes: [
            .get("/search?q=foo", .reply(201)),
            .get("/", .reply(202)).matching(.header("X-Foo", "bar")),
            .get("/", .reply(203)).matching(.header(.cookie, "sessionid=1")),
            .post("/", .reply(205)).matching(.form("foo", "bar")),
            .post("/", .reply(206)).matching(.json(["id": 1])),
            .post("/", .reply(207)).matching(.json(at: "users.0.name", "lundberg")),
            .get("https://foo.bar/**", .reply(208)),
        ])
        let other = BaseURL("https://foo.bar")
        let requests = [
            try example.get(.none, from: "/search?q=foo&page=2").prepared(),
            try example.get(.none, from: "/").adding(headerField: Field(name: "X-Foo", value: "bar")).prepared(),
            try example.get(.none, from: "/").adding(headerField: .cookie(["sessionid": "1"])).prepared(),
            try example.post(.form(["foo": "bar"]), to: "/").prepared(),
            try example.post(.json(["id": 1]), to: "/").prepared(),
            try example.post(.json(["users": [["name": "lundberg"]]]), to: "/").prepared(),
            try other.get(.none, from: "/a/b/c").prepared(),
        ]
        for (request, status) in zip(requests, [201, 202, 203, 205, 206, 207, 208]) {
            #expect(try await stub.send(request).head.statusCode == status)
        }
        try stub.verify()
    }

    @Test("a side effect can be an error, a function with captured values, or a list of replies")
    func sideEffects() async throws {
        let stub = StubTransport(routes: [
            .get("/error", .failure(.cannotConnect)),
            .get(
                "/{slug}/detail",
                .respond { match in .reply(200, jsonText: #"{"slug": "\#(try match["slug"])"}"#) }
            ),
            .get("/flaky", .reply(404), then: .reply(200)),
        ])
        let client = Client(transport: stub)
        let error = await #expect(throws: TransportError.self) {
            try await client.send(example.get(.none, from: "/error"))
        }
        #expect(error?.code == .cannotConnect)
        let detail = example.get(json: [String: String].self, from: "/lundberg/detail")
        #expect(try await client.send(detail) == ["slug": "lundberg"])
        let flaky = try example.get(.none, from: "/flaky").prepared()
        #expect(try await stub.send(flaky).head.statusCode == 404)
        #expect(try await stub.send(flaky).head.statusCode == 200)
    }

    @Test("a request that isn't mocked fails, or passes through")
    func passThrough() async throws {
        let real = StubTransport { try .stub(200, body: Data("real".utf8), for: $0) }
        let strict = StubTransport(routes: [.get("/mocked")])
        await #expect(throws: TransportError.self) {
            try await Client(transport: strict).send(example.get(.text, from: "/other"))
        }
        let open = StubTransport(routes: [.get("/mocked")], otherwise: real)
        #expect(try await Client(transport: open).send(example.get(.text, from: "/other")) == "real")
    }

    @Test("all routes must be called, and the calls are listed")
    func assertions() async throws {
        let route = StubTransport.Route.post("/users", .reply(201)).expecting(calls: 2)
        let stub = StubTransport(routes: [route, .get("/never")])
        for name in ["Ada", "Bob"] {
            try await Client(transport: stub).send(example.post(.json(["name": .string(name)]), to: "/users"))
        }
        #expect(stub.requests(to: route).last?.body.data == Data(#"{"name":"Bob"}"#.utf8))
        let error = #expect(throws: StubTransport.Unverified.self) { try stub.verify() }
        #expect(error?.routes == ["GET /never was never called, expected: at least 1"])
    }
}
