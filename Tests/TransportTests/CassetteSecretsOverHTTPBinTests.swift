import Foundation
import Requests
import RequestsClient
import RequestsTesting
import Testing

@Suite(
    "The secrets of a cassette of httpbin, over each transport",
    .timeLimit(.minutes(5)),
    .enabled(if: HTTPBin.baseURL != nil, HTTPBin.absence)
)
struct CassetteSecretsOverHTTPBinTests {
    private let file = FileManager.default.temporaryDirectory.appending(path: "cassette-\(UUID().uuidString).har")

    /// What the default rules cannot know: where httpbin repeats what it was sent.
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

    @Test("nothing of them is in the file, and the replay is found all the same", arguments: TransportKind.allCases)
    func canaries(kind: TransportKind) async throws {
        defer { try? FileManager.default.removeItem(at: file) }
        let recording = try Cassette(file, mode: .record(over: kind.makeTransport()), secrets: secrets)
        for request in try requests() {
            let response = try await recording.send(request)
            let data = try await response.content.collect(upTo: 1 << 20)
            // They were sent, and came back: the caller gets what the server said.
            let answer = response.head.header.map(\.value).joined() + String(decoding: data, as: UTF8.self)
            #expect(answer.contains("canary-"), "\(request)")
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
