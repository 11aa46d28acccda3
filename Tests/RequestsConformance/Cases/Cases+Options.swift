import Requests
import RequestsClient
import RequestsTesting

/// Cases about rejected requests and shutdown.
extension TransportConformance.Case {
    static let options: [Self] = [
        invalidRequest, unsupportedCachePolicy, unsupportedMethods, shutdownEndsExchanges, shutdownRejectsRequests,
    ]

    /// Expects that a request is rejected without a connection, and returns the error.
    private static func rejected(
        _ context: TransportConformance.Context,
        _ build: (LoopbackServer) throws -> PreparedRequest
    ) async throws -> any Error {
        let server = try context.serve { _ in }
        let request = try build(server)
        do {
            _ = try await context.exchange(request)
        } catch {
            try context.expect(server.acceptedConnections, is: 0, "the number of connections")
            return error
        }
        throw TransportConformance.ExpectationFailure(description: "the request was not rejected")
    }

    /// A request is rejected if it would inject a line or another request (RFC 9110 §5.5).
    public static let invalidRequest = Self("invalidRequest", "a request that injects a line is rejected") { context in
        let changes: [@Sendable (inout PreparedRequest) -> Void] = [
            { $0.header.add(Field(name: "X-A", value: "1\r\nX-B: 2")) },
            { $0.header.add(Field(name: "X-A", value: "1\nX-B: 2")) },
            { $0.header.add(Field(name: "X-A", value: "1\0")) },
            { $0.header.add(Field(name: "X-A: 1\r\nX-B", value: "2")) },
            { $0.header.add(Field(name: .transferEncoding, value: "chunked")) },
            { $0.header.add(Field(name: .contentLength, value: "7")) },
            { $0.method = "GET / HTTP/1.1\r\nX-A: 1\r\n\r\nGET" },
        ]
        for change in changes {
            let error = try await rejected(context) { server in
                var request = try context.request(.get, server)
                change(&request)
                return request
            }
            try context.expect(error is RequestError, "the error is \(error), not a RequestError")
        }
    }

    /// A cache policy that the transport can't honor is rejected.
    public static let unsupportedCachePolicy = Self(
        "unsupportedCachePolicy",
        "an unsupported cache policy is rejected"
    ) { context in
        try await context.expectFailure(.unsupported) {
            throw try await rejected(context) { server in
                var request = try context.request(.get, server)
                request.options.cachePolicy = .returnCacheDataDontLoad
                return request
            }
        }
    }

    /// CONNECT, and HEAD with a body, are rejected.
    public static let unsupportedMethods = Self("unsupportedMethods", "CONNECT, and HEAD with a body, are rejected") {
        context in
        try await context.expectFailure(.unsupported) {
            throw try await rejected(context) { try context.request(.connect, $0) }
        }
        try await context.expectFailure(.unsupported) {
            throw try await rejected(context) { try context.request(.head, $0, body: .data(Data("x".utf8))) }
        }
    }

    /// Shutting down ends the exchanges in progress with the code `shutdown`.
    public static let shutdownEndsExchanges = Self(
        "shutdownEndsExchanges",
        "shutting down ends the exchanges in progress"
    ) { context in
        let arrived = TransportConformance.Signal()
        let server = try context.serve { connection in
            let request = try connection.readRequest()
            if request?.path == "/body" {
                try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome")
            } else {
                arrived.send()
            }
            while !(try connection.read().isEmpty) {}
        }
        let body = try await context.transport.send(context.request(.get, server, path: "/body")).content
        let request = try context.request(.get, server, path: "/head")
        let task = Task { try await context.exchange(request) }
        await arrived.wait()
        await context.transport.shutdown()
        try await context.expectFailure(.shutdown) { try await task.value }
        try await context.expectFailure(.shutdown) { try await body.collect(upTo: 100) }
    }

    /// A transport rejects requests after its shutdown, and can be shut down again.
    public static let shutdownRejectsRequests = Self(
        "shutdownRejectsRequests",
        "a transport rejects requests after its shutdown"
    ) { context in
        await context.transport.shutdown()
        try await context.expectFailure(.shutdown) {
            throw try await rejected(context) { try context.request(.get, $0) }
        }
        await context.transport.shutdown()
    }
}
