import Foundation
import Requests
import RequestsClient
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

    @Test("a query condition compares decoded items and shows no value")
    func query() async throws {
        let request = try request(query: "?q=a%26b&page=2&page=3&flag")
        #expect(try await difference(request, .query("q", "a&b"), .query("page", "3"), .query("flag")) == nil)
        #expect(try await difference(request, .query("page", "4")) == "the query item “page” differs")
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

    @Test("a JSON condition compares by value and names each path that differs")
    func json() async throws {
        let request = try request(#"{"user": {"name": "Ada", "age": 36.0}, "tags": [1, 2]}"#)
        let same: JSONValue = ["tags": [1, 2], "user": ["age": 36, "name": "Ada"]]
        #expect(try await difference(request, .json(same)) == nil)
        let other: JSONValue = ["tags": [1], "user": ["age": 37, "name": "Ada"]]
        #expect(
            try await difference(request, .json(other))
                == "the body differs in “tags.1”, and the body differs in “user.age”"
        )
        #expect(try await difference(request, .json(at: "user.name", "Ada"), .json(at: "tags.1", 2.0)) == nil)
        #expect(try await difference(request, .json(at: "user.name", "Bob")) == "the body differs in “user.name”")
        #expect(try await difference(request, .json(at: "tags.2")) == "the body has no “tags.2”")
        #expect(try await difference(self.request("text"), .json(["a": 1])) == "the body isn't JSON")
    }

    @Test("a body is compared as bytes, text or form fields")
    func body() async throws {
        #expect(try await difference(request("abc"), .body(text: "abc")) == nil)
        #expect(try await difference(request("abd"), .body(text: "abc")) == "the body differs starting at byte 3")
        let form = try request("grant=a+b&scope=%2B", type: .urlEncodedForm)
        #expect(try await difference(form, .form("grant", "a b"), .form("scope", "+"), .form("scope")) == nil)
        #expect(try await difference(form, .form("grant", "a")) == "the form field “grant” differs")
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
        #expect(try await difference(request, .query("q") { $0 == "tea" }) == "the query item “q” differs")
        #expect(try await difference(request, .header(.accept) { $0.isEmpty }) == "the header field Accept differs")
        #expect(try await difference(request, .json(at: "user.age") { $0 == 35 }) == "the body differs in “user.age”")
        #expect(try await difference(request, .body { $0.isEmpty }) == "the body differs")
        let form = try self.request("a=1&a=2", type: .urlEncodedForm)
        #expect(try await difference(form, .form("a") { $0 == "2" }) == nil)
        #expect(try await difference(form, .form("a") { $0 == "3" }) == "the form field “a” differs")
    }

    @Test("JSON can be contained, and arrays can be in any order")
    func containedJSON() async throws {
        let request = try request(
            #"{"user": {"name": "Ada", "tags": [{"id": 1, "x": 0}, {"id": 2}]}, "n": [3, [1, 2]]}"#
        )
        #expect(try await difference(request, .json(containing: ["user": ["name": "Ada"]])) == nil)
        #expect(try await difference(request, .json(containing: ["user": ["tags": [["id": 1], ["id": 2]]]])) == nil)
        let fewer = try await difference(request, .json(containing: ["user": ["tags": [["id": 1]]]]))
        #expect(fewer == "the body differs in “user.tags.1”")
        let other = try await difference(request, .json(containing: ["user": ["name": "Bob", "age": 1]]))
        #expect(other == "the body differs in “user.age”, and the body differs in “user.name”")
        let numbers = try self.request("[3, [1, 2.0], 3]")
        #expect(try await difference(numbers, .json([[2, 1], 3, 3], anyOrder: true)) == nil)
        #expect(try await difference(numbers, .json([[2, 1], 3], anyOrder: true)) == "the body differs")
        #expect(try await difference(numbers, .json([[2, 1], 3, 3])) != nil)
    }

    @Test("a query and a form can be compared as a whole, in any order")
    func wholeItems() async throws {
        let request = try request("b=2&a=1&a=+", type: .urlEncodedForm, query: "?b&a=1")
        #expect(try await difference(request, .form(exactly: ["a": ["1", " "], "b": 2])) == nil)
        #expect(try await difference(request, .form(exactly: ["a": 1, "b": 2])) == "the form differs in “a”")
        #expect(try await difference(request, .query(exactly: [URLQueryItem(name: "a", value: "1")])) != nil)
        let items = [URLQueryItem(name: "a", value: "1"), URLQueryItem(name: "b", value: nil)]
        #expect(try await difference(request, .query(exactly: Query(items))) == nil)
        #expect(try await difference(request, .query(exactly: ["a": 1])) == "the query differs in “b”")
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
        #expect(other == "the user of basic authentication differs")
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
        #expect(error?.message.hasSuffix("the part “file” differs, and the part “name” is missing") == true)
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
                + "and the body differs in “name”"
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
