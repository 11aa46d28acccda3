import Dispatch
import Requests
import RequestsClient
import RequestsTesting

/// Cases about cancellation at each stage of an exchange.
extension TransportConformance.Case {
    static let cancellation: [Self] = [
        canceledBeforeSending, canceledWhileConnecting, canceledWhileSending, canceledWhileWaiting,
        canceledWhileReading, canceledWhilePaused, canceledDuringRedirect, droppedBody,
    ]

    /// Starts an exchange, waits for the server's signal, cancels, and expects `CancellationError`.
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

    /// A task that is already canceled sends nothing.
    public static let canceledBeforeSending = Self("canceledBeforeSending", "a canceled task sends nothing") {
        context in
        let server = try context.serve { _ in }
        let request = try context.request(.get, server)
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await context.exchange(request)
        }
        try await context.expectCancellation { try await task.value }
        try context.expect(server.acceptedConnections, is: 0, "the number of connections")
    }

    /// Cancellation stops a connection attempt that hangs.
    public static let canceledWhileConnecting = Self(
        "canceledWhileConnecting",
        "cancellation stops a connection attempt that hangs"
    ) { context in
        let server = try context.track(LoopbackServer.unresponsive())
        let request = try context.request(.get, server)
        let task = Task { try await context.exchange(request) }
        // Nothing signals that the attempt hangs, so wait a moment before canceling.
        try await Task.sleep(for: .milliseconds(200))
        task.cancel()
        try await context.expectCancellation { try await task.value }
    }

    /// Cancellation stops an upload that the server doesn't read, and closes the connection.
    public static let canceledWhileSending = Self("canceledWhileSending", "cancellation stops a stalled upload") {
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
            // Reads nothing more, so that the upload fills all buffers and stalls.
            cancelled.wait()
            while case let count = try connection.read().count, count > 0 { received.withLock { $0 += count } }
        }
        let request = try context.request(.post, server, body: .data(Data(count: size)))
        try await cancel(request, when: stalled, context)
        cancelled.signal()
        await gone.wait()
        try context.expect(received.withLock { $0 } < size, "the whole body was sent despite the cancellation")
    }

    /// Cancellation ends the wait for a response, and closes the connection.
    public static let canceledWhileWaiting = Self("canceledWhileWaiting", "cancellation ends the wait for a response") {
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

    /// Cancellation ends reading a body, and closes the connection.
    public static let canceledWhileReading = Self("canceledWhileReading", "cancellation ends reading a body") {
        context in
        let (arrived, gone) = (TransportConformance.Signal(), TransportConformance.Signal())
        let server = try context.serve { connection in
            // A failed read also counts, because unread bytes turn the close into a reset.
            defer { gone.send() }
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome")
            arrived.send()
            while !(try connection.read().isEmpty) {}
        }
        try await cancel(context.request(.get, server), when: arrived, context)
        await gone.wait()
    }

    /// Canceling a body that isn't being read ends it, and closes the connection.
    public static let canceledWhilePaused = Self("canceledWhilePaused", "a body that isn't being read can be canceled")
    {
        context in
        let gone = TransportConformance.Signal()
        let server = try serveEndlessBody(gone, context)
        let body = try await context.transport.send(context.request(.get, server)).content
        try await Task.sleep(for: .milliseconds(200))
        body.cancel()
        try await context.expectCancellation { for try await _ in body {} }
        await gone.wait()
    }

    /// Cancellation while a redirect arrives returns the redirect or throws `CancellationError`. The transport stays
    /// usable.
    public static let canceledDuringRedirect = Self(
        "canceledDuringRedirect",
        "cancellation during a redirect ends in the redirect or CancellationError"
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
                // Also signals if the exchange fails before the request arrives.
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

    /// Releasing a body without reading it closes its connection.
    public static let droppedBody = Self("droppedBody", "dropping a body closes its connection") { context in
        let gone = TransportConformance.Signal()
        let server = try serveEndlessBody(gone, context)
        _ = try await context.transport.send(context.request(.get, server))
        await gone.wait()
    }

    private static func serveEndlessBody(
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
                _ = try? connection.read(within: .milliseconds(5))
            }
        }
    }
}
