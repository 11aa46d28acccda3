import RequestsTesting
import Testing

@Suite("Cassettes over each transport", .timeLimit(.minutes(5)))
struct CassetteOverTransportsTests {
    private let file = FileManager.default.temporaryDirectory.appending(path: "cassette-\(UUID().uuidString).har")

    /// `{"id":1}`, compressed with `gzip`.
    private static let gzip = Data(base64Encoded: "H4sIAAAAAAACA6tWykxRsjKsBQDF+F1ECAAAAA==")

    @Test("A cassette replays a compressed response after the server has stopped", arguments: TransportKind.allCases)
    func replays(_ kind: TransportKind) async throws {
        defer { try? FileManager.default.removeItem(at: file) }
        let body = try #require(CassetteOverTransportsTests.gzip)
        let baseURL: URL
        let live: (head: ResponseHead, text: String)
        do {
            let server = try LoopbackServer.http { _ in
                LoopbackServer.Answer(200, header: [Field(name: .contentEncoding, value: "gzip")], body: body)
            }
            baseURL = server.baseURL
            let cassette = try Cassette(file, mode: .record(over: kind.makeTransport()))
            live = try await exchange(from: baseURL, over: cassette)
            try cassette.save()
            withExtendedLifetime(server) {}
        }
        let replayed = try await exchange(from: baseURL, over: Cassette(file, mode: .replay))
        #expect(live.text == #"{"id":1}"#)
        #expect(replayed.text == live.text)
        #expect(replayed.head.statusCode == live.head.statusCode)
        #expect(replayed.head.httpVersion == live.head.httpVersion)
    }

    private func exchange(from baseURL: URL, over cassette: Cassette) async throws -> (head: ResponseHead, text: String)
    {
        let request = BaseURL(baseURL: baseURL).post(.text("ask"), to: "/a").receiving(.text)
        let response = try await Client(transport: cassette).response(for: request)
        return (response.head, response.content)
    }
}
