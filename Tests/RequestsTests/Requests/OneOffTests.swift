import RequestsTesting
import Testing

@Suite("Requests without an API", .timeLimit(.minutes(5)))
struct OneOffTests {
    private struct User: Codable, Equatable, Sendable {
        var name: String
    }

    private let stub = StubTransport(routes: [
        .get("/users/{id}", .reply(200, jsonText: #"{"name": "Ada"}"#)), .init(.head, "/users/1"),
        .post("/users", .reply(201, jsonText: #"{"name": "Bo"}"#)),
        .put("/users/1"), .patch("/users/1"), .delete("/users/1"), .get("/text", .reply(200, text: "hi")),
    ])

    private var client: Client { Client(transport: stub) }

    @Test("Each verb sends its method, and get and post decode JSON")
    func verbs() async throws {
        let id = "a/b"
        #expect(
            try await client.send(.get(json: User.self, from: "https://a.example/users/\(id)")) == User(name: "Ada")
        )
        #expect(try await client.send(.get(.text, from: "https://a.example/text")) == "hi")
        let new = User(name: "Bo")
        #expect(try await client.send(.post(json: new, to: "https://a.example/users", receiving: User.self)) == new)
        try await client.send(.post(json: new, to: "https://a.example/users"))
        try await client.send(.put(.text("x"), to: "https://a.example/users/1"))
        try await client.send(.patch(.text("x"), to: "https://a.example/users/1"))
        try await client.send(.delete("https://a.example/users/1"))
        #expect(stub.requests.map(\.method) == [.get, .get, .post, .post, .put, .patch, .delete])
        #expect(stub.requests[0].url.text == "https://a.example/users/a%2Fb")
    }

    @Test("Each verb accepts a URL that is known only at run time, and text with try")
    func runTime() async throws {
        let (id, text) = (try #require(URL(string: "https://a.example/users/1?a=b")), "https://a.example/users")
        let ada = try await client.send(.get(json: User.self, at: id))
        #expect(ada == User(name: "Ada"))
        #expect(try await client.send(.get(.text, at: "https://a.example/text")) == "hi")
        try await client.send(.head(at: id))
        try await client.send(.delete(at: id))
        #expect(try await client.send(.post(json: ada, at: text, receiving: User.self)) == User(name: "Bo"))
        try await client.send(.put(.text("x"), at: id))
        try await client.send(.patch(json: ada, at: id))
        let sent = stub.requests.map { "\($0.method) \($0.url.text)" }
        #expect(
            sent == [
                "GET \(id)", "GET https://a.example/text", "HEAD \(id)", "DELETE \(id)", "POST \(text)", "PUT \(id)",
                "PATCH \(id)",
            ]
        )
        for text in ["users/1", "", "a b", "https://", "https://a.example:99999/"] {
            #expect(throws: RequestError.self) { try Request<BaseURL, String>.get(.text, at: text) }
        }
    }

    @Test("A literal of mixed values is JSON, with and without an API")
    func mixedLiteral() throws {
        let requests: [Request<BaseURL, Void>] = [
            .post(json: ["model": "m", "stream": true], to: "https://a.example/"),
            BaseURL("https://a.example").put(json: ["model": "m", "stream": true], to: "/"),
        ]
        for request in requests {
            #expect(try request.prepared().body.data == Data(#"{"model":"m","stream":true}"#.utf8))
        }
        let equal = BaseURL("https://a.example").patch(json: ["a": 1, "b": 2], to: "/")
        #expect(
            try equal.prepared().body.data.map { try JSONDecoder().decode([String: Int].self, from: $0) } == [
                "a": 1, "b": 2,
            ]
        )
    }

    @Test("Values are encoded in the path and in the query, and the host and port are kept")
    func urls() throws {
        func text(_ request: Request<BaseURL, Data>) throws -> String {
            try request.prepared().url.text
        }
        let value = "../x?y=1&z#"
        #expect(
            try text(.get(.data, from: "http://[::1]:8080/a/\(1)?q=\(value)&r=2"))
                == "http://[::1]:8080/a/1?q=..%2Fx%3Fy%3D1%26z%23&r=2"
        )
        #expect(try text(.get(.data, from: "https://a.example")) == "https://a.example")
        #expect(
            try text(.get(.data, from: "https://a.example?q=\(value)")) == "https://a.example?q=..%2Fx%3Fy%3D1%26z%23"
        )
        #expect(try text(.get(.data, from: "HTTPS://A.example/%zz")) == "https://a.example/%25zz")
    }

    @Test("A value can't be part of the host")
    func hosts() {
        let host = "evil.example"
        let requests: [Request<BaseURL, Data>] = [
            .get(.data, from: "https://\(host)/a"), .get(.data, from: "https://a.\(host)"),
            .get(.data, from: "https://a.example\(host)/"),
            .get(.data, from: "https://a.example\(raw: ".evil.example")/"),
            .get(.data, from: "https://a.example\(segments: ["b"])/"), .get(.data, from: "https:\(host)"),
            .get(.data, from: "\(host)/a"), .get(.data, from: "/a"), .get(.data, from: "a.example/b"),
            .get(.data, from: "ftp://a.example/"), .get(.data, from: "https://user@a.example/"),
            .get(.data, from: "https:///a"), .get(.data, from: "https://a.example/#x"),
        ]
        for request in requests { #expect(throws: RequestError.self) { try request.prepared() } }
    }

    @Test("A literal URL is still rejected as the endpoint of an API")
    func endpoint() {
        let api = BaseURL("https://a.example")
        let request = api.get(.data, from: "https://b.example/a")
        let error = #expect(throws: RequestError.self) { try request.prepared() }
        #expect(error?.message.contains("https://b.example/a") == true)
        #expect(throws: RequestError.self) {
            try api.get(.data, from: ("https://b.example/a" as Endpoint).prefixed(by: "/v1")).prepared()
        }
    }

    @Test("Fields and properties are changed in a chain")
    func chain() throws {
        let api = BaseURL("https://a.example")
        let request = api.get(.data, from: "/a").setting("X-A", "1").setting("x-a", "2")
            .with { $0.options.maximumBodyBytes = 100 }
        #expect(try request.prepared().header[values: "X-A"] == ["2"])
        #expect(request.options.maximumBodyBytes == 100)
    }

    @Test("OPTIONS, TRACE and QUERY are verbs, and QUERY is repeatable")
    func otherVerbs() throws {
        let api = BaseURL("https://a.example")
        #expect(try api.options("/").prepared().method == .options)
        #expect(try api.trace("/").prepared().method == .trace)
        let query = try api.query(.json(encoded: ["a": 1]), to: "/search").prepared()
        #expect(query.method.rawValue == "QUERY")
        #expect(query.body.data == Data(#"{"a":1}"#.utf8))
        #expect(query.method.isIdempotent)
    }

    @Test("A redirect keeps QUERY and its body, and 303 makes it a GET", arguments: [301, 302, 303, 307, 308])
    func redirectedQuery(status: Int) async throws {
        let stub = StubTransport(script: [.reply(status, header: ["Location": "/b"]), .reply(200)])
        let api = BaseURL("https://a.example")
        try await Client(transport: stub).send(api.query(.text("q"), to: "/a"))
        #expect(stub.requests.last?.method == (status == 303 ? .get : .query))
        #expect(stub.requests.last?.body.isNone == (status == 303))
    }
}
