import Requests
import RequestsClient
import RequestsTesting

/// Cases about opening, reusing and losing connections.
extension TransportConformance.Case {
    static let connections: [Self] = [
        refusedConnection, unknownHost, reuse, connectionClose, staleConnection, concurrentRequests, noQueueing,
        noAutomaticRetry,
    ]

    /// A refused connection is an error.
    public static let refusedConnection = Self("refusedConnection", "a refused connection is an error") { context in
        let server = try context.track(LoopbackServer.refusing())
        let error = try await context.expectFailure(.cannotConnect) { try await context.get(server) }
        try context.expect(
            !error.requestMayHaveBeenProcessed,
            "the error doesn't rule out that the request was processed"
        )
    }

    /// A host name that doesn't resolve is an error.
    public static let unknownHost = Self("unknownHost", "a host name that doesn't resolve is an error") { context in
        let request = try PreparedRequest(url: RequestURL("http://name.invalid/"))
        let error = try await context.expectFailure(.nameNotResolved) { try await context.exchange(request) }
        try context.expect(
            !error.requestMayHaveBeenProcessed,
            "the error doesn't rule out that the request was processed"
        )
    }

    /// Sequential requests share a connection.
    public static let reuse = Self("reuse", "sequential requests share a connection") { context in
        let server = try context.serveHTTP { _ in .init(200, body: Data("ok".utf8)) }
        for _ in 0..<10 { _ = try await context.get(server) }
        try context.expect(server.acceptedConnections, is: 1, "the number of connections")
    }

    /// A connection isn't reused after `Connection: close`.
    public static let connectionClose = Self("connectionClose", "a connection isn't reused after Connection: close") {
        context in
        let server = try context.serveHTTP { _ in
            .init(200, header: [Field(name: "Connection", value: "close")], body: Data("ok".utf8))
        }
        for _ in 0..<3 { _ = try await context.get(server) }
        try context.expect(server.acceptedConnections, is: 3, "the number of connections")
    }

    /// If the server has closed an idle connection, the transport opens a new one instead of failing.
    public static let staleConnection = Self("staleConnection", "a stale idle connection is replaced") {
        context in
        let server = try context.serve { connection in
            guard let request = try connection.readRequest() else { return }
            try connection.write(.init(200, body: request.body))
        }
        for round in 0..<5 {
            let body = Data("round \(round)".utf8)
            let request = try context.request(.put, server, body: .data(body))
            try context.expect(try await context.exchange(request).content, is: body, "the body")
        }
    }

    /// Concurrent requests don't get each other's responses.
    public static let concurrentRequests = Self("concurrentRequests", "a hundred concurrent requests don't mix") {
        context in
        let server = try context.serveHTTP { request in .init(200, body: Data(request.path.utf8)) }
        try await withThrowingTaskGroup { group in
            for number in 0..<100 {
                group.addTask {
                    let request = try context.request(.get, server, path: "/\(number)")
                    try context.expect(
                        try await context.exchange(request).content,
                        is: Data("/\(number)".utf8),
                        "the body"
                    )
                }
            }
            try await group.waitForAll()
        }
    }

    /// A request doesn't wait for the end of another one, even if the server's HTTP version isn't known yet.
    public static let noQueueing = Self("noQueueing", "a request doesn't wait for the end of another one") { context in
        // The server responds to neither request until it has both.
        let first = Locked<LoopbackServer.Connection?>(nil)
        let server = try context.serve { connection in
            while try connection.readRequest() != nil {
                let other = first.withLock { first in
                    if first == nil { first = connection }
                    return first === connection ? nil : first
                }
                for connection in other.map({ [$0, connection] }) ?? [] { try connection.write(.init(200)) }
            }
        }
        async let other = context.get(server)
        try context.expect(try await context.get(server).head.statusCode, is: 200, "the status")
        try context.expect(try await other.head.statusCode, is: 200, "the status")
    }

    /// A request that may have been processed isn't sent again.
    public static let noAutomaticRetry = Self("noAutomaticRetry", "a failed request isn't sent again") { context in
        let requests = Locked(0)
        let server = try context.serve { connection in
            while try connection.readRequest() != nil {
                let count = requests.withLock { count in
                    count += 1
                    return count
                }
                if count > 1 { return }
                try connection.write(.init(200, body: Data("ok".utf8)))
            }
        }
        // The second request reuses the connection, which then closes without a response.
        _ = try await context.get(server)
        let second = try context.request(.post, server, body: .data(Data("x".utf8)))
        try await context.expectFailure(.closed) { try await context.exchange(second) }
        try context.expect(requests.withLock { $0 }, is: 2, "the number of requests")
    }
}
