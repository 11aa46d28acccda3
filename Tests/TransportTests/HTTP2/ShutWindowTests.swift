#if os(Linux)
import Dispatch
import Foundation
import RequestsConformance
import RequestsSystem
import RequestsTesting
import Testing

@testable import RequestsCurl

/// An HTTP/2 upload waits while the server's window is closed (RFC 9113 §6.9). libcurl 7.88 polls the socket for
/// writing instead, which is always ready.
@Suite("Closed HTTP/2 windows", .timeLimit(.minutes(5)))
struct ShutWindowTests {
    private static let pause = 0.2

    /// Opens the window in two steps, each after a pause.
    private func slowServer() throws -> LoopbackServer {
        try LoopbackServer { connection in
            try connection.acceptHTTP2(.settings([.initialWindowSize: 0]))
            var received = 0
            while let frame = try connection.readFrame() {
                if frame.kind == .data { received += frame.payload.count }
                if frame.kind == .headers || frame.kind == .data && received == 80_000 {
                    Thread.sleep(forTimeInterval: Self.pause)
                    let step: UInt32 = frame.kind == .headers ? 80_000 : 20_000
                    try connection.write(.windowUpdate(0, step), .windowUpdate(frame.stream, step))
                }
                guard received == 100_000 else { continue }
                try connection.write(
                    .headers([":status": "200", "content-length": "2"], on: frame.stream),
                    .data("ok", on: frame.stream)
                )
                received = 0
            }
        }
    }

    @Test("An upload that waits for an HTTP/2 window arrives complete and uses no CPU time")
    func waits() async throws {
        let server = try slowServer()
        defer { server.stop() }
        var configuration = CurlTransport.Configuration()
        configuration.httpVersion = .http2WithPriorKnowledge
        let transport = try CurlTransport(configuration: configuration)
        let request = try PreparedRequest(
            method: .post,
            url: RequestURL(server.baseURL.absoluteString),
            body: .data(Data(repeating: 0, count: 100_000)),
            options: CallOptions(timeouts: .unlimited)
        )
        let body = try await transport.send(request).content
        #expect(try await body.collect(upTo: 2) == Data("ok".utf8))
        // Only the CPU time of the transport's thread, which excludes the other tests.
        let time = await withTaskExecutorPreference(transport.taskExecutor) { await Self.processorTime() }
        #expect(time < Self.pause / 2)
    }

    @concurrent
    private static func processorTime() async -> Double { Double(LoopClock.time(of: CLOCK_THREAD_CPUTIME_ID)) / 1e9 }
}
#endif
