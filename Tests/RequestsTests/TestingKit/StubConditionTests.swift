import RequestsTesting
import Testing

@Suite("Stub conditions", .timeLimit(.minutes(5)))
struct StubConditionTests {
    private func request(
        _ body: String = "",
        type: MediaType = .json,
        query: String = "",
        header: Header = .empty
    ) throws -> PreparedRequest {
        try PreparedRequest(
            method: .post,
            url: RequestURL("https://h/a\(query)"),
            header: Header([.contentType(type)] + header),
            body: .data(Data(body.utf8))
        )
    }

    /// Returns what differs, or `nil` if the route matches.
    private func difference(
        _ request: PreparedRequest,
        _ conditions: StubTransport.Condition...
    ) async throws -> String? {
        var route = StubTransport.Route.post("/a")
        for condition in conditions { route = route.matching(condition) }
        do {
            _ = try await StubTransport(routes: [route]).send(request)
            return nil
        } catch let error as TransportError where error.code == .unmatched {
            return error.message.components(separatedBy: "POST /a, but ").last
        }
    }

    @Test("a query condition compares decoded items and shows values that aren't secret")
    func query() async throws {
        let request = try request(query: "?q=a%26b&page=2&page=3&flag")
        #expect(try await difference(request, .query("q", "a&b"), .query("page", "3"), .query("flag")) == nil)
        let page = try await difference(request, .query("page", "4"))
        #expect(page == "the query item “page” is “2”, “3”, not “4”")
        let token = try self.request(query: "?token=c4nary")
        #expect(try await difference(token, .query("token", "c4nary2")) == "the query item “token” differs")
        #expect(
            try await difference(token, .query("token") { _ in false })
                == "the query item “token” has a value that the closure rejects"
        )
        #expect(try await difference(request, .query("sort")) == "the query item “sort” is missing")
    }

    @Test("a header condition shows a value unless it is sensitive")
    func header() async throws {
        let request = try request(header: [.accept(.html), .authorization("c4nary")])
        #expect(try await difference(request, .header(.accept, "text/html"), .header(.authorization)) == nil)
        let accept = try await difference(request, .header(.accept, "text/plain"))
        #expect(accept == "the header field Accept is “text/html”, not “text/plain”")
        let secret = try await difference(request, .header(.authorization, "c4nary2"))
        #expect(secret == "the header field Authorization differs")
        #expect(try await difference(request, .header("X-Tenant")) == "the header field X-Tenant is missing")
    }

    @Test("a header condition compares a list, in one field or several")
    func headerList() async throws {
        let fields = ["no-cache", "no-store"].map { Field(name: .cacheControl, value: $0) }
        for header in [Header(fields), [.cacheControl: "no-cache,no-store"]] {
            let request = try request(header: header)
            #expect(try await difference(request, .header(.cacheControl, "no-cache, no-store")) == nil)
            #expect(try await difference(request, .header(.cacheControl, "no-cache,no-store")) == nil)
            #expect(try await difference(request, .header(.cacheControl, "no-store, no-cache")) != nil)
        }
        let tags = try request(header: ["If-Match": #""a,b", "c""#])
        #expect(try await difference(tags, .header("If-Match", #""a,b","c""#)) == nil)
        #expect(try await difference(tags, .header("If-Match", #""a, b","c""#)) != nil)
    }

    @Test("a JSON condition compares by value and names each path that differs")
    func json() async throws {
        let request = try request(#"{"user": {"name": "Ada", "age": 36.0}, "tags": [1, 2]}"#)
        let same: JSONValue = ["tags": [1, 2], "user": ["age": 36, "name": "Ada"]]
        #expect(try await difference(request, .json(same)) == nil)
        let other: JSONValue = ["tags": [1], "user": ["age": 37, "name": "Ada"]]
        #expect(
            try await difference(request, .json(other))
                == "the JSON value “tags.1” isn't expected, and the JSON value “user.age” is 36, not 37"
        )
        #expect(try await difference(request, .json(at: "user.name", "Ada"), .json(at: "tags.1", 2.0)) == nil)
        let name = try await difference(request, .json(at: "user.name", "Bob"))
        #expect(name == "the JSON value “user.name” is “Ada”, not “Bob”")
        let tags = try await difference(request, .json(at: "tags", 1))
        #expect(tags == "the JSON value “tags” is an array, not 1")
        #expect(try await difference(request, .json(at: "tags", [1, 3])) == "the JSON value “tags.1” is 2, not 3")
        for path in ["tags.2", "tags.-1", "tags.x", "tags.0.x"] {
            let missing = try await difference(request, .json(at: path))
            #expect(missing == "the JSON value “\(path)” is missing")
        }
        let secret = try self.request(#"{"auth": {"token": "c4nary"}, "password": [{"x": "c4nary"}]}"#)
        let message = try await difference(
            secret,
            .json(["auth": ["token": "c4nary2"], "password": [["x": "c4nary2"]]])
        )
        #expect(message == "the JSON value “auth.token” differs, and the JSON value “password.0.x” differs")
        #expect(try await difference(self.request("text"), .json(["a": 1])) == "the body isn't JSON")
    }

    @Test("a body is compared as bytes, text or form fields")
    func body() async throws {
        #expect(try await difference(request("abc"), .body(text: "abc")) == nil)
        #expect(try await difference(request("abd"), .body(text: "abc")) == "the body differs starting at byte 3")
        let form = try request("grant=a+b&scope=%2B", type: .urlEncodedForm)
        #expect(try await difference(form, .form("grant", "a b"), .form("scope", "+"), .form("scope")) == nil)
        #expect(try await difference(form, .form("grant", "a")) == "the form field “grant” is “a b”, not “a”")
        #expect(try await difference(form, .form("code")) == "the form field “code” is missing")
    }

    @Test("a condition can be a predicate or a negation")
    func predicates() async throws {
        let isShort = StubTransport.Condition.predicate("a short body") { $0.body.data?.count ?? 0 < 3 }
        #expect(try await difference(request("ab"), isShort) == nil)
        #expect(try await difference(request("abc"), isShort) == "it isn't a short body")
        #expect(try await difference(request("abc"), .not(isShort)) == nil)
        #expect(try await difference(request("a"), .not(isShort)) == "it is a short body, which is excluded")
        #expect(try await difference(request("abc"), .any(.body(text: "a"), .body(text: "abc"))) == nil)
        let both = try await difference(request("abd"), .any(.body(text: "xyz"), .body(text: "abc")))
        #expect(both == "the body differs starting at byte 3")
    }

    @Test("a value can be checked by a closure or a regular expression")
    func closures() async throws {
        let request = try request(#"{"user": {"age": 36}}"#, query: "?q=caf%C3%A9", header: [.accept(.html)])
        #expect(
            try await difference(
                request,
                .query("q") { $0.contains(/^caf.$/) },
                .header(.accept) { $0.hasPrefix("text/") },
                .json(at: "user.age") { if case .integer(18...) = $0 { true } else { false } },
                .body { $0.contains("36") }
            ) == nil
        )
        let query = try await difference(request, .query("q") { $0 == "tea" })
        #expect(query == "the query item “q” is “café”, which the closure rejects")
        let header = try await difference(request, .header(.accept) { $0.isEmpty })
        #expect(header == "the header field Accept is “text/html”, which the closure rejects")
        let json = try await difference(request, .json(at: "user.age") { $0 == 35 })
        #expect(json == "the JSON value “user.age” is 36, which the closure rejects")
        let body = try await difference(request, .body { $0.isEmpty })
        #expect(body == "the body has a value that the closure rejects")
        let form = try self.request("a=1&a=2", type: .urlEncodedForm)
        #expect(try await difference(form, .form("a") { $0 == "2" }) == nil)
        let field = try await difference(form, .form("a") { $0 == "3" })
        #expect(field == "the form field “a” is “1”, “2”, which the closure rejects")
    }

    @Test("JSON can be contained, and arrays can be in any order")
    func containedJSON() async throws {
        let request = try request(
            #"{"user": {"name": "Ada", "tags": [{"id": 1, "x": 0}, {"id": 2}]}, "n": [3, [1, 2]]}"#
        )
        #expect(try await difference(request, .json(containing: ["user": ["name": "Ada"]])) == nil)
        #expect(try await difference(request, .json(containing: ["user": ["tags": [["id": 1], ["id": 2]]]])) == nil)
        #expect(try await difference(request, .json(at: "") { $0["n"]?[0] == 3 }) == nil)
        let fewer = try await difference(request, .json(containing: ["user": ["tags": [["id": 1]]]]))
        #expect(fewer == "the JSON value “user.tags.1” isn't expected")
        let other = try await difference(request, .json(containing: ["user": ["name": "Bob", "age": 1]]))
        let name = "the JSON value “user.name” is “Ada”, not “Bob”"
        #expect(other == "the JSON value “user.age” is missing, and \(name)")
        let numbers = try self.request("[3, [1, 2.0], 3]")
        #expect(try await difference(numbers, .json([[2, 1], 3, 3], anyOrder: true)) == nil)
        #expect(try await difference(numbers, .json([[2, 1], 3], anyOrder: true)) == "the body differs")
        #expect(try await difference(numbers, .json([[2, 1], 3, 3])) != nil)
        let zeros = try self.request("[-0.0, -1]")
        #expect(try await difference(zeros, .json([-1, 0], anyOrder: true)) == nil)
        let objects = try self.request(#"[{"b": [[2], [1, 1]]}, {"a": 1}, "1"]"#)
        let value: JSONValue = ["1", ["a": .number(1)], ["b": [[1, 1], [2]]]]
        #expect(try await difference(objects, .json(value, anyOrder: true)) == nil)
        #expect(try await difference(objects, .json([1, ["a": 1], ["b": [[1, 1], [2]]]], anyOrder: true)) != nil)
    }

    @Test("a long array in any order takes no quadratic time")
    func longJSON() async throws {
        let numbers = (0..<100_000).map { JSONValue.integer($0) }
        let request = try request("\(JSONValue.array(numbers))")
        #expect(try await difference(request, .json(.array(numbers.reversed()), anyOrder: true)) == nil)
    }

    @Test("a contained array can be in any order, and each element needs its own match")
    func containedInAnyOrder() async throws {
        let request = try request(#"{"tags": [{"a": 1, "b": 2}, {"a": 1}, {"c": 3}], "n": [[1, 2], [2]]}"#)
        func differs(_ value: JSONValue) async throws -> String? {
            try await difference(request, .json(containing: value, anyOrder: true))
        }
        #expect(try await differs(["tags": [["c": 3], ["a": 1]]]) == nil)
        #expect(try await differs(["tags": [["a": 1], ["b": 2]], "n": [[2], [2, 1]]]) == nil)
        #expect(try await differs(["tags": []]) == nil)
        #expect(try await differs(["tags": [["a": 1], ["a": 1], ["b": 2]]]) == "the JSON value “tags” differs")
        #expect(try await differs(["tags": [["d": 4]]]) == "the JSON value “tags” differs")
    }

    @Test("a query and a form can be compared as a whole, in any order")
    func wholeItems() async throws {
        let request = try request("b=2&a=1&a=+", type: .urlEncodedForm, query: "?b&a=1")
        #expect(try await difference(request, .form(exactly: ["a": ["1", " "], "b": 2])) == nil)
        #expect(try await difference(request, .form(exactly: ["a": [" ", "1"], "b": 2])) == nil)
        let form = try await difference(request, .form(exactly: ["a": 1, "b": 2, "c": 3]))
        #expect(form == "the form field “a” is “ ”, “1”, not “1”, and the form field “c” is missing")
        #expect(try await difference(request, .query(exactly: [URLQueryItem(name: "a", value: "1")])) != nil)
        let items = [URLQueryItem(name: "a", value: "1"), URLQueryItem(name: "b", value: nil)]
        #expect(try await difference(request, .query(exactly: Query(items))) == nil)
        #expect(try await difference(request, .query(exactly: ["a": 1])) == "the query item “b” isn't expected")
        let empty = [URLQueryItem(name: "a", value: "1"), URLQueryItem(name: "b", value: "")]
        #expect(try await difference(request, .query(exactly: Query(empty))) == "the query item “b” differs")
        #expect(try await difference(self.request(), .query(exactly: [])) == nil)
    }

    @Test("cookies and credentials are compared without showing them")
    func credentials() async throws {
        let basic = "Basic \(Data("ada:c4:nary".utf8).base64EncodedString())"
        let request = try request(header: [.cookie: "a=1; session=c4nary=; flag", .authorization: basic])
        #expect(try await difference(request, .cookie("session", "c4nary="), .cookie("a"), .cookie("flag")) == nil)
        #expect(try await difference(request, .cookie("session", "x")) == "the cookie “session” differs")
        #expect(try await difference(request, .cookie("other")) == "the cookie “other” is missing")
        #expect(try await difference(request, .basicAuth(username: "ada", password: "c4:nary")) == nil)
        let other = try await difference(request, .basicAuth(username: "ada", password: "c4nary"))
        #expect(other == "the password of basic authentication differs")
        let user = try await difference(request, .basicAuth(username: "bob", password: "c4:nary"))
        #expect(user == "the user of basic authentication differs")
        let none = try await difference(self.request(), .basicAuth(username: "ada", password: ""))
        #expect(none == "the user of basic authentication is missing")
    }

    @Test("a part of a multipart form is found by its name")
    func multipart() async throws {
        let file = Data([0, 255, 13, 10, 1])
        let form: BodyProvider = .multipart([.field("title", "A"), .data("file", file, filename: "title")])
        let stub = StubTransport(routes: [
            .post("/a").matching(.multipart("file", file), .multipart("title", Data("A".utf8)), .multipart("title"))
        ])
        try await Client(transport: stub).send(BaseURL("https://h").post(form, to: "/a"))
        let routes = StubTransport(routes: [.post("/a").matching(.multipart("file", Data()), .multipart("name"))])
        let error = await #expect(throws: TransportError.self) {
            try await Client(transport: routes).send(BaseURL("https://h").post(form, to: "/a"))
        }
        #expect(
            error?.message.hasSuffix(
                "the part “file” differs starting at byte 1, and the part “name” is missing"
            ) == true
        )
    }

    @Test("a part of a multipart form is found by its filename and its type")
    func multipartFile() async throws {
        let form: BodyProvider = .multipart([
            .field("file", "A"), .data("file", Data("B".utf8), filename: "cat.jpg", contentType: .jpeg),
        ])
        let b = Data("B".utf8)
        let expected: [(StubTransport.Condition, String?)] = [
            (.multipart("file", filename: "cat.jpg"), nil), (.multipart("file", contentType: .jpeg), nil),
            (.multipart("file", b, filename: "cat.jpg", contentType: .jpeg), nil),
            (.multipart("file", filename: "at.jpg"), "the part “file” has another filename"),
            (.multipart("file", contentType: .png), "the part “file” has another type"),
            (
                .multipart("file", filename: "cat.jpg", contentType: .png),
                "the part “file” has another filename or type"
            ),
            (.multipart("file", Data("A".utf8), contentType: .jpeg), "the part “file” differs starting at byte 1"),
        ]
        let request = try BaseURL("https://h").post(form, to: "/a").prepared()
        for (condition, message) in expected {
            #expect(try await difference(request, condition) == message)
        }
        let quoted: BodyProvider = .multipart([.data("a\"b", Data(), filename: "c\"\n.jpg")])
        let other = try BaseURL("https://h").post(quoted, to: "/a").prepared()
        #expect(try await difference(other, .multipart("a\"b", filename: "c\"\n.jpg")) == nil)
    }

    @Test("the error of an unmatched request names the nearest route and each thing that differs")
    func everyDifference() async throws {
        let stub = StubTransport(routes: [
            .get("/other/place"),
            .put("/users/{id}").matching(.header(.accept, "text/plain"), .json(at: "name", "Ada")),
        ])
        let request = try PreparedRequest(
            method: .post,
            url: RequestURL("https://h/users/7"),
            header: [.accept(.json)],
            body: .data(Data(#"{"name": "Bob"}"#.utf8))
        )
        let error = await #expect(throws: TransportError.self) { try await stub.send(request) }
        #expect(
            error?.message == "no route for POST https://h/users/7; the closest is PUT /users/{id}, but the method is "
                + "“POST”, not PUT, and the header field Accept is “application/json”, not “text/plain”, "
                + "and the JSON value “name” is “Bob”, not “Ada”"
        )
    }

    @Test("a condition sees a streamed body, and so does the list of requests")
    func streamed() async throws {
        let chunks = AsyncStream { continuation in
            for chunk in [#"{"id""#, ": 1}"] { continuation.yield(Data(chunk.utf8)) }
            continuation.finish()
        }
        let stub = StubTransport(routes: [.post("/a").matching(.json(["id": 1]))])
        let api = BaseURL("https://h")
        try await Client(transport: stub).send(api.post(.chunks(chunks), to: "/a"))
        #expect(stub.requests.first?.body.data == Data(#"{"id": 1}"#.utf8))
    }
}
