import RequestsTestSupport
import RequestsTesting
import Testing

@Suite("Secrets in UTF-16 and UTF-32", .timeLimit(.minutes(5)))
struct UnicodeSecretsTests {
    private static let encodings: [Named<String.Encoding>] = [
        Named("UTF-16 with a mark", .utf16), Named("UTF-16LE", .utf16LittleEndian), Named("UTF-16BE", .utf16BigEndian),
        Named("UTF-32 with a mark", .utf32), Named("UTF-32LE", .utf32LittleEndian), Named("UTF-32BE", .utf32BigEndian),
    ]

    private func recorded(_ body: Data, _ type: MediaType) async throws -> Data {
        let file = CassetteFile()
        defer { file.remove() }
        let server = StubTransport { try .stub(200, header: [.contentType(type)], body: body, for: $0) }
        try await file.record(over: server) { _ = try await $0.exchange(.get, "https://h/") }
        let replaying = try Cassette(file.url, mode: .replay)
        let request = try PreparedRequest(url: RequestURL("https://h/"))
        return try await replaying.send(request).content.collect(upTo: 10_000)
    }

    @Test("a secret in JSON is redacted, and the rest keeps its encoding", arguments: encodings)
    func json(_ encoding: Named<String.Encoding>) async throws {
        let text = #"{"name": "Zoë 🦊", "access_token": "c4nary", "pin": "https://h/?token=c4nary"}"#
        let body = try #require(text.data(using: encoding.value))
        let kept = try #require(String(data: try await recorded(body, .json), encoding: encoding.value))
        #expect(kept.contains(#""name": "Zoë 🦊", "access_token": "REDACTED""#))
        #expect(!kept.contains("c4nary"))
    }

    @Test("a charset without a mark is enough, and a body without secrets isn't changed")
    func charset() async throws {
        let text = "é token: https://h/?token=c4nary"
        let body = try #require(text.data(using: .utf16LittleEndian))
        let kept = try await recorded(body, "text/plain; charset=utf-16le")
        #expect(String(data: kept, encoding: .utf16LittleEndian)?.hasSuffix("?token=REDACTED") == true)
        let odd = Data([0xFF, 0xFE, 0x41, 0x00, 0x00, 0xD8, 0x42])
        #expect(try await recorded(odd, .plainText) == odd)
    }
}
