import Foundation
import Requests
import RequestsClient
import RequestsTesting
import Testing

@Suite("Stub routes", .timeLimit(.minutes(5)))
struct StubRoutesTests {
    private let api = BaseURL("https://api.example.com")

    private func transport(_ routes: StubTransport.Route...) -> StubTransport {
        StubTransport(routes: routes)
    }

    private func send(
        _ method: HTTPMethod,
        _ url: String,
        to transport: StubTransport
    ) async throws -> (status: Int, body: String) {
        let response = try await transport.send(PreparedRequest(method: method, url: RequestURL(url)))
        let body = try await response.content.collect(upTo: 1000)
        return (response.head.statusCode, String(decoding: body, as: UTF8.self))
    }

    private func failure(_ method: HTTPMethod, _ url: String, of transport: StubTransport) async throws -> String {
        let error = await #expect(throws: TransportError.self) { try await send(method, url, to: transport) }
        #expect(error?.code == .unmatched)
        return try #require(error).message
    }

    @Test("a route is chosen by method and path")
    func methodAndPath() async throws {
        let transport = transport(
            .get("/users/{id}", .reply(200, text: "read")),
            .put("/users/{id}", .reply(200, text: "replaced")),
            .patch("/users/{id}", .reply(200, text: "changed")),
            .post("/users", .reply(201, text: "made")),
            .delete("/users/{id}", .reply(204)),
            StubTransport.Route("PURGE", "/users", .reply(202))
        )
        let users = "https://api.example.com/users"
        #expect(try await send(.get, "\(users)/7", to: transport) == (200, "read"))
        #expect(try await send(.put, "\(users)/7", to: transport) == (200, "replaced"))
        #expect(try await send(.patch, "\(users)/7", to: transport) == (200, "changed"))
        #expect(try await send(.post, users, to: transport) == (201, "made"))
        #expect(try await send(.delete, "\(users)/7", to: transport) == (204, ""))
        #expect(try await send("PURGE", users, to: transport) == (202, ""))
    }

    @Test(
        "segments are compared decoded, and a variable matches one segment",
        arguments: [
            ("/a b/{id}", "/a%20b/x%2Fy", true),
            ("/a%20b/{id}", "/a%20b/1", true),
            ("/caf\u{E9}", "/caf%C3%A9", true),
            ("/{a}/{b}", "/1/2", true),
            ("/users", "/users/", false),
            ("/users/{id}", "/users/", false),
            ("/users/{id}", "/users/1/2", false),
            ("/users/{id}", "/users", false),
            ("/Users", "/users", false),
            ("/", "", true),
            ("", "/", true),
            ("users", "/users", true),
        ]
    )
    func segments(_ template: String, _ path: String, _ matches: Bool) async throws {
        let transport = transport(.get(template, .reply(200)))
        let response = try? await send(.get, "https://h\(path)", to: transport)
        #expect((response?.status == 200) == matches)
    }

    @Test("a route requires the query items and the origin of its template, and allows other query items")
    func queryAndOrigin() async throws {
        let transport = transport(
            .get("/search?q=a%26b&page=2", .reply(200, text: "page")),
            .get("https://cdn.example.com/search", .reply(200, text: "cdn")),
            .get("/search", .reply(200, text: "any"))
        )
        #expect(try await send(.get, "https://h/search?page=2&x&q=a%26b", to: transport).body == "page")
        #expect(try await send(.get, "https://cdn.example.com:443/search", to: transport).body == "cdn")
        #expect(try await send(.get, "https://h/search?page=3&q=a%26b", to: transport).body == "any")
    }

    @Test("the first matching route is used")
    func order() async throws {
        let transport = transport(.get("/users/me", .reply(200)), .get("/users/{id}", .reply(404)))
        #expect(try await send(.get, "https://h/users/me", to: transport).status == 200)
        #expect(try await send(.get, "https://h/users/1", to: transport).status == 404)
    }

    @Test("a single reply is used every time, and the replies of a script once each")
    func scripts() async throws {
        let transport = transport(
            .get("/always", .reply(200)),
            .get("/job", .reply(202), then: .reply(202), .reply(200))
        )
        for _ in 0..<3 { #expect(try await send(.get, "https://h/always", to: transport).status == 200) }
        for status in [202, 202, 200] { #expect(try await send(.get, "https://h/job", to: transport).status == status) }
        let message = try await failure(.get, "https://h/job", of: transport)
        #expect(message == "no reply for GET https://h/job; the 3 replies of GET /job are used, so add one")
    }

    @Test(
        "the error describes the difference between the request and the nearest route",
        arguments: [
            ("PUT", "/users/7", #"GET /users/{id}, but the method is “PUT”, not GET"#),
            ("GET", "/user/7", #"GET /users/{id}, but segment 1 is “user”, not “users”"#),
            ("GET", "/users/7/posts", #"GET /users/{id}, but the path has 3 segments, not 2"#),
            ("GET", "/users/", #"GET /users/{id}, but segment 2 is empty"#),
            ("GET", "/find?q=b", #"GET /find, but the query item “q” differs"#),
            (
                "POST", "/logo",
                #"GET https://cdn.example.com/logo, but the origin is https://h, not https://cdn.example.com, "#
                    + #"and the method is “POST”, not GET"#
            ),
        ]
    )
    func nearest(_ method: String, _ target: String, _ reason: String) async throws {
        let transport = transport(
            .get("/users/{id}", .reply(200)),
            .get("/find?q=a", .reply(200)),
            .get("https://cdn.example.com/logo", .reply(200))
        )
        let message = try await failure(HTTPMethod(rawValue: method), "https://h\(target)", of: transport)
        #expect(message == "no route for \(method) https://h\(target); the closest is \(reason)")
    }

    @Test("errors show no secret of a query")
    func secrets() async throws {
        let transport = transport(.get("/a?token=c4nary1", .reply(200)))
        let message = try await failure(.get, "https://h/a?token=c4nary2", of: transport)
        #expect(!message.contains("c4nary"))
        #expect(message.contains("the query item “token” differs"))
    }

    @Test(
        "a template that can't match throws",
        arguments: [
            "/a{?page}", "/a/{b}.json", "/{+path}", "ftp://h/a", "https://h#x/a", "https://u@h/a",
        ]
    )
    func faults(_ template: String) async throws {
        let transport = transport(.get("/fine", .reply(200)), .get(template, .reply(200)))
        #expect(try await failure(.get, "https://h/fine", of: transport).hasPrefix("the route GET "))
    }

    @Test("the error of a stub without routes says that there are none")
    func empty() async throws {
        let message = try await failure(.get, "https://h/", of: transport())
        #expect(message == "no route for GET https://h/, because the stub has no routes; add one")
    }

    @Test("all copies of a stub record the requests in order")
    func requests() async throws {
        let transport = transport(.post("/users", .reply(201)))
        let client = Client(transport: transport)
        try await client.send(api.post(.text("Ada"), to: "/users"))
        _ = try? await client.send(api.get(.text, from: "/other"))
        #expect(
            transport.requests.map(\.description) == [
                "POST https://api.example.com/users", "GET https://api.example.com/other",
            ]
        )
        #expect(transport.requests.first?.body.data == Data("Ada".utf8))
    }

    @Test("a request without a route isn't retried")
    func noRetry() async throws {
        let transport = transport()
        var configuration = Client.Configuration()
        configuration.retries = .fixed(.zero, limit: 3)
        configuration.clock = TestClock(isImmediate: true)
        let client = Client(transport: transport, configuration: configuration)
        await #expect(throws: TransportError.self) { try await client.send(api.get(.text, from: "/")) }
        #expect(transport.requests.count == 1)
    }
}
