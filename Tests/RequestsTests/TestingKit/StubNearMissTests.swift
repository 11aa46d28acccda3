import RequestsTesting
import Testing

@Suite("Stub near misses", .timeLimit(.minutes(5)))
struct StubNearMissTests {
    private static let users: [StubTransport.Route] = [
        .get("/users"), .post("/users").matching(.json(["name": "Ada", "age": 36])),
        .get("/users/{id}"), .put("/users/{id}").matching(.header(.accept, "text/plain")), .delete("/users/{id}"),
    ]

    /// Returns what the error says about the closest route.
    private func closest(
        _ method: HTTPMethod,
        _ target: String,
        _ body: String? = nil,
        header: Header = .empty,
        of routes: [StubTransport.Route]
    ) async throws -> String? {
        let request = try PreparedRequest(
            method: method,
            url: RequestURL("https://h\(target)"),
            header: header,
            body: body.map { .data(Data($0.utf8)) } ?? .none
        )
        let error = await #expect(throws: TransportError.self) {
            try await StubTransport(routes: routes).send(request)
        }
        return error?.message.components(separatedBy: "; the closest is ").last
    }

    @Test(
        "the path counts more than the method, which counts more than conditions",
        arguments: [
            (
                "POST", "/users", #"{"name":"Bob","age":37}"#,
                "POST /users, but the JSON value “age” is 37, not 36, and the JSON value “name” is “Bob”"
            ),
            ("PATCH", "/users", nil, "GET /users, but the method is “PATCH”, not GET"),
            ("PUT", "/users/7", nil, "PUT /users/{id}, but the header field Accept is missing"),
            (
                "PUT", "/user/7", nil,
                "PUT /users/{id}, but segment 1 is “user”, not “users”, and the header field Accept"
            ),
            ("DELETE", "/usres/7", nil, "DELETE /users/{id}, but segment 1 is “usres”, not “users”"),
        ] as [(String, String, String?, String)]
    )
    func order(_ method: String, _ target: String, _ body: String?, _ expected: String) async throws {
        let found = try await closest(HTTPMethod(rawValue: method), target, body, of: Self.users)
        #expect(found?.hasPrefix(expected) == true, "\(found ?? "")")
    }

    @Test(
        "a path with a typo is closer than one with another word, and one with another number of segments is further",
        arguments: [
            ("/post/7", "/posts/{id}"), ("/Users/7", "/users/{id}"), ("/v1/users/7", "/users/{id}"),
            ("/users/7/", "/users/{id}"), ("/files/a.jsn", "/files/{name}.json"), ("/img/7", "/posts/{id}"),
            ("/posts/7/comments", "/posts/{id}"), ("/static/a/b.cs", "/static/**/*.css"),
        ]
    )
    func typos(_ target: String, _ template: String) async throws {
        let routes = ["/posts/{id}", "/users/{id}", "/files/{name}.json", "/static/**/*.css"]
        let found = try await closest(.get, target, of: routes.map { .get($0) })
        #expect(found?.hasPrefix("GET \(template), but ") == true, "\(found ?? "")")
    }

    @Test("the segments of paths of different lengths are compared from both ends")
    func lengths() async throws {
        let found = try await closest(.get, "/v1/users/7/postz", of: [.get("/users/{id}/posts")])
        let expected = "segment 1 is “v1”, not “users”, and segment 3 is “7”, not “posts”"
        #expect(found == "GET /users/{id}/posts, but \(expected), and the path has 4 segments, not 3")
        let base = try await closest(.get, "/v1/users/7", of: [.get("/users/{id}")])
        #expect(base == "GET /users/{id}, but the path starts with “/v1”, so write “/**/users/{id}”")
        let slash = try await closest(.get, "/users/", of: [.get("/users")])
        #expect(slash == "GET /users, but the path ends with “/”")
        let none = try await closest(.get, "/users", of: [.get("/users/")])
        #expect(none == "GET /users/, but the path doesn't end with “/”")
        let one = try await closest(.get, "/users", of: [.get("/users/{id}")])
        #expect(one == "GET /users/{id}, but the path has 1 segment, not 2")
    }

    @Test("the origin counts less than the path and more than the method")
    func origin() async throws {
        let routes: [StubTransport.Route] = [.get("https://a.example/x"), .put("https://h/x"), .get("https://h/xy")]
        let found = try await closest(.get, "/x", of: routes)
        #expect(found == "PUT https://h/x, but the method is “GET”, not PUT")
    }

    @Test("bodies are compared by their similarity")
    func similarity() async throws {
        func route(_ number: Int, _ condition: StubTransport.Condition) -> StubTransport.Route {
            .post("/a").matching(condition, .predicate("number \(number)") { _ in false })
        }
        func number(_ body: String, _ conditions: StubTransport.Condition...) async throws -> String? {
            let routes = conditions.enumerated().map { route($0, $1) }
            return try await closest(.post, "/a", body, of: routes)?.components(separatedBy: "number ").last
        }
        let first: JSONValue = ["kind": "a", "x": 1, "y": 2]
        let second: JSONValue = ["kind": "b", "x": 1, "y": 3]
        #expect(try await number(#"{"kind": "b", "x": 1, "y": 2, "z": 1}"#, .json(first), .json(second)) == "0")
        #expect(try await number(#"{"kind": "b", "x": 1, "y": 3, "z": 1}"#, .json(first), .json(second)) == "1")
        #expect(try await number("hallo", .body(text: "goodbye"), .body(text: "hello")) == "1")
        #expect(try await number("a=helo", .form("a", "goodbye"), .form("a", "hello")) == "1")
    }

    @Test("the message of many differences is short")
    func many() async throws {
        let members = (0..<1000).map { ("k\($0)", JSONValue.integer($0)) }
        let value = JSONValue.object(Dictionary(uniqueKeysWithValues: members))
        let found = try #require(try await closest(.post, "/a", "{}", of: [.post("/a").matching(.json(value))]))
        #expect(found.hasSuffix(", and 992 more differences"))
        #expect(found.count < 500)
    }

    @Test(
        "a negation says what it found, without secrets",
        arguments: [
            (.query("dry"), "the query item “dry” was found"),
            (.header(.accept, "text/html"), "the header field Accept is “text/html”"),
            (.header(.authorization), "the header field Authorization was found"),
            (.json(at: "token"), "the body has “token”"),
            (.not(.query("missing")), "the query item “missing” is missing"),
            (.any(.query("missing"), .cookie("session")), "the cookie “session” was found"),
            (.predicate("a short request") { _ in true }, "it is a short request"),
        ] as [(StubTransport.Condition, String)]
    )
    func negation(_ condition: StubTransport.Condition, _ found: String) async throws {
        let header: Header = [.accept(.html), .authorization("c4nary"), Field(name: .cookie, value: "session=c4nary")]
        let body = #"{"token": "c4nary"}"#
        let route = StubTransport.Route.post("/a").matching(.not(condition))
        let message = try await closest(.post, "/a?dry=c4nary", body, header: header, of: [route])
        #expect(message == "POST /a, but \(found), which is excluded")
    }
}
