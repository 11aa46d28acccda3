import RequestsCompression
import RequestsTestSupport
import RequestsTesting
import Testing

@Suite("Bodies whose content can't be read", .timeLimit(.minutes(5)))
struct UnreadableBodyTests {
    private let api = BaseURL("https://a.example")
    private static let json = #"{"user":"ada","password":"c4nary"}"#

    /// Checks that no text shows the content of a body.
    private func expectHidden(
        _ request: PreparedRequest,
        as shown: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let shown = shown ?? "<\(request.body)>"
        var plain = request
        plain.body = .data(Data("other".utf8))
        let curl = request.curlCommand()
        #expect(curl.contains(shown) || request.body.data == nil, sourceLocation: sourceLocation)
        #expect(request.httpMessage().hasSuffix("\n\n\(shown)"), sourceLocation: sourceLocation)
        let content = request.body.data ?? Data("c4nary".utf8)
        for text in [
            curl, request.httpMessage(), "\(request.difference(from: plain))", "\(plain.difference(from: request))",
        ] {
            #expect(!text.contains("c4nary"), sourceLocation: sourceLocation)
            #expect(!text.contains("printf"), sourceLocation: sourceLocation)
            #expect(!text.contains(content.base64EncodedString()), sourceLocation: sourceLocation)
        }
    }

    @Test("a compressed body is shown as its size", arguments: [ContentCoding.gzip, .deflate])
    func compressed(coding: ContentCoding) throws {
        let body = BodyProvider.json(object: ["user": "ada", "password": "c4nary"]).compressed(coding)
        let request = try api.post(body, to: "/").prepared()
        try expectHidden(request)
        #expect(request.curlCommand(revealingSecrets: true).contains("printf"))
    }

    @Test(
        "a body with a content encoding is shown as its size, whatever the encoding",
        arguments: ["br", "zstd", "x-gzip", "aes128gcm", "identity, gzip", "GZIP", "a b"]
    )
    func coded(encoding: String) throws {
        let request = try api.post(.raw(data: Data(Self.json.utf8), contentType: .json), to: "/")
            .adding(headerField: Field(name: .contentEncoding, value: encoding)).prepared()
        try expectHidden(request)
    }

    @Test(
        "a body in an unknown charset is shown as its size",
        arguments: ["application/json; charset=utf-7", "text/plain; charset=ibm037", "text/plain; charset=x"]
    )
    func charset(type: MediaType) throws {
        try expectHidden(try api.post(.raw(data: Data(Self.json.utf8), contentType: type), to: "/").prepared())
    }

    @Test(
        "a body in a known charset is read, and one with the encoding identity",
        arguments: [
            ("application/json; charset=UTF-8", nil), ("application/json; charset=us-ascii", nil), (.json, "identity"),
            (.json, ""), (.json, "Identity, identity"),
        ] as [(MediaType, String?)]
    )
    func readable(type: MediaType, encoding: String?) throws {
        let encoded = encoding.map { [Field(name: .contentEncoding, value: $0)] } ?? []
        let request = try api.post(.raw(data: Data(Self.json.utf8), contentType: type), to: "/")
            .adding(headerFields: encoded).prepared()
        #expect(request.httpMessage().hasSuffix(#"{"user":"ada","password":"REDACTED"}"#))
    }

    @Test(
        "a binary body is shown as its size",
        arguments: [
            Data([0xFF, 0xFE, 0]) + Data("c4nary".utf8), Data([10, 6]) + Data("c4nary".utf8) + Data([18, 1, 65]),
        ]
    )
    func binary(data: Data) throws {
        for type in [MediaType.binary, "application/x-protobuf", nil] {
            try expectHidden(try api.post(.raw(data: data, contentType: type), to: "/").prepared())
        }
    }

    @Test("a form without a media type shows no credentials")
    func formWithoutType() throws {
        let body = BodyProvider.form(["user": "ada", "password": "c4nary"], contentType: nil)
        for type in [nil, "application/vnd.a+form"] as [MediaType?] {
            var request = api.post(body, to: "/")
            if let type { request = request.adding(headerField: .contentType(type)) }
            let prepared = try request.prepared()
            for text in [
                prepared.curlCommand(), prepared.httpMessage(),
                "\(prepared.difference(from: try api.post(.none, to: "/").prepared()))",
            ] {
                #expect(text.contains("ada"))
                #expect(!text.contains("c4nary"))
            }
        }
    }

    @Test(
        "a part of a multipart body shows no credentials, whatever its type and depth",
        arguments: [
            "Content-Type: application/x-www-form-urlencoded\r\n\r\nuser=ada&password=c4nary",
            "Content-Type: application/json\r\n\r\n{\"password\":\"c4nary\"}",
            "Content-Type: application/json; charset=utf-7\r\n\r\n{\"password\":\"c4nary\"}",
            "Content-Type: multipart/mixed; boundary=i\r\n\r\n--i\r\nContent-Disposition: form-data; name=password\r\n"
                + "\r\nc4nary\r\n--i--",
            "Content-Type: multipart/mixed; boundary=i\r\n\r\n--i\r\nContent-Type: "
                + "application/x-www-form-urlencoded\r\n\r\npassword=c4nary\r\n--i--",
            "Content-Transfer-Encoding: base64\r\n\r\neyJwYXNzd29yZCI6ImM0bmFyeSJ9 c4nary",
            "Content-Encoding: gzip\r\n\r\n{\"a\":\"c4nary\"}",
        ]
    )
    func parts(part: String) throws {
        let text = "--b\r\n\(part)\r\n--b--\r\n"
        let body = BodyProvider.raw(data: Data(text.utf8), contentType: "multipart/mixed; boundary=b")
        let request = try api.post(body, to: "/").prepared()
        let other = try api.post(.none, to: "/").prepared()
        for text in [request.curlCommand(), request.httpMessage(), "\(request.difference(from: other))"] {
            #expect(!text.contains("c4nary"))
        }
        #expect(request.httpMessage(revealingSecrets: true).contains("c4nary"))
    }

    @Test("a sensitive body stays sensitive in every form that it takes")
    func sensitive() async throws {
        let text = BodyProvider.text("c4nary")
        let chunks = BodyProvider.chunks([Data("c4nary".utf8)].async, isReplayable: true)
        for body in [
            text.sensitive(), text.sensitive().compressed(.gzip), text.compressed(.gzip).sensitive(),

        ] {
            try expectHidden(try api.post(body, to: "/").prepared(), as: "REDACTED")
        }
        // A stub reads the chunks into memory.
        for body in [chunks.sensitive(), chunks.sensitive().compressed(.gzip), text.sensitive()] {
            let stub = StubTransport(script: [.reply(200)])
            _ = try await Client(transport: stub).response(for: api.post(body, to: "/"))
            let request = try #require(stub.requests.first)
            #expect(request.body.data != nil)
            try expectHidden(request, as: "REDACTED")
        }
    }
}

extension Array where Element: Sendable {
    fileprivate var async: AsyncStream<Element> {
        AsyncStream { continuation in
            forEach { continuation.yield($0) }
            continuation.finish()
        }
    }
}
