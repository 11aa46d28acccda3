#if FullFoundation
import Foundation
import RequestsTestSupport
import Testing

@testable import RequestsURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Callbacks of a URLSession task", .timeLimit(.minutes(5)))
struct SessionExchangeTests {
    private static let request = Result { try PreparedRequest(url: RequestURL("https://h/")) }

    /// Runs callbacks without a running task.
    private func body(
        _ callbacks: @escaping @Sendable (SessionExchange, URLResponse) throws -> Void
    ) async throws -> String {
        let url = URL("https://h/")
        let runner = ExchangeRunner(capabilities: [], maximumBufferedBytes: 100, open: { _ in nil })
        let response = try await runner.run(SessionExchangeTests.request.get()) { exchange in
            let session = URLSession(configuration: .ephemeral)
            defer { session.invalidateAndCancel() }
            let head = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil)
            try callbacks(SessionExchange(exchange, task: session.dataTask(with: url)), #require(head))
        }
        return String(decoding: try await response.content.collect(upTo: 100), as: UTF8.self)
    }

    @Test(
        "Metrics name the version of HTTP and of TLS",
        arguments: [
            ("http/1.0", nil, "HTTP/1.0"), ("http/1.1", 0x0301, "HTTP/1.1 over TLSv1"),
            ("http/1.1", 0x0302, "HTTP/1.1 over TLSv1.1"), ("h2", 0x0303, "HTTP/2 over TLSv1.2"),
            ("h2c", nil, "HTTP/2"), ("h3", 0x0304, "HTTP/3 over TLSv1.3"), ("other", 0x7F00, ""), (nil, nil, ""),
        ] as [(String?, UInt16?, String)]
    )
    func versions(protocolName: String?, tlsVersion: UInt16?, expected: String) {
        var metrics = TransferMetrics()
        metrics.setConnection(
            protocolName: protocolName,
            tlsVersion: tlsVersion,
            local: (nil, nil),
            remote: (nil, nil)
        )
        #expect(metrics.description == expected)
    }

    @Test("Metrics write an IPv6 address in brackets")
    func addresses() {
        var metrics = TransferMetrics()
        metrics.setConnection(
            protocolName: nil,
            tlsVersion: nil,
            local: ("fe80::1%en0", 4711),
            remote: ("127.0.0.1", 80)
        )
        #expect(metrics.localAddress == "[fe80::1%en0]:4711")
        #expect(metrics.remoteAddress == "127.0.0.1:80")
    }

    @Test("The heads of multipart/x-mixed-replace parts are not responses")
    func parts() async throws {
        let text = try await body { exchange, head in
            for part in ["one", "two"] {
                exchange.receive(head)
                exchange.receive(Data(part.utf8))
            }
            exchange.complete(nil)
        }
        #expect(text == "onetwo")
    }

    @Test("Foundation blocking while it makes a task doesn't delay the total timeout")
    func blockedFoundation() async throws {
        let engine = SessionEngine(URLSessionTransport.Configuration(), over: .ephemeral)
        engine.taskQueue.suspend()
        defer { engine.taskQueue.resume() }
        let options = CallOptions(timeouts: Timeouts(total: .milliseconds(50)))
        let request = try PreparedRequest(url: RequestURL("http://127.0.0.1/"), options: options)
        let error = await #expect(throws: TransportError.self) {
            try await engine.send(request, context: SendContext(options))
        }
        #expect(error?.code == .timedOut(.total))
    }

    @Test("Foundation blocking while it makes a task doesn't delay a cancellation")
    func canceledWhileBlocked() async throws {
        let engine = SessionEngine(URLSessionTransport.Configuration(), over: .ephemeral)
        engine.taskQueue.suspend()
        defer { engine.taskQueue.resume() }
        let request = try PreparedRequest(url: RequestURL("http://127.0.0.1/"))
        let task = Task { try await engine.send(request, context: SendContext()) }
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
    }

    @Test("The cancellation that Foundation reports after a rejected challenge is not a failure")
    func challenge() async throws {
        let text = try await body { exchange, head in
            exchange.noteChallenge()
            exchange.receive(head)
            exchange.receive(Data("denied".utf8))
            exchange.complete(URLError(.cancelled))
        }
        #expect(text == "denied")
    }

    @Test("A cancellation without a rejected challenge is a failure")
    func cancellation() async throws {
        await #expect(throws: CancellationError.self) {
            _ = try await body { exchange, head in
                exchange.receive(head)
                exchange.complete(URLError(.cancelled))
            }
        }
    }
}
#endif
