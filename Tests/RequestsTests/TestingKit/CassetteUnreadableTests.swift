import RequestsCompression
import RequestsTestSupport
import RequestsTesting
import Testing

@Suite("Secrets in cassettes behind an encoding", .timeLimit(.minutes(5)))
final class CassetteUnreadableTests {
    private let file = CassetteFile()
    private let api = BaseURL("https://h")
    private let ok = StubTransport { try .stub(204, for: $0) }

    deinit { file.remove() }

    private func gzip(_ text: String) throws -> Data {
        let request = try api.post(.text(text).compressed(.gzip), to: "/").prepared()
        return try #require(request.body.data)
    }

    /// Records the requests, checks that their secret isn't in the file, and replays the same ones with another secret.
    private func check(
        _ secrets: Cassette.Secrets = Cassette.Secrets(),
        _ body: (String) throws -> BodyProvider
    ) async throws -> String {
        let recorded = try api.post(body("c4nary"), to: "/").prepared()
        try await file.record(over: ok, secrets: secrets) { _ = try await $0.send(recorded) }
        let text = try file.text
        #expect(!text.contains("c4nary"))
        let bytes = try await recorded.body.bytes()
        #expect(!text.contains(bytes.base64EncodedString().prefix(40)))
        #expect(!text.replacing("\\/", with: "/").contains(bytes.base64EncodedString().prefix(40)))
        let replaying = try Cassette(file.url, mode: .replay, secrets: secrets)
        _ = try await replaying.send(try api.post(body("0ther1"), to: "/").prepared())
        return text
    }

    @Test("a compressed request is decoded before it is redacted")
    func request() async throws {
        let text = try await check { .json(object: ["user": "ada", "password": $0]).compressed(.gzip) }
        #expect(text.contains(#"{\"password\":\"REDACTED\",\"user\":\"ada\"}"#))
        #expect(!text.contains("Content-Encoding"))
        try await file.record(over: ok) {
            let body = BodyProvider.json(object: ["user": "bob"]).compressed(.gzip)
            _ = try await $0.send(try self.api.post(body, to: "/").prepared())
        }
        await #expect(throws: TransportError.self) {
            let body = BodyProvider.json(object: ["user": "eve"]).compressed(.gzip)
            _ = try await Cassette(self.file.url, mode: .replay).send(try self.api.post(body, to: "/").prepared())
        }
    }

    @Test("a form in a multipart body is redacted, at any depth")
    func parts() async throws {
        let form = "Content-Type: application/x-www-form-urlencoded\r\n\r\nuser=ada&password="
        let type: MediaType = "multipart/mixed; boundary=b"
        for (start, end) in [
            ("--b\r\n\(form)", "\r\n--b--\r\n"),
            ("--b\r\nContent-Type: multipart/mixed; boundary=i\r\n\r\n--i\r\n\(form)", "\r\n--i--\r\n--b--\r\n"),
        ] {
            let text = try await check { .raw(data: Data("\(start)\($0)\(end)".utf8), contentType: type) }
            #expect(text.contains("user=ada&password=REDACTED"))
        }
        let coded = "--b\r\nContent-Transfer-Encoding: base64\r\n\r\n"
        let text = try await check { .raw(data: Data("\(coded)\($0)\r\n--b--\r\n".utf8), contentType: type) }
        #expect(text.contains("REDACTED: 6 bytes"))
    }

    @Test("a sensitive body isn't recorded")
    func sensitive() async throws {
        for isCompressed in [false, true] {
            let text = try await check { secret in
                let body = BodyProvider.text("all of \(secret)", contentType: .plainText).sensitive()
                return isCompressed ? body.compressed(.gzip) : body
            }
            #expect(!text.contains("all of"))
        }
    }

    @Test("a body that can't be read is recorded as its size, unless its encoding or type is allowed")
    func unreadable() async throws {
        for (encoding, type, name) in [
            ("aes128gcm", "application/json", "aes128gcm"), ("gzip", "application/json", "gzip"),
            (nil, "application/x-protobuf", "application/x-protobuf"),
            (nil, "application/json; charset=utf-7", "utf-7"),
        ] as [(String?, MediaType, String)] {
            let data = { @Sendable (secret: String) in Data([0xFF]) + Data(#"{"a":"\#(secret)"}"#.utf8) }
            let body = { (secret: String) in
                BodyProvider { header in
                    if let encoding { header.set(Field(name: .contentEncoding, value: encoding)) }
                    header.set(.contentType(type))
                    return .data(data(secret))
                }
            }
            let text = try await check { body($0) }
            let shown = Data("REDACTED: 15 bytes".utf8)
            // In Base64 if the type has another charset than UTF-8.
            #expect(text.contains(name == "utf-7" ? shown.base64EncodedString() : "REDACTED: 15 bytes"))
            let allowing = Cassette.Secrets(unreadable: [name])
            let request = try api.post(body("c4nary"), to: "/").prepared()
            try await file.record(over: ok, secrets: allowing) { _ = try await $0.send(request) }
            #expect(try file.text.replacing("\\/", with: "/").contains(data("c4nary").base64EncodedString()))
            _ = try await Cassette(file.url, mode: .replay, secrets: allowing).send(request)
        }
    }

    @Test("a response that the transport didn't decode is decoded before it is redacted")
    func response() async throws {
        let secret = try gzip(#"{"user":"ada","token":"c4nary"}"#)
        let plain = try gzip(#"{"user":"ada"}"#)
        for (body, isSecret) in [(secret, true), (plain, false)] {
            let header: Header = [.contentType(.json), Field(name: .contentEncoding, value: "gzip")]
            let server = StubTransport { try .stub(200, header: header, body: body, for: $0) }
            let request = try api.get(.data, from: "/").adding(headerField: .acceptEncoding("gzip")).prepared()
            try await file.record(over: server) { cassette in
                let live = try await cassette.send(request).content.collect(upTo: 1 << 20)
                #expect(live == body)
            }
            #expect(try file.text.replacing("\\/", with: "/").contains(body.base64EncodedString()) == !isSecret)
            let replayed = try await Cassette(file.url, mode: .replay).send(request)
            let content = try await replayed.content.collect(upTo: 1 << 20)
            // What has no secret is replayed as it was sent.
            #expect(content == (isSecret ? Data(#"{"user":"ada","token":"REDACTED"}"#.utf8) : body))
            #expect(replayed.head.header.contains(.contentEncoding) == !isSecret)
        }
    }

    @Test("a part of a coded response can't be decoded, so that it is recorded as its size")
    func part() async throws {
        let header: Header = [
            .contentType(.json), Field(name: .contentEncoding, value: "gzip"),
            Field(name: "Content-Range", value: "bytes 0-9/80"),
        ]
        let body = try gzip(#"{"token":"c4nary"}"#).prefix(10)
        let server = StubTransport { try .stub(206, header: header, body: body, for: $0) }
        try await file.record(over: server) { _ = try await $0.exchange(.get, "https://h/") }
        #expect(try file.text.contains("REDACTED: 10 bytes"))
    }
}

extension RequestBody {
    fileprivate func bytes() async throws -> Data { try await collect(upTo: 1 << 20) }
}
