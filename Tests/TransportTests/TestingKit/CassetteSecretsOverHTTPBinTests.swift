import RequestsTesting
import Testing

@Suite(
    "Secrets in cassettes of httpbin",
    .timeLimit(.minutes(5)),
    .enabled(if: HTTPBin.baseURL != nil, HTTPBin.absence)
)
struct CassetteSecretsOverHTTPBinTests {
    private let file = FileManager.default.temporaryDirectory.appending(path: "cassette-\(UUID().uuidString).har")

    /// httpbin echoes secrets in places that the default rules don't cover.
    private let secrets = Cassette.Secrets(
        queryNames: ["session"],
        bodies: [.credentials, .json(keys: ["token", "cookies", "data", "url", "headers"])]
    )

    private func requests() throws -> [PreparedRequest] {
        let api = try HTTPBin.api()
        return try [
            api.get(.data, from: "/bearer").authenticated(with: .bearerToken("canary-authorization")).prepared(),
            api.get(.data, from: "/cookies").adding(headerField: .cookie(["a": "canary-cookie"])).prepared(),
            api.get(.data, from: "/cookies/set").with(query: ["session": "canary-set-cookie"]).prepared(),
            api.get(.data, from: "/anything").with(query: ["access_token": "canary-query"]).prepared(),
            api.post(.json(encoded: ["password": "canary-json"]), to: "/anything").prepared(),
            api.post(.form(["client_secret": "canary-form"]), to: "/anything").prepared(),
        ]
    }

    @Test("A cassette file contains no secret, and still replays", arguments: TransportKind.allCases)
    func canaries(kind: TransportKind) async throws {
        defer { try? FileManager.default.removeItem(at: file) }
        let recording = try Cassette(file, mode: .record(over: kind.makeTransport()), secrets: secrets)
        for request in try requests() {
            let response = try await recording.send(request)
            let data = try await response.content.collect(upTo: 1 << 20)
            // The secret was sent and echoed, and the caller gets the unredacted response.
            let received = response.head.header.map(\.value).joined() + String(decoding: data, as: UTF8.self)
            #expect(received.contains("canary-"), "\(request)")
        }
        try recording.save()
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(!text.contains("canary"), "\(text)")
        #expect(!text.contains(Data("canary".utf8).base64EncodedString().dropLast(2)))
        #expect(try HARSchema.violations(in: file) == "")

        let replaying = try Cassette(file, mode: .replay, secrets: secrets)
        for request in try requests() {
            #expect([200, 302].contains(try await replaying.send(request).head.statusCode))
        }
        #expect(replaying.unused == [])
    }
}
