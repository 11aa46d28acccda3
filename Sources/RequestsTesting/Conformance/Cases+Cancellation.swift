import Foundation
import Requests
import RequestsClient

/// Exchanges that are given up.
extension TransportConformance.Case {
    static let cancellation: [Self] = [
        cancelledBefore, cancelledWhileConnecting, cancelledWhileSending, cancelledWhileWaiting, cancelledWhileReading,
        cancelledWhilePaused, cancelledWhileRedirected, droppedBody,
    ]

    /// Starts an exchange, waits for the server's side to be where it should, cancels, and expects the end.
    private static func cancel(
        _ request: PreparedRequest,
        when ready: TransportConformance.Signal,
        _ context: TransportConformance.Context
    ) async throws {
        let task = Task { try await context.exchange(request) }
        await ready.wait()
        task.cancel()
        try await context.expectCancellation { try await task.value }
    }

    /// A task that was cancelled before sends nothing.
    public static let cancelledBefore = Self("cancelledBefore", "a task cancelled before sends nothing") { context in
        let server = try context.serve { _ in }
        let request = try context.request(.get, server)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await context.exchange(request)
        }
        try await context.expectCancellation { try await task.value }
        try context.expect(server.acceptedConnections, is: 0, "the number of connections")
    }

    /// A connection that does not come about is given up at once.
    public static let cancelledWhileConnecting = Self(
        "cancelledWhileConnecting",
        "a connection that hangs is given up at once"
    ) { context in
        let server = try context.keep(LoopbackServer.unresponsive())
        let request = try context.request(.get, server)
        let task = Task { try await context.exchange(request) }
        // There is nothing to see from outside when a connection hangs: it is given a moment to do so.
        try await Task.sleep(for: .milliseconds(200))
        task.cancel()
        try await context.expectCancellation { try await task.value }
    }

    /// A body that the server does not take is given up at once, and the connection with it.
    public static let cancelledWhileSending = Self("cancelledWhileSending", "an upload that stalls can be given up") {
        context in
        let (stalled, gone) = (TransportConformance.Signal(), TransportConformance.Signal())
        let cancelled = DispatchSemaphore(value: 0)
        let received = Locked(0)
        defer { cancelled.signal() }
        let size = 64 << 20
        let server = try context.serve { connection in
            defer { gone.send() }
            _ = try connection.readHead()
            stalled.send()
            // Nothing more is read: the body fills the buffers between the two, and then waits.
            cancelled.wait()
            while case let count = try connection.read().count, count > 0 { received.withLock { $0 += count } }
        }
        let request = try context.request(.post, server, body: .data(Data(count: size)))
        try await cancel(request, when: stalled, context)
        cancelled.signal()
        await gone.wait()
        try context.expect(received.withLock { $0 } < size, "the whole body was sent nonetheless")
    }

    /// Waiting for a head is given up at once, and the connection with it.
    public static let cancelledWhileWaiting = Self("cancelledWhileWaiting", "waiting for a head can be given up") {
        context in
        let (arrived, gone) = (TransportConformance.Signal(), TransportConformance.Signal())
        let server = try context.serve { connection in
            defer { gone.send() }
            _ = try connection.readRequest()
            arrived.send()
            while !(try connection.read().isEmpty) {}
        }
        try await cancel(context.request(.get, server), when: arrived, context)
        await gone.wait()
    }

    /// Reading a body is given up at once, and the connection with it.
    public static let cancelledWhileReading = Self("cancelledWhileReading", "reading a body can be given up") {
        context in
        let (arrived, gone) = (TransportConformance.Signal(), TransportConformance.Signal())
        let server = try context.serve { connection in
            // Bytes that were not read make a reset of the end: that is an end, too.
            defer { gone.send() }
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome")
            arrived.send()
            while !(try connection.read().isEmpty) {}
        }
        try await cancel(context.request(.get, server), when: arrived, context)
        await gone.wait()
    }

    /// A body that nobody reads is given up at once, and the connection with it.
    public static let cancelledWhilePaused = Self("cancelledWhilePaused", "a body that waits can be given up") {
        context in
        let gone = TransportConformance.Signal()
        let server = try serverOfAnEndlessBody(gone, context)
        let body = try await context.transport.send(context.request(.get, server)).content
        try await Task.sleep(for: .milliseconds(200))
        body.cancel()
        try await context.expectCancellation { for try await _ in body {} }
        await gone.wait()
    }

    /// Giving up while a redirect arrives gives the one or the other, and the transport goes on.
    public static let cancelledWhileRedirected = Self(
        "cancelledWhileRedirected",
        "giving up while a redirect arrives gives the one or the other"
    ) { context in
        let arrived = Locked(TransportConformance.Signal())
        let server = try context.serve { connection in
            while try connection.readRequest() != nil {
                arrived.withLock { $0 }.send()
                try connection.write("HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n")
            }
        }
        let request = try context.request(.get, server)
        for _ in 0..<100 {
            let signal = TransportConformance.Signal()
            arrived.withLock { $0 = signal }
            let task = Task {
                // An exchange that fails before it arrives is over, too.
                defer { signal.send() }
                return try await context.exchange(request)
            }
            await signal.wait()
            task.cancel()
            do {
                try context.expect(try await task.value.head.statusCode, is: 302, "the status")
            } catch is CancellationError {}
        }
        try context.expect(try await context.exchange(request).head.statusCode, is: 302, "the status")
    }

    /// A body that is dropped frees its connection.
    public static let droppedBody = Self("droppedBody", "dropping a body frees its connection") { context in
        let gone = TransportConformance.Signal()
        let server = try serverOfAnEndlessBody(gone, context)
        _ = try await context.transport.send(context.request(.get, server))
        await gone.wait()
    }

    private static func serverOfAnEndlessBody(
        _ gone: TransportConformance.Signal,
        _ context: TransportConformance.Context
    ) throws -> LoopbackServer {
        try context.serve { connection in
            defer { gone.send() }
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\n\r\n")
            let chunk = [UInt8](repeating: 120, count: 16 << 10)
            while true {
                try connection.write(chunk)
                _ = try? connection.read(within: 0.005)
            }
        }
    }
}
