#if os(Linux) || os(macOS)
import RequestsConformance
import RequestsSystem
import RequestsTesting
import Testing

@testable import RequestsCurl

/// An HTTP/2 connection over which a request timed out, and nothing arrived, gets no new requests.
@Suite("Silent HTTP/2 connections", .timeLimit(.minutes(5)))
struct SilentConnectionTests {
    /// The first connection responds to its first request, and then falls silent. The others respond to each request.
    private struct Server {
        let server: LoopbackServer
        let relay: TLSRelay
        private let counter: Counter

        private final class Counter: Sendable {
            let count = Locked(0)

            /// Counts a connection, and returns its number.
            func next() -> Int {
                count.withLock { count in
                    count += 1
                    return count
                }
            }
        }

        var connections: Int { counter.count.withLock { $0 } }

        /// - Parameter isEnding: Whether the first response has an end.
        init(isEnding: Bool = false) throws {
            let counter = Counter()
            self.counter = counter
            server = try LoopbackServer { connection in
                let isFirst = counter.next() == 1
                try connection.acceptHTTP2()
                try connection.readStreams { stream in
                    if isFirst, stream > 1 { return }
                    try connection.write(.headers([":status": "200"], on: stream))
                    if !isFirst || isEnding { try connection.write(.data("ok", on: stream)) }
                }
            }
            relay = try TLSRelay(to: server.baseURL)
        }

        var url: URL { relay.url }

        func transport(_ change: (inout CurlTransport.Configuration) -> Void = { _ in }) throws -> CurlTransport {
            var configuration = CurlTransport.Configuration()
            configuration.tls.dangerouslyUnverifiedHosts = ["127.0.0.1"]
            change(&configuration)
            return try CurlTransport(configuration: configuration)
        }
    }

    private func send(
        _ url: URL,
        over transport: CurlTransport,
        idle: Duration = .seconds(86_400)
    ) async throws -> Response<ResponseBody> {
        let timeouts = Timeouts(idle: idle)
        let url = try RequestURL(url.absoluteString)
        return try await transport.send(try PreparedRequest(url: url, options: CallOptions(timeouts: timeouts)))
    }

    private func expectTimeout(_ url: URL, over transport: CurlTransport) async {
        let error = await #expect(throws: TransportError.self) {
            try await send(url, over: transport, idle: .milliseconds(100))
        }
        #expect(error?.code == .timedOut(.idle))
    }

    private func expectResponses(_ count: Int, from url: URL, over transport: CurlTransport) async throws {
        let bodies = try await withThrowingTaskGroup(of: Data.self) { group in
            for _ in 0..<count {
                group.addTask { try await send(url, over: transport).content.collect(upTo: 2) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(bodies == Array(repeating: Data("ok".utf8), count: count))
    }

    @Test("A connection without other requests is closed")
    func withoutOthers() async throws {
        let server = try Server(isEnding: true)
        let transport = try server.transport()
        try await expectResponses(1, from: server.url, over: transport)
        await expectTimeout(server.url, over: transport)
        try await expectResponses(3, from: server.url, over: transport)
        #expect(server.connections == 2)
    }

    @Test("A connection over which a body stalls gets no new requests", arguments: [true, false])
    func stalledBody(waitsWithEpoll: Bool) async throws {
        let server = try Server()
        let transport = try server.transport { $0.waitsWithEpoll = waitsWithEpoll }
        let stalled = try await send(server.url, over: transport, idle: .milliseconds(300))
        let error = await #expect(throws: TransportError.self) { try await stalled.content.collect(upTo: 2) }
        #expect(error?.code == .timedOut(.idle))
        try await expectResponses(3, from: server.url, over: transport)
        #expect(server.connections == 2)
    }

    @Test("All new requests share one connection in the place of one that others still use")
    func withAnother() async throws {
        let server = try Server()
        let transport = try server.transport()
        let other = try await send(server.url, over: transport)
        await expectTimeout(server.url, over: transport)
        for _ in 0..<2 { try await expectResponses(5, from: server.url, over: transport) }
        #expect(server.connections == 2)
        withExtendedLifetime(other) {}
    }

    @Test("A connection stays in use if no other may be opened", arguments: [true, false])
    func limited(perHost: Bool) async throws {
        let server = try Server()
        let transport = try server.transport {
            if perHost { $0.connections.maximumPerHost = 1 } else { $0.connections.maximumTotal = 1 }
        }
        let other = try await send(server.url, over: transport)
        for _ in 0..<2 { await expectTimeout(server.url, over: transport) }
        #expect(server.connections == 1)
        withExtendedLifetime(other) {}
    }

    /// libcurl can't be told to prefer one of several connections without TLS.
    @Test(
        "New requests open connections in the place of one without TLS that others still use",
        .enabled(if: !Quirks.linked.switchesAgain, "libcurl 7.88 shares no connections without TLS")
    )
    func withoutTLS() async throws {
        let server = try Server()
        let transport = try server.transport { $0.httpVersion = .http2WithPriorKnowledge }
        let url = server.server.baseURL
        let other = try await send(url, over: transport)
        await expectTimeout(url, over: transport)
        try await expectResponses(3, from: url, over: transport)
        withExtendedLifetime(other) {}
    }
}
#endif
