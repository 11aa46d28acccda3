#if FullFoundation
import Foundation
import Requests
import RequestsClient
import RequestsSchemes
import Testing

@Suite("Body providers", .timeLimit(.minutes(5)))
struct BodyProviderTests {
    private let api = BaseURL("https://api.example.com")

    private struct User: Codable, Equatable {
        var id: Int
        var name: String
    }

    @Test("`.none` sends no body and removes Content-Type")
    func none() throws {
        let request = api.get(.data, from: "/").with(header: [.contentType(.json), .accept(.json), .contentType(.xml)])
        #expect(try request.prepared().body == .none)
        #expect(try request.prepared().header == [.accept(.json)])
        #expect(request.header.contains(.contentType), "the request's own header is unchanged")
    }

    @Test("`.raw(data:)` sends bytes as application/octet-stream by default")
    func rawData() throws {
        let request = try api.post(.raw(data: Data([1, 2, 3])), to: "/").prepared()
        #expect(request.body == .data(Data([1, 2, 3])))
        #expect(request.header == [.contentType(.binary)])
        #expect(try api.post(.raw(data: Data(), contentType: .png), to: "/").prepared().header == [.contentType(.png)])
    }

    @Test(
        "`.text` sends UTF-8 as text/plain; charset=utf-8",
        arguments: ["", "hello", "é日本😀", "e\u{301}", "a\r\nb\0"]
    )
    func text(text: String) throws {
        let request = try api.post(.text(text), to: "/").prepared()
        #expect(request.body.data == Data(text.utf8))
        #expect(request.header[.contentType] == "text/plain; charset=utf-8")
    }

    @Test("`.json(encoded:)` sends a value as application/json")
    func json() throws {
        let user = User(id: 1, name: "Ada")
        let request = try api.post(.json(encoded: user), to: "/").prepared()
        #expect(request.header == [.contentType(.json)])
        #expect(try JSONDecoder().decode(User.self, from: #require(request.body.data)) == user)
    }

    @Test("the media type passed to JSON and text replaces the one in the request's header")
    func givenTypes() throws {
        let csv = MediaType(type: "text", subtype: "csv")
        let latin1 = MediaType(type: "text", subtype: "csv", parameters: [("charset", "iso-8859-1")])
        let bodies: [(BodyProvider, String)] = [
            (.json(encoded: ["a": 1], contentType: .mergePatchJSON), "application/merge-patch+json"),
            (.json(["due": nil], contentType: .mergePatchJSON), "application/merge-patch+json"),
            (.json(encoded: ["title": "gone"], contentType: .problemJSON), "application/problem+json"),
            (.text("a,b", contentType: csv), "text/csv; charset=utf-8"),
            (.text("a,b", contentType: latin1), "text/csv; charset=iso-8859-1"),
            (.text("<p>", contentType: .html), "text/html; charset=utf-8"),
            (.text("<p/>", contentType: .xml), "application/xml; charset=utf-8"),
            (.text("{}", contentType: .json), "application/json"),
            (.raw(data: Data([0x61]), contentType: .plainText), "text/plain"),
        ]
        for (body, type) in bodies {
            let request = api.patch("/", with: body).setting(headerField: .contentType(.html))
            #expect(try request.prepared().header[values: .contentType] == [type])
        }
    }

    @Test("`.json(encoded:using:)` encodes with the given encoder")
    func jsonEncoder() throws {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let request = try api.post(.json(encoded: ["userName": 1], using: encoder), to: "/").prepared()
        #expect(request.body == .data(Data(#"{"userName":1}"#.utf8)), "keys of dictionaries are data")
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        let pretty = try api.post(.json(encoded: User(id: 1, name: "Ada"), using: encoder), to: "/").prepared()
        #expect(
            String(decoding: pretty.body.data ?? Data(), as: UTF8.self) == "{\n  \"id\" : 1,\n  \"name\" : \"Ada\"\n}"
        )
    }

    private struct Counted: Encodable {
        let encodings: Recorder<Void>

        func encode(to encoder: any Encoder) throws {
            encodings.record()
            var container = encoder.singleValueContainer()
            try container.encode(encodings.count)
        }
    }

    @Test("`.json(encoded:)` encodes immediately and keeps the result")
    func encodesOnce() throws {
        let value = Counted(encodings: Recorder())
        let request = api.post(.json(encoded: value), to: "/")
        #expect(value.encodings.count == 1)
        #expect(try request.prepared().body == .data(Data("1".utf8)))
        #expect(try request.prepared().body == .data(Data("1".utf8)))
        #expect(value.encodings.count == 1)
    }

    private final class Unencodable: Encodable {
        struct Failure: Error, Equatable {}

        func encode(to encoder: any Encoder) throws {
            throw Failure()
        }
    }

    @Test("`.json(encoded:)` keeps the encoder's error, and every build throws it")
    func encodingError() {
        let request = api.post(.json(encoded: Unencodable()), to: "/")
        for _ in 0..<2 {
            #expect(throws: Unencodable.Failure()) { try request.prepared() }
            #expect(throws: Unencodable.Failure()) { try request.toURLRequest() }
        }
        #expect(throws: EncodingError.self) { try api.post(.json(encoded: [Double.infinity]), to: "/").prepared() }
    }

    @Test("a custom provider runs in every build, which rethrows its error and leaves the header unchanged")
    func custom() throws {
        let calls = Recorder<Void>()
        let provider = BodyProvider { header in
            calls.record()
            header.set(.contentType(.xml))
            guard calls.count < 3 else { throw Unencodable.Failure() }
            return .data(Data("<\(calls.count)/>".utf8))
        }
        let request = api.post(provider, to: "/")
        #expect(try request.prepared().body == .data(Data("<1/>".utf8)))
        #expect(try request.prepared().body == .data(Data("<2/>".utf8)))
        #expect(throws: Unencodable.Failure()) { try request.prepared() }
        var header: Header = [.accept(.json)]
        #expect(throws: Unencodable.Failure()) { try provider.body(updating: &header) }
        #expect(header == [.accept(.json)])
    }

    // MARK: Form and GraphQL bodies

    @Test("a form is encoded as in browsers")
    func form() throws {
        let query: Query = ["name": "Ada Lovelace", "a&b": "c=d+é", "empty": "", "none": nil, "safe": "*-._~"]
        let request = try api.post(.form(query), to: "/").prepared()
        #expect(request.header == [.contentType(.urlEncodedForm)])
        #expect(
            request.body.data.map { String(decoding: $0, as: UTF8.self) }
                == "name=Ada+Lovelace&a%26b=c%3Dd%2B%C3%A9&empty=&safe=*-._%7E"
        )
        #expect(try api.post(.form([:]), to: "/").prepared().body == .data(Data()))
        #expect(try api.post(.form(["a": nil]), to: "/").prepared().body == .data(Data()))
        let item = URLQueryItem(name: "a", value: nil)
        #expect(try api.post(.form([item]), to: "/").prepared().body == .data(Data("a=".utf8)))
    }

    @Test("the standard's parser reads the original items from any form")
    func formRoundTrip() throws {
        let texts = Array(HostileText(seed: 12, count: 20_002))
        let broken = try (0..<20_000).first { index in
            let items = [
                URLQueryItem(name: texts[index], value: texts[index + 1]),
                URLQueryItem(name: texts[index + 2], value: index % 3 == 0 ? nil : texts[index]),
            ]
            var header = Header.empty
            let body = try BodyProvider.form(Query(items)).body(updating: &header).data ?? Data()
            let expected = items.map { FormReader.Item(name: Array($0.name.utf8), value: Array(($0.value ?? "").utf8)) }
            return FormReader.items(of: body) != expected
        }
        #expect(broken.map { texts[$0...($0 + 2)] } == nil)
    }

    @Test("a GraphQL operation is sent as a JSON document")
    func graphQL() throws {
        let query: GraphQL.Document = "query Q($id: ID!) { user(id: $id) { \"name\" } }"
        let request = try api.post(
            .graphQL(query: query, operationName: "Q", variables: ["id": "7"]),
            to: "/graphql"
        ).prepared()
        let accept = Field(name: .accept, value: "application/graphql-response+json, application/json; q=0.9")
        #expect(request.header == [.contentType(.json), accept])
        let own = api.post(.graphQL(query: query), to: "/").with(header: [.accept(.json)])
        #expect(try own.prepared().header[values: .accept] == ["application/json"])
        #expect(
            request.body.data.map { String(decoding: $0, as: UTF8.self) }
                == #"{"query":"query Q($id: ID!) { user(id: $id) { \"name\" } }","operationName":"Q","#
                + #""variables":{"id":"7"}}"#
        )
        let id = "7"
        let mixed = api.post(
            .graphQL(query: "{ me }", variables: ["id": .string(id), "first": 10, "on": [nil]]),
            to: "/"
        )
        #expect(
            try mixed.prepared().body.data
                == Data(#"{"query":"{ me }","variables":{"first":10,"id":"7","on":[null]}}"#.utf8)
        )
        let plain = try api.post(.graphQL(query: "{ me }"), to: "/").prepared().body.data
        #expect(plain.map { String(decoding: $0, as: UTF8.self) } == #"{"query":"{ me }"}"#)
    }

    @Test("a GraphQL document is read when the request is built, and a missing file makes the build throw")
    func graphQLFile() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "requests-\(UUID()).graphql")
        let request = api.post(.graphQL(query: .file(file)), to: "/")
        let error = #expect(throws: RequestError.self) { try request.prepared() }
        #expect(error?.code == .unreadableFile)
        #expect(error?.subject == file.lastPathComponent)
        try Data("{ me }".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(try request.prepared().body == .data(Data(#"{"query":"{ me }"}"#.utf8)))
        let resource = api.post(.graphQL(query: .resource("none", in: .main)), to: "/")
        #expect(throws: RequestError.self) { try resource.prepared() }
    }

    @Test("GraphQL variables that can't be encoded make the build throw")
    func graphQLVariables() throws {
        let request = api.post(.graphQL(query: "{ me }", variables: ["x": Double.nan]), to: "/")
        #expect(throws: EncodingError.self) { try request.prepared() }
    }
}
#endif
