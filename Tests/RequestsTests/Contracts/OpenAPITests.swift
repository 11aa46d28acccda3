import RequestsContracts
import RequestsTesting
import Testing

@Suite("OpenAPI contracts", .timeLimit(.minutes(5)))
struct OpenAPITests {
    private static let document = #"""
        {"openapi": "3.1.0", "servers": [{"url": "https://api.example.com/v1/"}],
         "paths": {
          "/users": {
           "get": {"parameters": [
             {"name": "page", "in": "query", "required": true, "schema": {"type": "integer", "minimum": 1}},
             {"name": "tag", "in": "query", "schema": {"type": "array", "maxItems": 2, "items": {"type": "string"}}},
             {"name": "ids", "in": "query", "explode": false, "schema": {"type": "array", "items": {"type": "integer"}}},
             {"name": "X-Key", "in": "header", "required": true, "schema": {"type": "string", "format": "uuid"}},
             {"name": "sid", "in": "cookie", "schema": {"type": "boolean"}}]},
           "post": {"requestBody": {"required": true, "content": {
              "application/json": {"schema": {"$ref": "#/components/schemas/User"}},
              "application/x-www-form-urlencoded": {"schema": {"$ref": "#/components/schemas/User"}}}},
             "responses": {
              "201": {"headers": {"Location": {"required": true, "schema": {"type": "string"}}},
                      "content": {"application/json": {"schema": {"$ref": "#/components/schemas/User"}}}},
              "4XX": {"$ref": "#/components/responses/Problem"}, "default": {"description": "no content"}}}},
          "/users/me": {"get": {}},
          "/users/{id}": {"parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "integer"}}],
           "get": {}, "delete": {}},
          "/files/{name}.json": {"get": {"parameters": [
             {"name": "name", "in": "path", "required": true, "schema": {"type": "string", "maxLength": 3}}]}}},
         "components": {
          "responses": {"Problem": {"content": {"application/problem+json": {"schema": {"type": "object",
             "required": ["title"], "properties": {"title": {"type": "string"}}}}}}},
          "schemas": {"User": {"type": "object", "required": ["id", "name"], "additionalProperties": false,
           "properties": {"id": {"type": "integer", "readOnly": true}, "name": {"type": "string", "minLength": 2},
            "age": {"type": ["integer", "null"], "maximum": 150}, "friend": {"$ref": "#/components/schemas/User"},
            "secret": {"type": "string", "writeOnly": true}}}}}}
        """#

    private func contract() throws -> OpenAPI { try OpenAPI(json: Data(OpenAPITests.document.utf8)) }

    private func request(
        _ method: HTTPMethod,
        _ path: String,
        _ body: String? = nil,
        header: Header = [.contentType(.json)]
    ) throws -> PreparedRequest {
        try PreparedRequest(
            method: method,
            url: RequestURL("https://api.example.com/v1\(path)"),
            header: header,
            body: body.map { .data(Data($0.utf8)) } ?? .none
        )
    }

    private func violations(of request: PreparedRequest) throws -> [String] {
        try contract().violations(of: request).map(\.description)
    }

    private let key: Header = ["X-Key": "0e8bb0a2-4f6c-4d0a-8b0e-6d5d6f0f2f8e"]

    @Test(
        "the path and the method must be in the document",
        arguments: [
            ("GET", "/users/7", nil), ("DELETE", "/users/7", nil),
            ("GET", "/users/me", nil),
            (
                "GET", "/user/7",
                "path “/v1/user/7” isn't in the document; check the path and the server: https://api.example.com/v1/"
            ),
            (
                "GET", "/users/7/",
                "path “/v1/users/7/” isn't in the document; check the path and the server: https://api.example.com/v1/"
            ),
            ("PUT", "/users/7", "method PUT isn't declared for “/v1/users/7”; use DELETE, GET"),
            ("GET", "/users/x", "path.id is a string, not integer"),
            ("GET", "/files/abc.json", nil), ("GET", "/files/abcd.json", "path.name has more than 3 characters"),
            (
                "GET", "/files/.json",
                "path “/v1/files/.json” isn't in the document; check the path and the server: https://api.example.com/v1/"
            ),
        ]
    )
    func paths(_ method: String, _ path: String, _ violation: String?) throws {
        let found = try violations(of: request(HTTPMethod(rawValue: method), path))
        #expect(found == (violation.map { [$0] } ?? []))
    }

    @Test("parameters are checked in the query, the header and cookies")
    func parameters() throws {
        let valid = "/users?page=2&tag=a&tag=b&ids=1,2"
        #expect(
            try violations(
                of: request(.get, valid, header: Header(key + [Field(name: .cookie, value: "a=1; sid=true")]))
            ).isEmpty
        )
        let invalid = "/users?page=0&tag=a&tag=b&tag=c&ids=1,x&extra"
        #expect(
            try violations(of: request(.get, invalid, header: ["X-Key": "7", .cookie: "sid=1"])) == [
                "cookie.sid is a string, not boolean", "header.X-Key isn't in the format uuid",
                "query.ids[1] is a string, not integer", "query.page is less than the schema's minimum",
                "query.tag has 3 elements, more than 2", "query.extra isn't declared in the document",
            ]
        )
        #expect(
            try violations(of: request(.get, "/users", header: .empty)) == [
                "header.X-Key is missing", "query.page is missing",
            ]
        )
    }

    @Test(
        "a JSON body is checked against its schema, by path and without values",
        arguments: [
            (#"{"name": "Ada", "age": 36.0, "friend": {"name": "Bob", "age": null}}"#, []),
            (
                #"{"name": "A", "age": 151}"#,
                ["body.age is more than the schema's maximum", "body.name has fewer than 2 characters"]
            ),
            (
                #"{"friend": {"name": 7}, "x": 1}"#,
                [
                    "body.name is missing", "body.friend.name is a number, not string",
                    "body.x isn't declared in the schema",
                ]
            ),
            (#"{"name": "Ada", "id": 7}"#, ["body.id is read-only"]), ("[]", ["body is an array, not object"]),
            ("{", ["body isn't JSON"]),
        ] as [(String, [String])]
    )
    func bodies(_ body: String, _ expected: [String]) throws {
        #expect(try violations(of: request(.post, "/users", body)) == expected)
    }

    @Test("a body must be declared, present, and of a declared type")
    func bodyTypes() throws {
        #expect(try violations(of: request(.post, "/users")) == ["body is missing"])
        #expect(try violations(of: request(.delete, "/users/7", "{}")) == ["body isn't declared in the document"])
        let text = try request(.post, "/users", "Ada", header: [.contentType(.plainText)])
        #expect(
            try violations(of: text) == [
                "header.Content-Type is text/plain, not application/json, application/x-www-form-urlencoded"
            ]
        )
        let form = try request(.post, "/users", "name=Ada+L&age=x", header: [.contentType(.urlEncodedForm)])
        #expect(try violations(of: form) == ["body.age is a string, not integer or null"])
    }

    @Test("a response is checked by its status, fields and body")
    func responses() async throws {
        let contract = try contract()
        let post = try request(.post, "/users", #"{"name": "Ada"}"#)
        func check(_ reply: StubTransport.Reply) async throws -> [String] {
            try await contract.violations(of: response(reply, to: post), to: post).map(\.description)
        }
        let location: Header = [Field(name: .location, value: "/users/7")]
        #expect(try await check(.reply(201, header: location, jsonText: #"{"id": 7, "name": "Ada"}"#)).isEmpty)
        #expect(
            try await check(.reply(201, jsonText: #"{"name": "Ada", "secret": "c4nary"}"#)) == [
                "header.Location is missing", "body.id is missing", "body.secret is write-only",
            ]
        )
        #expect(try await check(.reply(201, header: location)) == ["body is missing"])
        let problem: Header = [.contentType("application/problem+json")]
        #expect(try await check(.reply(422, header: problem, jsonText: "{}")) == ["body.title is missing"])
        #expect(try await check(.reply(503)).isEmpty)
        #expect(try await check(.reply(503, text: "oops")) == ["body isn't declared in the document"])
        let me = try request(.get, "/users/me")
        let undeclared = try await contract.violations(of: response(.reply(200), to: me), to: me)
        #expect(undeclared.map(\.description) == ["status 200 isn't declared; declared: none"])
    }

    private func response(
        _ reply: StubTransport.Reply,
        to request: PreparedRequest
    ) async throws -> Response<Data> {
        let response = try await StubTransport(script: [reply]).send(request)
        return Response(head: response.head, content: try await response.content.collect(upTo: 1 << 20))
    }

    @Test("a document must be JSON of OpenAPI 3.0 or 3.1", arguments: ["openapi: 3.0.0", "{}", #"{"openapi": "2.0"}"#])
    func invalid(_ text: String) {
        #expect(throws: OpenAPI.InvalidDocument.self) { try OpenAPI(json: Data(text.utf8)) }
    }
}
