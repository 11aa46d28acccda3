#if FullFoundation
import Foundation
import Requests
import RequestsClient
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
}
#endif
