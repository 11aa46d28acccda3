import Foundation
import RequestsTesting
import Synchronization
import Testing

/// The examples of WireMock's documentation (https://wiremock.org/docs/).
@Suite("The examples of WireMock", .timeLimit(.minutes(5)))
struct WireMockTests {
    private let api = BaseURL("http://localhost:8080")

    @Test("Stubbing: a path has a reply with a status, fields and a body, and everything else isn't found")
    func stubbing() async throws {
        let header: Header = [.contentType(.plainText)]
        let stub = StubTransport(routes: [
            .get("/some/thing", .reply(200, header: header, text: "Hello, world!")),
            .any("/**", .reply(404, jsonText: #"{"status": "Error", "message": "Endpoint not found"}"#)),
        ])
        #expect(try await Client(transport: stub).send(api.get(.text, from: "/some/thing")) == "Hello, world!")
        #expect(try await stub.send(api.get(.none, from: "/some/thing/else").prepared()).head.statusCode == 404)
    }

    @Test("Request matching: templates, fields, query, JSON paths and basic authentication")
    func matching() async throws {
        let stub = StubTransport(routes: [
            .put(
                "/contacts/{contactId}/addresses/{addressId}",
                .respond { match in .reply(200, text: "\(try match["contactId"]) \(try match["addressId"])") }
            ).matching(
                .header(.accept) { $0.contains("xml") },
                .query("search_term", "WireMock"),
                .json(at: "status", "OPEN"),
                .basicAuth(username: "jeff@example.com", password: "jeff")
            )
        ])
        let request = api.put(.json(["status": "OPEN"]), to: "/contacts/12/addresses/3?search_term=WireMock")
            .adding(headerField: .accept("application/xml"))
            .authenticated(with: .basicAuth(username: "jeff@example.com", password: "jeff"))
            .receiving(.text)
        #expect(try await Client(transport: stub).send(request) == "12 3")
    }

    @Test("Simulating faults: delays, dribbled bodies and broken responses take no time")
    func faults() async throws {
        let clock = TestClock(isImmediate: true)
        let pieces = (0..<5).map { Data("\($0)".utf8) }
        let stub = StubTransport(
            routes: [
                .get("/delayed", .reply(200).delayed(by: .milliseconds(2000))),
                .get("/dribble", .reply(200, chunks: pieces, every: .milliseconds(250))),
                .get("/malformed", .reply(200, chunks: [Data("a".utf8)], failure: .malformed)),
                .get("/reset", .failure(.closed)),
            ],
            clock: clock
        )
        let client = Client(transport: stub)
        try await client.send(api.get(.none, from: "/delayed"))
        #expect(try await client.send(api.get(.text, from: "/dribble")) == "01234")
        #expect(clock.sleeps.reduce(.zero, +) == .seconds(3))
        for (path, code) in [("malformed", TransportError.Code.malformed), ("reset", .closed)] {
            let error = await #expect(throws: TransportError.self) {
                try await client.send(api.get(.text, from: "/\(path)"))
            }
            #expect(error?.code == code)
        }
        let delay = FaultPlan.Delay.logNormal(median: .milliseconds(90), sigma: 0.1)
        let plan = FaultPlan(seed: 1, faults: [:], delay: delay, clock: clock)
        let random = StubTransport(routes: [.get("/random")])
        try await Client(transport: plan.applied(to: random)).send(api.get(.none, from: "/random"))
        #expect(clock.sleeps.last.map { (60...130).contains($0 / .milliseconds(1)) } == true)
    }

    @Test("Stateful behavior: the to-do list of the scenario")
    func scenario() async throws {
        let items = Mutex(["Buy milk"])
        let stub = StubTransport(routes: [
            .get(
                "/todo/items",
                .init { request in
                    try .stub(200, body: JSONEncoder().encode(items.withLock { $0 }), for: request)
                }
            ),
            .post(
                "/todo/items",
                .init { request in
                    items.withLock { $0.append(String(decoding: request.body.data ?? Data(), as: UTF8.self)) }
                    return try .stub(201, for: request)
                }
            ),
        ])
        let client = Client(transport: stub)
        let list = api.get(json: [String].self, from: "/todo/items")
        #expect(try await client.send(list) == ["Buy milk"])
        try await client.send(api.post(.text("Cancel newspaper subscription"), to: "/todo/items"))
        #expect(try await client.send(list) == ["Buy milk", "Cancel newspaper subscription"])
    }

    @Test("Verifying: requests are counted, found and compared")
    func verifying() async throws {
        let stub = StubTransport(routes: [.any("/**").expecting(calls: 0...)])
        let client = Client(transport: stub)
        for index in 0..<3 {
            let request = api.post(.json(["index": .integer(Int64(index))]), to: "/verify/this")
            try await client.send(request.adding(headerField: .accept(.json)))
        }
        let posts = StubTransport.Route.post("/verify/this").matching(.header(.accept, "application/json"))
        #expect(stub.requests(to: posts).count == 3)
        #expect(stub.requests(to: posts.matching(.json(["index": 2]))).count == 1)
        #expect(stub.requests(to: .any("/unmatched/**")).isEmpty)
        try stub.verify()
    }

    @Test("Proxying: one path is stubbed, and the rest goes to the real server")
    func proxying() async throws {
        let real = StubTransport { request in try .stub(200, body: Data("real \(request.url.path)".utf8), for: request)
        }
        let stub = StubTransport(routes: [.get("/api/override/123", .reply(503))], otherwise: real)
        #expect(try await Client(transport: stub).send(api.get(.text, from: "/api/other")) == "real /api/other")
        #expect(try await stub.send(api.get(.none, from: "/api/override/123").prepared()).head.statusCode == 503)
    }
}
