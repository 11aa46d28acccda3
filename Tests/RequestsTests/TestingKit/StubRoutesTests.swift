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

    @Test(
        "expressions can be a part of a segment, and capture at least one character",
        arguments: [
            ("/files/{a}.json", "/files/a.b.json", "a.b"), ("/files/{a}.json", "/files/.json", nil),
            ("/{a}-{b}", "/x-y-z", "x"), ("/{a}-{b}", "/-y-z", "-y"), ("/{a}-{b}", "/x-", nil),
            ("/{a}-{b}", "/xy", nil),
            ("/v{a}:{b}/*.css", "/v1:x/a.css", "1"), ("/*-{a}", "/x-y", "y"), ("/{a}%2F*", "/x%2Fy", "x"),
            ("/{a}aa", "/aaa", "a"), ("/**/{a}.css", "/x/y/z.css", "z"), ("/{a}=1", "/é=1", "é"),
        ] as [(String, String, String?)]
    )
    func partialSegments(_ template: String, _ path: String, _ capture: String?) async throws {
        let route = StubTransport.Route.get(template, .respond { .reply(200, text: try $0["a"]) })
        let body = try await send(
            .get,
            "https://h\(path)",
            to: transport(route, .get("/**", .reply(200, text: "none")))
        ).body
        #expect(body == capture ?? "none")
    }

    @Test(
        "a host can have a wildcard",
        arguments: [
            ("https://*.example.com/a", "https://x.y.example.com/a", true),
            ("https://*.example.com/a", "https://example.com/a", false),
            ("https://*.example.com/a", "https://badexample.com/a", false),
            ("https://*.example.com/a", "http://x.example.com/a", false),
            ("https://*/a", "https://anything.example/a", true), ("https://*:8443/a", "https://h:8443/a", true),
            ("https://*:8443/a", "https://h/a", false),
        ]
    )
    func hosts(_ template: String, _ url: String, _ matches: Bool) async throws {
        let found = try? await send(.get, url, to: transport(.get(template)))
        #expect((found != nil) == matches)
    }

    @Test("a route whose replies are used is skipped, so that a later route can reply")
    func fallThrough() async throws {
        let transport = transport(
            .get("/a", .reply(500)).once(),
            .get("/a", .reply(502), then: .reply(503)),
            .get("/{any}", .reply(200))
        )
        var statuses: [Int] = []
        for _ in 0..<5 { statuses.append(try await send(.get, "https://h/a", to: transport).status) }
        #expect(statuses == [500, 502, 503, 200, 200])
        try transport.verify()
        let once = self.transport(.get("/a").once())
        _ = try await send(.get, "https://h/a", to: once)
        let message = try await failure(.get, "https://h/a", of: once)
        #expect(message == "no reply for GET https://h/a; the reply of GET /a is used, so add one")
    }

    @Test("replies can be enqueued for the requests that no route matches")
    func enqueued() async throws {
        let transport = transport(.get("/a", .reply(200)))
        transport.enqueue(.reply(500))
        transport.enqueue(.reply(503))
        var statuses: [Int] = []
        for path in ["b", "a", "c"] {
            statuses.append(try await send(.get, "https://h/\(path)", to: transport).status)
        }
        #expect(statuses == [500, 200, 503])
        try transport.verify()
        #expect(try await failure(.get, "https://h/b", of: transport).hasPrefix("no reply for GET https://h/b; "))
    }

    @Test("a query item of a template has a value, or accepts any")
    func queryItems() async throws {
        let transport = transport(.get("/a?q&page=2", .reply(204)))
        for query in ["q=1&page=2", "page=2&q", "x&q=&page=2"] {
            #expect(try await send(.get, "https://h/a?\(query)", to: transport).status == 204)
        }
        let message = try await failure(.get, "https://h/a?page=3", of: transport)
        #expect(message.hasSuffix("the query item “q” is missing, and the query item “page” is “3”, not “2”"))
    }

    @Test("a route can reply a number of times")
    func times() async throws {
        let transport = transport(
            .get("/a", .reply(500), then: .reply(502)).times(3),
            .get("/a", .reply(503)).times(2),
            .get("/a")
        )
        var statuses: [Int] = []
        for _ in 0..<6 { statuses.append(try await send(.get, "https://h/a", to: transport).status) }
        #expect(statuses == [500, 502, 502, 503, 503, 200])
        try transport.verify()
        let limited = self.transport(.get("/a").times(2))
        _ = try await send(.get, "https://h/a", to: limited)
        let error = #expect(throws: StubTransport.Unverified.self) { try limited.verify() }
        #expect(error?.routes == ["GET /a was called 1 time, expected: 2"])
        _ = try await send(.get, "https://h/a", to: limited)
        let message = try await failure(.get, "https://h/a", of: limited)
        #expect(message == "no reply for GET https://h/a; the 2 replies of GET /a are used, so add one")
    }

    @Test("the last reply can be used for all further requests")
    func thenAlways() async throws {
        let transport = transport(.get("/a", .reply(202), then: .reply(203), thenAlways: .reply(200)))
        var statuses: [Int] = []
        for _ in 0..<4 { statuses.append(try await send(.get, "https://h/a", to: transport).status) }
        #expect(statuses == [202, 203, 200, 200])
        try transport.verify()
    }

    @Test("routes can be added, replaced and reset during a test")
    func changes() async throws {
        let first = StubTransport.Route.get("/a", .reply(500)).once()
        let transport = transport(first)
        _ = try await send(.get, "https://h/a", to: transport)
        transport.routes.append(.get("/a", .reply(200)))
        #expect(try await send(.get, "https://h/a", to: transport).status == 200)
        transport.routes.insert(.get("/a", .reply(204)), at: 0)
        #expect(try await send(.get, "https://h/a", to: transport).status == 204)
        #expect(transport.routes.count == 3)
        #expect(transport.requests(to: first).count == 1)
        transport.routes.removeFirst()
        transport.reset()
        #expect(transport.requests.isEmpty)
        #expect(try await send(.get, "https://h/a", to: transport).status == 500)
        transport.routes = []
        let message = try await failure(.get, "https://h/a", of: transport)
        #expect(message.hasSuffix("because the stub has no routes; add one"))
    }

    @Test("two routes that are made from one are counted separately")
    func variants() async throws {
        let base = StubTransport.Route.get("/a", .reply(200))
        let special = base.matching(.query("q"))
        let transport = transport(special, base)
        _ = try await send(.get, "https://h/a", to: transport)
        #expect(transport.requests(to: base).count == 1)
        #expect(transport.requests(to: special).isEmpty)
        #expect(throws: StubTransport.Unverified.self) { try transport.verify() }
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
            ("GET", "/teams/7", #"GET /teams/:id, but segment 2 is “7”, not “:id”; write a variable as {name}"#),
            ("GET", "/find?q=b", #"GET /find, but the query item “q” is “b”, not “a”"#),
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
            .get("/teams/:id", .reply(200)),
            .get("/find?q=a", .reply(200)),
            .get("https://cdn.example.com/logo", .reply(200))
        )
        let message = try await failure(HTTPMethod(rawValue: method), "https://h\(target)", of: transport)
        #expect(message == "no route for \(method) https://h\(target); the closest is \(reason)")
    }

    @Test(
        "a template that can't match throws",
        arguments: [
            "/a{?page}", "/a/{b}{c}", "/a/**b", "/{+path}", "https://a*.h/a", "ftp://h/a", "https://h#x/a",
            "https://u@h/a",
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
