import Foundation
import RequestsSchemes
import RequestsTesting
import Testing

@Suite("GraphQL responses", .timeLimit(.minutes(5)))
struct GraphQLResponseTests {
    private struct Content: Decodable, Equatable {
        var name: String?
    }

    private func decode<Value>(_ text: String, _ decoder: ResponseDecoder<Value>) throws -> Value {
        try decoder.decode(ResponseHead(statusCode: 200, url: RequestURL("https://h/graphql")), Data(text.utf8))
    }

    private let partial = """
        {"data":{"name":null},"extensions":{"cost":{"total":1.5,"steps":[3]}},"errors":[{"message":"s3cret",
        "locations":[{"line":6,"column":7}],"path":["hero",1,"name"],"extensions":{"code":"GONE"}},{"message":"b"}]}
        """

    @Test("A response without errors returns its data")
    func data() throws {
        #expect(try decode(#"{"data":{"name":"R2"}}"#, .graphQL(Content.self)) == Content(name: "R2"))
    }

    @Test("A response with errors throws them with locations and paths")
    func errors() throws {
        let error = #expect(throws: ResponseError.self) { try decode(partial, .graphQL(Content.self)) }
        #expect(error?.code == .graphQL)
        #expect(error?.description == "graphQL: https://h/graphql returned 2 GraphQL errors.")
        let errors = try #require(error?.underlying as? GraphQL.Errors).errors
        #expect(errors.map(\.message) == ["s3cret", "b"])
        #expect(errors.first?.locations.map { [$0.line, $0.column] } == [[6, 7]])
        #expect(errors.first?.path == ["hero", 1, "name"])
        #expect(errors.first?.extensions == ["code": .string("GONE")])
    }

    @Test("graphQLResponse(of:) returns partial data together with the errors")
    func part() throws {
        let response = try decode(partial, .graphQLResponse(of: Content.self))
        #expect(response.data == Content(name: nil))
        #expect(response.errors.count == 2)
        #expect(response.extensions == ["cost": .object(["total": .number(1.5), "steps": .array([.integer(3)])])])
        let none = try decode(#"{"errors":[{"message":"a"}],"data":null}"#, .graphQLResponse(of: Content.self))
        #expect(none.data == nil)
    }

    @Test(
        "A response with errors throws them even if its data doesn't decode",
        arguments: [
            #"{"data":{"name":7},"errors":[{"message":"b"}]}"#, #"{"errors":[{"message":"b"}],"data":[]}"#,
            #"{"data":"none","errors":[{"message":"b"}]}"#,
        ]
    )
    func undecodableData(text: String) throws {
        let error = #expect(throws: ResponseError.self) { try decode(text, .graphQL(Content.self)) }
        #expect(error?.code == .graphQL)
        #expect((error?.underlying as? GraphQL.Errors)?.errors.map(\.message) == ["b"])
        #expect(error?.data == Data(text.utf8))
        let response = try decode(text, .graphQLResponse(of: Content.self))
        #expect(response.data == nil)
        #expect(response.errors.map(\.message) == ["b"])
    }

    @Test(
        "An error that isn't as specified doesn't hide the others, and keeps what can be read",
        arguments: [
            (#""c""#, "c", [], [:]), ("{}", "{}", [], [:]), ("null", "null", [], [:]), ("7", "7", [], [:]),
            ("[]", "[]", [], [:]), (#"{"message":7}"#, #"{"message":7}"#, [], [:]),
            (#"{"path":["x"]}"#, #"{"path":["x"]}"#, ["x"], [:]),
            (#"{"extensions":{"code":"X"}}"#, #"{"extensions":{"code":"X"}}"#, [], ["code": "X"]),
            (#"{"message":"c","locations":"1:2","path":"a.b","extensions":[]}"#, "c", [], [:]),
            (#"{"message":"c","locations":[{"line":1}],"path":["x"]}"#, "c", ["x"], [:]),
            (#"{"message":"c","path":["x",1e400]}"#, "c", ["x", .number(.greatestFiniteMagnitude)], [:]),
        ] as [(String, String, [JSONValue], [String: JSONValue])]
    )
    func oddError(_ odd: String, _ message: String, _ path: [JSONValue], _ members: [String: JSONValue]) throws {
        let text = #"{"errors":[{"message":"a"},\#(odd),{"message":"b"}],"data":null}"#
        let error = #expect(throws: ResponseError.self) { try decode(text, .graphQL(Content.self)) }
        #expect(error?.code == .graphQL)
        let errors = try #require(error?.underlying as? GraphQL.Errors).errors
        #expect(errors.map(\.message) == ["a", message, "b"])
        #expect(errors[1].path == path)
        #expect(errors[1].extensions == members)
        #expect(errors[1].locations.isEmpty)
    }

    @Test(
        "Errors that aren't a list are one error",
        arguments: [(#""c""#, "c"), (#"{"message":"c"}"#, "c"), ("{}", "{}"), ("true", "true")]
    )
    func errorsWithoutList(_ errors: String, _ message: String) throws {
        let response = try decode(#"{"errors":\#(errors)}"#, .graphQLResponse(of: Content.self))
        #expect(response.errors.map(\.message) == [message])
    }

    @Test("Extensions that aren't an object are ignored", arguments: ["[]", "7", "null", #""a""#])
    func oddExtensions(_ extensions: String) throws {
        let text = #"{"data":{"name":"R2"},"extensions":\#(extensions)}"#
        #expect(try decode(text, .graphQL(Content.self)) == Content(name: "R2"))
    }

    @Test(
        "A response without errors throws a decoding error if its data doesn't decode",
        arguments: ["", #","errors":[]"#]
    )
    func undecodableDataAlone(rest: String) {
        let text = #"{"data":{"name":7}\#(rest)}"#
        let error = #expect(throws: ResponseError.self) { try decode(text, .graphQL(Content.self)) }
        #expect(error?.code == .decoding)
        let other = #expect(throws: ResponseError.self) { try decode(text, .graphQLResponse(of: Content.self)) }
        #expect(other?.code == .decoding)
    }

    @Test("A response with the GraphQL media type is decoded whatever its status", arguments: [200, 400, 500])
    func statuses(status: Int) async throws {
        let type = Field(name: .contentType, value: "application/graphql-response+json; charset=utf-8")
        let text = #"{"errors":[{"message":"no such field"}]}"#
        let api = BaseURL("https://h")
        let request = api.post(.graphQL(query: "{ me }"), to: "/")
        let replies: [StubTransport.Reply] = [
            .reply(status, header: [type], text: text), .reply(status, header: [type], text: text),
            .reply(400, text: text),
        ]
        let client = Client(transport: StubTransport(script: replies))
        let error = await #expect(throws: ResponseError.self) {
            try await client.send(request.receiving(.graphQL(Content.self)))
        }
        #expect(error?.code == .graphQL)
        let decoder = ResponseDecoder.graphQLResponse(of: Content.self).optional
        let response = try await client.send(request.receiving(decoder))
        #expect(response?.errors.map(\.message) == ["no such field"])
        let other = await #expect(throws: ResponseError.self) {
            try await client.send(request.receiving(.graphQL(Content.self)))
        }
        #expect(other?.code == .status)
    }

    @Test(
        "A response without data and errors throws a decoding error",
        arguments: ["{}", #"{"data":null}"#, "[]", #"{"errors":[]}"#]
    )
    func malformed(text: String) {
        let error = #expect(throws: ResponseError.self) { try decode(text, .graphQL(Content.self)) }
        #expect(error?.code == .decoding)
    }

    @Test("Errors are described by their paths, not by their messages, which may quote a variable")
    func descriptions() throws {
        let json = #"{"errors":[{"message":"c4nary","path":["users",0,"name"]},{"message":"c4nary"}]}"#
        let head = try ResponseHead(statusCode: 200, url: RequestURL("https://h/"))
        let error = #expect(throws: ResponseError.self) {
            try ResponseDecoder<[Int]>.graphQL().decode(head, Data(json.utf8))
        }
        let errors = try #require(error?.underlying as? GraphQL.Errors)
        #expect("\(errors)" == "a GraphQL error at .users[0].name\na GraphQL error")
        var text = "\(errors.localizedDescription) \(String(reflecting: errors))"
        dump(errors, to: &text)
        #expect(!text.contains("c4nary"))
    }
}
