#if FullFoundation
import Foundation
import RequestsTestSupport
import RequestsTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Response decoders", .timeLimit(.minutes(5)))
struct ResponseDecoderTests {
    private struct User: Codable, Equatable {
        var id: Int
        var name: String
    }

    private func head(_ status: Int = 200, _ header: Header = []) throws -> ResponseHead {
        try ResponseHead(statusCode: status, header: header, url: RequestURL("https://h/users?token=s3cret"))
    }

    @Test("`.none` ignores any body", arguments: [Data(), Data([0xFF, 0]), Data("{".utf8)])
    func none(data: Data) throws {
        try ResponseDecoder.none.decode(head(), data)
    }

    @Test("`.data` returns the bytes unchanged", arguments: [Data(), Data([0xFF, 0]), Data("abc".utf8)])
    func data(data: Data) throws {
        #expect(try ResponseDecoder.data.decode(head(), data) == data)
    }

    @Test("`.text` decodes UTF-8", arguments: ["", "abc", "é日本😀", "a\r\nb\0"])
    func text(text: String) throws {
        #expect(try ResponseDecoder.text.decode(head(), Data(text.utf8)) == text)
    }

    @Test(
        "`.text` uses the charset of the response if it is supported",
        arguments: [
            ("text/html; charset=ISO-8859-1", [0xE9], "é"), ("text/plain; charset=windows-1252", [0x80], "€"),
            ("text/plain; charset=\"utf-16le\"", [0xE9, 0], "é"), ("text/plain; charset=UTF-8", [0xC3, 0xA9], "é"),
            ("text/plain; charset=x-own", [0xC3, 0xA9], "é"), ("text/plain", [0xC3, 0xA9], "é"),
            ("text/plain; charset=latin1", [0xE9], "é"), ("text/plain; charset=Latin-1", [0xE9], "é"),
            ("text/plain; charset=iso_8859-1", [0xE9], "é"), ("text/plain; charset=ascii", [0x61], "a"),
            ("text/plain; charset=cp1252", [0x80], "€"), ("text/plain; charset=x-cp1252", [0x80], "€"),
            ("text/plain; charset=ISO-8859-15", [0xA4], "€"), ("text/plain; charset=latin9", [0xA4], "€"),
            ("text/plain; charset=iso-8859-2", [0xE0], "ŕ"), ("text/plain; charset=iso-8859-7", [0xE1], "α"),
            ("text/plain; charset=windows-1250", [0xE0], "ŕ"), ("text/plain; charset=windows-1251", [0xE0], "а"),
            ("text/plain; charset=windows-1253", [0xE1], "α"), ("text/plain; charset=windows-1254", [0xFD], "ı"),
            ("text/plain; charset=windows-1255", [0xE0], "א"), ("text/plain; charset=windows-1256", [0xE1], "ل"),
            ("text/plain; charset=windows-1257", [0xE0], "ą"), ("text/plain; charset=windows-1258", [0xD0], "Đ"),
            ("text/plain; charset=Shift_JIS", [0x82, 0xA0], "あ"), ("text/plain; charset=x-sjis", [0x82, 0xA0], "あ"),
            ("text/plain; charset=koi8-r", [0xC1], "а"), ("text/plain; charset=gb2312", [0xB0, 0xA1], "啊"),
            ("text/plain; charset=utf8", [0xC3, 0xA9], "é"),
            ("text/plain; charset=utf-16le", [0xFF, 0xFE, 0xE9, 0], "é"),
            ("text/plain; charset=utf-16be", [0xFE, 0xFF, 0, 0xE9], "é"),
            ("text/plain; charset=utf-16", [0xFF, 0xFE, 0xE9, 0], "é"),
            ("text/plain; charset=utf-8", [0xEF, 0xBB, 0xBF, 0xC3, 0xA9], "é"),
        ] as [(String, [UInt8], String)]
    )
    func charset(type: String, bytes: [UInt8], text: String) throws {
        let head = try head(200, [Field(name: .contentType, value: type)])
        let decoded = try ResponseDecoder.text.decode(head, Data(bytes))
        // Compares scalars, because strings that differ in a byte order mark can be equal.
        #expect(Array(decoded.unicodeScalars) == Array(text.unicodeScalars))
    }

    @Test(
        "Bytes that aren't text in the fallback of an unknown charset throw an error that names both",
        arguments: ["x-own", "iso-8859-12", "windows-1259", "ebcdic"]
    )
    func unknownCharset(charset: String) throws {
        let head = try head(200, [Field(name: .contentType, value: "text/plain; charset=\(charset)")])
        let error = #expect(throws: ResponseError.self) { try ResponseDecoder.text.decode(head, Data([0xE9])) }
        #expect(error?.code == .decoding)
        #expect(error?.message.contains("charset “\(charset)”") == true)
        #expect(error?.message.contains("UTF-8") == true)
    }

    @Test(
        "`.text(encoding:)` decodes text in an encoding",
        arguments: [
            (.isoLatin1, [0x63, 0x61, 0x66, 0xE9], "café"), (.utf16LittleEndian, [0x61, 0, 0x62, 0], "ab"),
            (.utf16LittleEndian, [0xFF, 0xFE, 0x61, 0], "a"), (.utf16BigEndian, [0xFE, 0xFF, 0, 0x61], "a"),
            (.ascii, [0x61], "a"),
            (.utf8, [0xC3, 0xA9], "é"),
        ] as [(String.Encoding, [UInt8], String)]
    )
    func encodings(encoding: String.Encoding, bytes: [UInt8], text: String) throws {
        let decoded = try ResponseDecoder.text(encoding: encoding).decode(head(), Data(bytes))
        #expect(Array(decoded.unicodeScalars) == Array(text.unicodeScalars))
    }

    @Test(
        "Bytes that aren't text in the encoding throw an error with the head and the bytes",
        arguments: [[0xFF], [0xC3], [0xED, 0xA0, 0x80]] as [[UInt8]]
    )
    func undecodableText(bytes: [UInt8]) throws {
        let head = try head()
        let error = #expect(throws: ResponseError.self) { try ResponseDecoder.text.decode(head, Data(bytes)) }
        #expect(error?.code == .decoding)
        #expect(error?.head == head)
        #expect(error?.data == Data(bytes))
        #expect(error?.message.contains("text in") == true)
    }

    @Test("`.json` decodes a value of an inferred or given type")
    func json() throws {
        let data = Data(#"{"id":1,"name":"Ada"}"#.utf8)
        let inferred: ResponseDecoder<User> = .json()
        #expect(try inferred.decode(head(), data) == User(id: 1, name: "Ada"))
        #expect(try ResponseDecoder.json(User.self).decode(head(), data) == User(id: 1, name: "Ada"))
        #expect(try ResponseDecoder.json([Int].self).decode(head(), Data("[1,2]".utf8)) == [1, 2])
    }

    @Test("`.json` uses the given decoder")
    func jsonDecoder() throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        let decode = ResponseDecoder.json([Date].self, decoder: decoder)
        #expect(try decode.decode(head(), Data("[5]".utf8)) == [Date(timeIntervalSince1970: 5)])
    }

    @Test(
        "Unexpected JSON throws an error with the head, the bytes and the decoder's error",
        arguments: [
            "", "{", #"{"id":1}"#, #"{"id":"1","name":"Ada"}"#, #"{"id":null,"name":"Ada"}"#, "[]", "null", "\u{FEFF}[",
            "\0", #"{"id":1e400,"name":""}"#, #"{"id":99999999999999999999,"name":""}"#,
            SampleText(String(repeating: "[", count: 100_000)),
        ]
    )
    func undecodableJSON(sample: SampleText) throws {
        let data = Data(sample.text.utf8)
        let head = try head(200, [.contentType(.json)])
        let error = #expect(throws: ResponseError.self) {
            try ResponseDecoder.json(User.self).decode(head, data)
        }
        #expect(error?.code == .decoding)
        #expect(error?.head == head)
        #expect(error?.data == data)
        #expect(error?.underlying is DecodingError)
    }

    @Test("A custom decoder without types receives a Foundation response first")
    func foundation() throws {
        let decoder = ResponseDecoder<String> { response, data in
            let response: HTTPURLResponse = response
            return "\(response.statusCode) \(response.value(forHTTPHeaderField: "x-a") ?? "none") \(data.count)"
        }
        #expect(try decoder.decode(head(201, [Field(name: "X-A", value: "1")]), Data("abc".utf8)) == "201 1 3")
    }

    @Test("A custom decoder can receive the head with repeated fields in order")
    func ownHead() throws {
        let decoder = ResponseDecoder.reading { head, _ in head.header[values: .setCookie] }
        let header = Header(["b=1", "a=2"].map { Field(name: .setCookie, value: $0) })
        #expect(try decoder.decode(head(200, header), Data()) == ["b=1", "a=2"])
    }

    @Test("The error of a custom decoder is rethrown")
    func ownError() throws {
        struct Own: Error, Equatable {}
        let decoders = [
            ResponseDecoder<Int>.reading { _, _ in throw Own() },
            ResponseDecoder<Int> { (_: HTTPURLResponse, _) in throw Own() },
        ]
        for decoder in decoders { #expect(throws: Own()) { try decoder.decode(head(), Data()) } }
    }
}
#endif
