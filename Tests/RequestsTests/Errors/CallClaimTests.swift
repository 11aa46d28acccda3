import Foundation
import Requests
import RequestsClient
import RequestsTestSupport
import RequestsTesting
import Testing

@Suite("What an error tells about the requests of its call", .timeLimit(.minutes(5)))
final class CallClaimTests: DownloadSuite, Sendable {
    typealias Reply = ScriptedTransport.Reply

    private struct Broken: Error {}

    private let api = BaseURL("https://a.example")
    let directory: URL

    init() throws {
        directory = try Self.makeDirectory()
    }

    deinit { removeDirectory() }

    @Test(
        "An error tells whether any attempt may have been processed",
        arguments: [
            (Named("nothing else", []), false), (Named("503", [.status(503)]), true),
            (Named("no connection", [.refused]), false), (Named("closed while sending", [.closed]), true),
            (Named("broken body", [.broken()]), true), (Named("redirect", [.redirect(to: "/next")]), true),
            (Named("closed, then no connection", [.closed, .refused]), true),
            (Named("no connection twice", [.refused, .refused]), false),
            (Named("an error of another layer", [.error(Broken())]), true),
        ] as [(Named<[Reply]>, Bool)]
    )
    func processed(script: Named<[Reply]>, mayHaveBeen: Bool) async {
        let transport = ScriptedTransport(script.value + [.refused])
        let isRedirected = script.name == "redirect"
        let client = transport.client {
            $0.retries = .fixed(.seconds(1), limit: isRedirected ? 0 : script.value.count)
            if script.name.hasSuffix("layer") { $0.retries = $0.retries?.retrying { _, _ in true } }
        }
        let error = await failure { try await client.send(api.get(.none, from: "/")) } as? TransportError
        #expect(error?.code == .cannotConnect)
        #expect(error?.phase == .connecting)
        #expect(error?.requestMayHaveBeenProcessed == mayHaveBeen)
        #expect(transport.sent.count == script.value.count + 1)
        #expect(transport.clock.waits.count == (isRedirected ? 0 : script.value.count))
    }

    @Test(
        "A challenge counts as processed unless it is a 401, also if a later attempt fails",
        arguments: [(401, false), (403, true)],
        [0, 1]
    )
    func processedChallenge(challenge: (status: Int, mayHaveBeen: Bool), retries: Int) async {
        let script: [Reply] = [.status(challenge.status), .refused, .refused]
        let transport = ScriptedTransport(script)
        let client = transport.client {
            $0.retries = .fixed(.seconds(1), limit: retries)
            $0.authenticate("https://a.example", with: .answering([401, 403]))
        }
        let error = await failure { try await client.send(api.get(.none, from: "/")) } as? TransportError
        #expect(error?.code == .cannotConnect)
        #expect(error?.requestMayHaveBeenProcessed == challenge.mayHaveBeen)
        #expect(transport.sent.count == 2 + retries)
    }

    @Test(
        "The earlier parts and versions of a download count as processed",
        arguments: [
            (Named("a part", "bytes 3-4/9"), "\"1\"", "bytes=5-"),
            (Named("another version", "bytes 3-4/9"), "\"2\"", nil),
        ] as [(Named<String>, String, String?)]
    )
    func processedParts(range: Named<String>, tag: String, next: String?) async throws {
        let broken = ScriptedTransport([.broken(200, [Field(name: .eTag, value: "\"1\"")], "abc")])
        let request = api.get(.none, from: "/f")
        _ = await failure { _ = try await broken.client().download(request, to: file, resume: true) }
        let header: Header = [Field(name: "Content-Range", value: range.value), Field(name: .eTag, value: tag)]
        let transport = ScriptedTransport([.status(206, header, "de"), .refused])
        let error = await failure { _ = try await transport.client().download(request, to: file, resume: true) }
        #expect(errorCode(error) == "cannotConnect")
        #expect((error as? TransportError)?.requestMayHaveBeenProcessed == true)
        #expect(transport.values(of: .range) == ["bytes=3-", next])
    }
}
