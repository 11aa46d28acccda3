import Foundation
import Requests
import RequestsClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What is refused, and when everything ends.
extension TransportConformance.Case {
    static let options: [Self] = [
        invalidRequest, unsupportedCachePolicy, unsupportedMethods, shutdownEndsWhatIsInFlight,
        shutdownRefusesWhatComes,
    ]

    /// Expects that a request is refused without a connection.
    private static func refused(
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
        throw TransportConformance.Unmet(description: "it was not refused")
    }

    /// A request that would be more than one on the wire is refused (RFC 9110 §5.5).
    public static let invalidRequest = Self("invalidRequest", "a request that smuggles a line is refused") { context in
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
            let error = try await refused(context) { server in
                var request = try context.request(.get, server)
                change(&request)
                return request
            }
            try context.expect(error is RequestError, "the error is not RequestError but \(error)")
        }
    }

    /// A cache policy that cannot be met is refused.
    public static let unsupportedCachePolicy = Self(
        "unsupportedCachePolicy",
        "a cache policy that cannot be met is refused"
    ) { context in
        try await context.expectFailure(.unsupported) {
            throw try await refused(context) { server in
                var request = try context.request(.get, server)
                request.options.cachePolicy = .returnCacheDataDontLoad
                return request
            }
        }
    }

    /// A method that makes no exchange is refused, and a body that would not be sent.
    public static let unsupportedMethods = Self("unsupportedMethods", "CONNECT is refused, and HEAD with a body") {
        context in
        try await context.expectFailure(.unsupported) {
            throw try await refused(context) { try context.request(.connect, $0) }
        }
        try await context.expectFailure(.unsupported) {
            throw try await refused(context) { try context.request(.head, $0, body: .data(Data("x".utf8))) }
        }
    }

    /// Shutting down ends what is in flight.
    public static let shutdownEndsWhatIsInFlight = Self(
        "shutdownEndsWhatIsInFlight",
        "shutting down ends what is in flight"
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
        try await context.expectFailure(.shutDown) { try await task.value }
        try await context.expectFailure(.shutDown) { try await body.collect(upTo: 100) }
    }

    /// A transport that was shut down refuses what comes, and can be shut down again.
    public static let shutdownRefusesWhatComes = Self(
        "shutdownRefusesWhatComes",
        "a transport that was shut down refuses what comes"
    ) { context in
        await context.transport.shutdown()
        try await context.expectFailure(.shutDown) {
            throw try await refused(context) { try context.request(.get, $0) }
        }
        await context.transport.shutdown()
    }
}
