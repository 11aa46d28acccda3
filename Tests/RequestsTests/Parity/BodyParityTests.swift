#if FullFoundation
import Foundation
import Requests
import RequestsClient
import RequestsSchemes
import RequestsTesting
import Testing

@Suite("Parity of bodies and authentication", .timeLimit(.minutes(5)))
struct BodyParityTests {
    private let api = AnonymousRequestProvider("https://h.com")

    private func sent(_ provider: BodyProvider) async throws -> (type: String?, text: String, length: Int64?) {
        let request = try api.post(provider, to: "/").prepared()
        let server = StubTransport { request in
            try .stub(200, body: try await Self.bytes(of: request.body), for: request)
        }
        let bytes = try await server.send(request).content.collect(upTo: 1 << 20)
        return (request.header[.contentType], String(decoding: bytes, as: UTF8.self), request.body.length)
    }

    private static func bytes(of body: RequestBody) async throws -> Data {
        let reader = try body.makeReader()
        var data = Data()
        while let piece = try await reader.next() { data += piece }
        return data
    }

    @Test("bodies can be JSON, bytes, text and streams, and each sets its Content-Type")
    func bodies() async throws {
        #expect(try await sent(.json(encoded: ["a": 1])) == ("application/json", #"{"a":1}"#, 7))
        #expect(
            try await sent(.json(["n": nil, "t": [true], "s": "x"]))
                == ("application/json", #"{"n":null,"s":"x","t":[true]}"#, 29)
        )
        #expect(try await sent(.raw(data: Data("x".utf8))) == ("application/octet-stream", "x", 1))
        #expect(try await sent(.text("é")) == ("text/plain; charset=utf-8", "é", 2))
        let stream = InputStream(data: Data("abc".utf8))
        #expect(try await sent(.raw(stream: stream, length: 3)) == ("application/octet-stream", "abc", 3))
    }

    @Test("forms can be URL-encoded or multipart with files, and have a known length")
    func forms() async throws {
        #expect(
            try await sent(.form(["name": "Ada Lovelace", "born": 1815]))
                == ("application/x-www-form-urlencoded", "name=Ada+Lovelace&born=1815", 27)
        )
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).txt")
        try Data("of the file".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let body = try await sent(
            .multipart([.field("title", "Summer"), .file("text", file, contentType: .plainText)])
        )
        #expect(body.type?.hasPrefix("multipart/form-data; boundary=") == true)
        #expect(body.text.contains(#"name="text"; filename="\#(file.lastPathComponent)""#))
        #expect(body.text.contains("\r\n\r\nSummer\r\n"))
        #expect(body.text.contains("\r\n\r\nof the file\r\n"))
        #expect(body.length == Int64(body.text.utf8.count))
    }

    @Test("authentication can be bearer, basic or custom")
    func authentication() throws {
        func header(_ provider: AuthenticationProvider) throws -> Header {
            try api.get(.none, from: "/").authenticated(with: provider).prepared().header
        }
        let session = AuthenticationProvider { header in header.set(Field(name: "X-Session", value: "s")) }
        #expect(try header(.bearerToken("t")) == [.authorization("Bearer t")])
        #expect(try header(.basicAuth(username: "ada", password: "é:")) == [.authorization("Basic YWRhOsOpOg==")])
        #expect(try header(session) == [Field(name: "X-Session", value: "s")])
        #expect(throws: RequestError.self) { try header(.basicAuth(username: "a:b", password: "")) }
    }

    @Test("GraphQL variables are sent as JSON, and a missing document makes the build throw")
    func graphQL() async throws {
        struct Variables: Encodable {
            var id = 7
            var tags = ["a\"b"]
        }
        let body = try await sent(
            .graphQL(query: "query($id: Int) { me }", operationName: "Me", variables: Variables())
        )
        let operation = try JSONDecoder().decode(JSONValue.self, from: Data(body.text.utf8))
        #expect(
            operation
                == .object([
                    "query": .string("query($id: Int) { me }"), "operationName": .string("Me"),
                    "variables": .object(["id": .integer(7), "tags": .array([.string("a\"b")])]),
                ])
        )
        let missing: [GraphQL.Document] = [
            .file(URL(filePath: "/none/me.graphql")), .resource("Me", in: .main),
        ]
        for document in missing {
            let error = #expect(throws: RequestError.self) {
                try api.post(.graphQL(query: document, variables: Variables()), to: "/").prepared()
            }
            #expect(error?.code == .unreadableFile)
            #expect(error?.message.contains("e.graphql”") == true)
        }
    }
}
#endif
