import RequestsConformance
import RequestsTesting
import Testing

@testable import RequestsCurl

@Suite("HTTP/2 connections", .timeLimit(.minutes(5)))
struct SharedConnectionsTests {
    @Test(
        "1000 exchanges at once share 8 connections if the server allows 128 streams on each",
        .enabled(if: LinkedLibcurl.sharesAtOnce, "this libcurl shares no connection without TLS before a response")
    )
    func thousand() async throws {
        struct TooManyConnections: Error { let count: Int }

        // A server whose settings come late counts as one that allows 100 streams.
        try await TransportConformance.atSlowerPaces { pace in
            let connections = try await connections(forExchanges: 1000, settlingTime: .milliseconds(200 * pace))
            guard connections <= 8 else { throw TooManyConnections(count: connections) }
        }
    }

    /// Makes exchanges with a server that allows 128 streams, and returns the number of its connections.
    private func connections(forExchanges count: Int, settlingTime: Duration) async throws -> Int {
        let open = Locked<[(LoopbackServer.Connection, UInt32)]>([])
        let server = try LoopbackServer { connection in
            try connection.acceptHTTP2(.settings([.maxConcurrentStreams: 128]))
            try connection.readStreams { stream in
                // Responds when all requests have arrived.
                let all = open.withLock { open in
                    open.append((connection, stream))
                    return open.count == count ? open : []
                }
                for (connection, stream) in all {
                    try connection.write(.headers([":status": "204"], on: stream, endStream: true))
                }
            }
        }
        defer { server.stop() }
        var configuration = CurlTransport.Configuration()
        configuration.httpVersion = .http2WithPriorKnowledge
        configuration.settlingTime = settlingTime
        let transport = try CurlTransport(configuration: configuration)
        let request = try PreparedRequest(
            url: RequestURL(server.baseURL.absoluteString),
            options: CallOptions(timeouts: .unlimited)
        )
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<count { group.addTask { try await transport.send(request).head.statusCode } }
            for try await status in group { #expect(status == 204) }
        }
        return server.acceptedConnections
    }

    @Test(
        "An exchange that waits for another's connection has its own timeouts",
        arguments: [
            (Timeouts(connect: .milliseconds(100), idle: .seconds(86_400)), .connect),
            (Timeouts(idle: .milliseconds(100)), .idle),
        ] as [(Timeouts, TransportError.Limit)]
    )
    func timeout(timeouts: Timeouts, limit: TransportError.Limit) async throws {
        let server = try LoopbackServer.unresponsive()
        defer { server.stop() }
        let transport = try CurlTransport()
        let url = try RequestURL("https://127.0.0.1:\(server.port)/")
        let first = Task {
            try await transport.send(PreparedRequest(url: url, options: CallOptions(timeouts: .unlimited)))
        }
        defer { first.cancel() }
        let options = CallOptions(timeouts: timeouts)
        let error = await #expect(throws: TransportError.self) {
            try await transport.send(PreparedRequest(url: url, options: options))
        }
        #expect(error?.code == .timedOut(limit))
    }
}

extension LinkedLibcurl {
    /// Whether exchanges without TLS share an HTTP/2 connection before its first response. libcurl 8.12.1 and 8.16.0
    /// do, 8.14.1 doesn't.
    fileprivate static let sharesAtOnce = !Quirks.linked.switchesAgain && version != 814
}
