import Requests
import RequestsClient
import RequestsTesting

extension TransportConformance.Case {
    /// A transport with the `requestTrailers` capability creates the trailers after it has read the body, and sends
    /// them after it. Other transports reject the request.
    public static let requestTrailers = Self(
        "requestTrailers",
        "request trailers are sent after the body, or rejected"
    ) { context in
        let server = try context.serveHTTP { request in
            .init(200, header: [Field(name: "X-Got", value: request.trailers["X-Sum"] ?? "")], body: request.body)
        }
        let isRead = Locked(false)
        let chunks = AsyncStream<Data> { continuation in
            for text in ["ab", "c"] { continuation.yield(Data(text.utf8)) }
            continuation.finish()
        }
        let noted = chunks.map { chunk in
            isRead.withLock { $0 = chunk == Data("c".utf8) }
            return chunk
        }
        let body = RequestBody.chunks(noted) {
            [Field(name: "X-Sum", value: isRead.withLock { $0 } ? "532" : "too early"), Field(name: "X-B", value: "")]
        }
        let request = try context.request(.put, server, body: body)
        guard context.transport.capabilities.contains(.requestTrailers) else {
            try await context.expectFailure(.unsupported) { try await context.exchange(request) }
            return try context.expect(server.acceptedConnections, is: 0, "the number of connections")
        }
        let response = try await context.exchange(request)
        try context.expect(response.content, is: Data("abc".utf8), "the body")
        try context.expect(response.head.header["X-Got"], is: "532", "the trailer")
        // The next request must work, which fails if a part of the trailers is left on the connection.
        try context.expect(try await context.get(server).head.statusCode, is: 200, "the next status")
    }
}
