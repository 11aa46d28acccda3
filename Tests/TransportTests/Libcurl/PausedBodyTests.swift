#if os(Linux)
import Dispatch
import Foundation
import RequestsConformance
import RequestsSystem
import RequestsTesting
import Testing

@testable import RequestsCurl

/// A response body that isn't read must not keep the transport's thread busy. libcurl 8.14's timer is always due while
/// a transfer is paused.
@Suite("Paused bodies", .timeLimit(.minutes(5)))
struct PausedBodyTests {
    private static let pause = 1.0

    private func server(http2: Bool) throws -> LoopbackServer {
        let size = 8 << 20
        guard http2 else {
            return try LoopbackServer { connection in
                while let request = try? connection.readRequest() {
                    let size = request.target == "/small" ? 2 : size
                    try connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
                    try connection.write(Data(count: size))
                }
            }
        }
        let requests = Locked(0)
        return try LoopbackServer { connection in
            try connection.acceptHTTP2(.settings([:]))
            while let frame = try connection.readFrame() {
                guard frame.kind == .headers else { continue }
                let isFirst = requests.withLock { count in
                    count += 1
                    return count == 1
                }
                try connection.write(.headers([":status": "200"], on: frame.stream))
                // As much as the initial window allows for the first response, which never ends.
                for _ in 0..<(isFirst ? 3 : 1) {
                    let data = Data(count: isFirst ? 16_000 : 2)
                    try connection.write(.data(data, on: frame.stream, endStream: !isFirst))
                }
            }
        }
    }

    @Test(
        "A body that isn't read costs far less CPU time than a busy thread, and delays no other request",
        arguments: [(true, true), (true, false), (false, true), (false, false)]
    )
    func costsNothing(waitsWithEpoll: Bool, http2: Bool) async throws {
        guard !http2 || LibcurlBuild.hasHTTP2, waitsWithEpoll || !Quirks.linked.watchesPaused else { return }
        let server = try server(http2: http2)
        defer { server.stop() }
        var configuration = CurlTransport.Configuration()
        configuration.waitsWithEpoll = waitsWithEpoll
        if http2 { configuration.httpVersion = .http2WithPriorKnowledge }
        let transport = try CurlTransport(configuration: configuration)
        let url = try RequestURL(server.baseURL.absoluteString)
        let options = CallOptions(timeouts: .unlimited)
        let paused = try await transport.send(PreparedRequest(method: .get, url: url, options: options)).content
        let chunks = paused.makeAsyncIterator()
        #expect(try await chunks.next()?.isEmpty == false)
        // What is received before the transport stops isn't the cost of the pause.
        try await Task.sleep(for: .seconds(0.2))
        let start = await Self.processorTime(of: transport)
        // A loop that is always due takes as much as a busy thread, whatever else the machine does.
        let busy = await Self.busyTime(for: Self.pause)
        let end = await Self.processorTime(of: transport)
        #expect((end - start) * 4 <= busy)
        let small = try RequestURL(server.baseURL.absoluteString + "/small")
        let other = try await transport.send(PreparedRequest(method: .get, url: small, options: options)).content
        #expect(try await other.collect(upTo: 2).count == 2)
    }

    /// Returns the CPU time of a thread that computes for some seconds.
    private static func busyTime(for seconds: Double) async -> Double {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let end = LoopClock.time(of: CLOCK_MONOTONIC) + UInt64(seconds * 1e9)
                while LoopClock.time(of: CLOCK_MONOTONIC) < end {}
                continuation.resume(returning: Double(LoopClock.time(of: CLOCK_THREAD_CPUTIME_ID)) / 1e9)
            }
        }
    }

    /// Returns the CPU time of the transport's thread, which excludes the other tests.
    private static func processorTime(of transport: CurlTransport) async -> Double {
        await withTaskExecutorPreference(transport.taskExecutor) { await processorTime() }
    }

    @concurrent
    private static func processorTime() async -> Double { Double(LoopClock.time(of: CLOCK_THREAD_CPUTIME_ID)) / 1e9 }
}
#endif
