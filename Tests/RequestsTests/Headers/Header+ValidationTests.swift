#if FullFoundation
import RequestsTesting
import Testing

@Suite("Header validation", .timeLimit(.minutes(5)))
struct HeaderValidationTests {
    private let api = BaseURL("https://api.example.com")

    @Test(
        "a name that isn't a token makes the build throw an error that names it",
        arguments: [
            "", " ", "X A", "X:", ":path", "X\n", "X\r\nY", "X\0", "X\t", "X(", "X)", "X<", "X@", "X,", "X;", "X\\",
            "X\"",
            "X/", "X[", "X]", "X?", "X=", "X{", "X}", "Xé", "X\u{301}", "X\u{7F}",
        ]
    )
    func names(name: String) {
        let request = api.get(.data, from: "/").adding(headerField: Field(name: Field.Name(name), value: "s3cret"))
        let error = #expect(throws: RequestError.self) { try request.prepared() }
        #expect(error?.code == .invalidFieldName)
        #expect(error?.subject == name)
        #expect(error?.message.contains("s3cret") == false)
        #expect(error?.message.contains { $0.isNewline } == false)
    }

    @Test("a name may contain every token character")
    func token() throws {
        let name = Field.Name("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
        let request = try api.get(.data, from: "/").adding(headerField: Field(name: name, value: "1")).prepared()
        #expect(request.header[name] == "1")
    }

    @Test(
        "a value with CR, LF or NUL makes the build throw an error that names the field but not the value",
        arguments: [
            "s3cret\rX", "s3cret\nX: 1", "s3cret\r\nX: 1", "s3cret\0", "\r\ns3cret", "s3cret\n", "\ns3cret",
            "s3\u{301}\ncret",
        ]
    )
    func values(value: String) {
        let request = api.get(.data, from: "/").adding(headerField: Field(name: "X-Own", value: value))
        let error = #expect(throws: RequestError.self) { try request.toURLRequest() }
        #expect(error?.code == .invalidFieldValue)
        #expect(error?.subject == "X-Own")
        #expect(error?.message.contains("X-Own") == true)
        #expect(error.map { "\($0)".contains("s3") } == false)
    }

    @Test(
        "a value may contain any other text",
        arguments: ["", "a b\tc", "é", "日本", "\u{85}", "\u{2028}", "\u{9B}", "a:b", "\"q\"", "e\u{301}"]
    )
    func allowedValues(value: String) throws {
        let request = try api.get(.data, from: "/").adding(headerField: Field(name: "X", value: value)).prepared()
        #expect(request.header.first?.value == value)
    }

    @Test("fields that a transport received are validated when they are sent on")
    func received() throws {
        let fields = [
            Field(name: "X A", trimmedValue: "1"), Field(name: "X", trimmedValue: "a\nb"),
            Field(name: .transferEncoding, trimmedValue: "chunked"), Field(name: .contentLength, trimmedValue: "1"),
        ]
        let codes: [RequestError.Code?] = fields.map { field in
            #expect(throws: RequestError.self) {
                try api.get(.data, from: "/").adding(headerField: field.sensitive()).prepared()
            }?.code
        }
        #expect(codes == [.invalidFieldName, .invalidFieldValue, .conflictingFraming, .conflictingFraming])
        _ = try api.get(.data, from: "/").adding(headerField: Field(name: "X", trimmedValue: "1")).prepared()
    }

    @Test("transports validate again, so that an invalid field added after the build isn't sent")
    func transports() async throws {
        var changed = try api.get(.data, from: "/").prepared()
        changed.header.add(Field(name: "X", value: "a\nb"))
        let request = changed
        let error = #expect(throws: RequestError.self) { try request.validate() }
        #expect(error?.code == .invalidFieldValue)

        let calls = Recorder<Void>()
        let transport = StubTransport { request in
            calls.record()
            return try .stub(200, for: request)
        }
        await #expect(throws: RequestError.self) { try await transport.send(request) }
        #expect(calls.count == 0)
    }

    @Test("a value with a control character other than a tab is invalid", arguments: 0x00...0x7F as ClosedRange<UInt8>)
    func controlCharacters(byte: UInt8) {
        let value = "a\(UnicodeScalar(byte))b"
        let isValid = byte == 0x09 || (0x20..<0x7F).contains(byte)
        for field in [Field(name: "X", value: value), Field(name: "X", trimmedValue: value)] {
            #expect(((try? Header(field).validate()) != nil) == isValid)
        }
    }
}
#endif
