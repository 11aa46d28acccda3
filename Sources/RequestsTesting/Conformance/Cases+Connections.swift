import Foundation
import Requests
import RequestsClient

/// Connections: made, kept, and lost.
extension TransportConformance.Case {
    static let connections: [Self] = [
        refusedConnection, unknownHost, reuse, closeIsHonoured, staleConnection, manyAtOnce, twoAtOnce,
        noRepetition,
    ]

    /// A port where nobody listens is an error.
    public static let refusedConnection = Self("refusedConnection", "a refused connection is an error") { context in
        let server = try context.keep(LoopbackServer.refusing())
        let error = try await context.expectFailure(.cannotConnect) { try await context.get(server) }
        try context.expect(!error.requestMayHaveBeenProcessed, "the error does not say that nothing was sent")
    }

    /// A name without an address is an error.
    public static let unknownHost = Self("unknownHost", "a name without an address is an error") { context in
        let request = try PreparedRequest(url: RequestURL("http://name.invalid/"))
        let error = try await context.expectFailure(.nameNotResolved) { try await context.exchange(request) }
        try context.expect(!error.requestMayHaveBeenProcessed, "the error does not say that nothing was sent")
    }

    /// Exchanges one after the other share a connection.
    public static let reuse = Self("reuse", "exchanges one after the other share a connection") { context in
        let server = try context.serveHTTP { _ in .init(200, body: Data("ok".utf8)) }
        for _ in 0..<10 { _ = try await context.get(server) }
        try context.expect(server.acceptedConnections, is: 1, "the number of connections")
    }

    /// A connection that the server announces to close is not used again.
    public static let closeIsHonoured = Self("closeIsHonoured", "a connection that will close is not used again") {
        context in
        let server = try context.serveHTTP { _ in
            .init(200, header: [Field(name: "Connection", value: "close")], body: Data("ok".utf8))
        }
        for _ in 0..<3 { _ = try await context.get(server) }
        try context.expect(server.acceptedConnections, is: 3, "the number of connections")
    }

    /// A kept connection that the server has closed meanwhile costs a new one, not an error.
    public static let staleConnection = Self("staleConnection", "a kept connection that is dead is replaced") {
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

    /// Exchanges run beside each other.
    public static let manyAtOnce = Self("manyAtOnce", "a hundred exchanges at once do not mix") { context in
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

    /// An exchange does not wait for the end of another, with a server that nothing is known of.
    public static let twoAtOnce = Self("twoAtOnce", "an exchange does not wait until another is over") { context in
        // The server answers neither request before it has both.
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

    /// A request that may have been processed is not sent again.
    public static let noRepetition = Self("noRepetition", "a request that fails is not sent again") { context in
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
        // The second request goes over the kept connection, which then closes without an answer.
        _ = try await context.get(server)
        let second = try context.request(.post, server, body: .data(Data("x".utf8)))
        try await context.expectFailure(.closed) { try await context.exchange(second) }
        try context.expect(requests.withLock { $0 }, is: 2, "the number of requests")
    }
}
