import Dispatch
import Requests
import RequestsClient
import RequestsTesting

/// Cases about connections that break while a response arrives.
extension TransportConformance.Case {
    /// A connection that closes within the response header is an error, not an empty response.
    public static let truncatedHead = replies(
        "truncatedHead",
        "a connection that closes within the response header is an error",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n",
        "HTTP/1.1 200 OK\r\nContent-Len",
        fail: .truncated
    )

    /// A connection that closes before or within the status line is an error.
    public static let closedBeforeResponse = replies(
        "closedBeforeResponse",
        "a connection that closes before a complete status line is an error",
        "",
        "HTTP/1.1 20",
        fail: .closed
    )

    /// A reset before the response is the same error as a close.
    public static let resetBeforeResponse = Self("resetBeforeResponse", "a reset before the response is an error") {
        context in
        let server = try context.serve { connection in
            _ = try connection.readRequest()
            connection.reset()
        }
        try await context.expectFailure(.closed) { try await context.get(server) }
    }

    /// A reset within the body is the same error as a close there.
    public static let resetInBody = Self("resetInBody", "a reset within the body is an error") { context in
        let mayReset = DispatchSemaphore(value: 0)
        defer { mayReset.signal() }
        let server = try context.serve { connection in
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\ncut short")
            // A reset discards what the client hasn't read yet, so wait until the head has arrived.
            mayReset.wait()
            connection.reset()
        }
        try await context.expectFailure(.truncated) {
            let response = try await context.transport.send(context.request(.get, server))
            mayReset.signal()
            return try await response.content.collect(upTo: 100)
        }
    }
}
