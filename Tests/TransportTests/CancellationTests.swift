import Foundation
import Requests
import RequestsTesting
import Synchronization
import Testing

@Suite("An exchange that is given up, over each transport")
struct CancellationTests {
    @Test("cancelling the task while waiting for the head", arguments: TransportKind.allCases)
    func waiting(kind: TransportKind) async throws {
        let arrived = AsyncStream.makeStream(of: Void.self)
        let gone = AsyncStream.makeStream(of: Void.self)
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            arrived.continuation.yield()
            while !(try connection.read().isEmpty) {}
            gone.continuation.yield()
        }
        let transport = try kind.makeTransport()
        let request = try AnonymousRequestProvider(baseURL: server.baseURL).get(.data, from: "/").prepared()
        let task = Task { try await transport.send(request) }
        for await _ in arrived.stream { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        // The connection is closed, and not when the transport goes.
        for await _ in gone.stream { break }
        withExtendedLifetime(transport) {}
    }

    @Test("a task that was cancelled before sends nothing", arguments: TransportKind.allCases)
    func before(kind: TransportKind) async throws {
        let server = try LoopbackServer { _ in }
        let transport = try kind.makeTransport()
        let request = try AnonymousRequestProvider(baseURL: server.baseURL).get(.data, from: "/").prepared()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await transport.send(request)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(server.acceptedConnections == 0)
    }

    @Test("cancelling the task that reads the body", arguments: TransportKind.allCases)
    func reading(kind: TransportKind) async throws {
        let server = try serverWithEndlessBody()
        let transport = try kind.makeTransport()
        let request = try AnonymousRequestProvider(baseURL: server.baseURL).get(.data, from: "/").prepared()
        let started = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            for try await _ in try await transport.send(request).content { started.continuation.yield() }
        }
        for await _ in started.stream { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("dropping the body, or cancelling it, closes the connection", arguments: [true, false])
    func dropping(byCancel: Bool) async throws {
        let gone = AsyncStream.makeStream(of: Void.self)
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nsome")
            while !(try connection.read().isEmpty) {}
            gone.continuation.yield()
        }
        let transport = try TransportKind.curl.makeTransport()
        let request = try AnonymousRequestProvider(baseURL: server.baseURL).get(.data, from: "/").prepared()
        let body = try await transport.send(request).content
        if byCancel {
            body.cancel()
            await #expect(throws: CancellationError.self) { for try await _ in body {} }
        }
        _ = consume body
        for await _ in gone.stream { break }
        withExtendedLifetime(transport) {}
    }

    @Test("shutting down ends what is in flight and refuses what comes later", arguments: TransportKind.allCases)
    func shutdown(kind: TransportKind) async throws {
        let arrived = AsyncStream.makeStream(of: Void.self)
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            arrived.continuation.yield()
            while !(try connection.read().isEmpty) {}
        }
        let transport = try kind.makeTransport()
        let request = try AnonymousRequestProvider(baseURL: server.baseURL).get(.data, from: "/").prepared()
        let task = Task { try await transport.send(request) }
        for await _ in arrived.stream { break }
        await transport.shutdown()
        let inFlight = await #expect(throws: TransportError.self) { try await task.value }
        #expect(inFlight?.code == .shutDown)
        let later = await #expect(throws: TransportError.self) { try await transport.send(request) }
        #expect(later?.code == .shutDown)
        await transport.shutdown()
    }

    private func serverWithEndlessBody() throws -> LoopbackServer {
        try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\n\r\n")
            let chunk = [UInt8](repeating: 120, count: 16 << 10)
            while true {
                try connection.write(chunk)
                _ = try? connection.read(within: 0.01)
            }
        }
    }
}
