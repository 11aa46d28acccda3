import Requests
import RequestsClient
import RequestsTesting

/// Cases about the timeouts of a request.
extension TransportConformance.Case {
    static let timeouts: [Self] = [
        connectTimeout, idleBeforeHead, idleInBody, slowBodyIsNotIdle, totalTimeout, totalTimeoutInBody,
        attemptTimeout, slowReaderIsNotIdle, slowSourceIsNotIdle, idleInRefusal,
    ]

    /// Starts a server that sends a body one byte at a time, with a pause after each.
    private static func serveSlowly(
        _ count: Int,
        every pause: Duration,
        _ context: TransportConformance.Context
    ) throws -> LoopbackServer {
        try context.serve { connection in
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n")
            for _ in 0..<count {
                try connection.write("x")
                _ = try? connection.read(within: pause)
            }
        }
    }

    /// Expects a timeout of 300 milliseconds that isn't reported before 250.
    private static func expectTimeout<Result>(
        _ limit: TransportError.Limit,
        _ context: TransportConformance.Context,
        of operation: () async throws -> Result
    ) async throws {
        let start = ContinuousClock.now
        try await context.expectFailure(.timedOut(limit), from: operation)
        let time = ContinuousClock.now - start
        try context.expect(time >= .milliseconds(250), "the timeout of 0.3 seconds was reported after \(time)")
    }

    /// A connection attempt that hangs ends with the connect timeout. A transport without the `connectTimeout`
    /// capability rejects the request.
    public static let connectTimeout = Self(
        "connectTimeout",
        "the connect timeout ends a connection attempt that hangs"
    ) {
        context in
        let server = try context.track(LoopbackServer.unresponsive())
        let request = try context.request(.get, server, timeouts: Timeouts(connect: .milliseconds(300)))
        guard context.transport.capabilities.contains(.connectTimeout) else {
            try await context.expectFailure(.unsupported) { try await context.exchange(request) }
            return
        }
        try await expectTimeout(.connect, context) { try await context.exchange(request) }
    }

    /// The idle timeout ends the wait for a response.
    public static let idleBeforeHead = Self("idleBeforeHead", "the idle timeout ends the wait for a response") {
        context in
        let server = try context.playKeepingOpen("")
        let request = try context.request(.get, server, timeouts: Timeouts(idle: .milliseconds(300)))
        try await expectTimeout(.idle, context) { try await context.exchange(request) }
    }

    /// The idle timeout ends a body that stalls.
    public static let idleInBody = Self("idleInBody", "the idle timeout ends a body that stalls") {
        context in
        let server = try context.playKeepingOpen("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome")
        let request = try context.request(.get, server, timeouts: Timeouts(idle: .milliseconds(300)))
        try await expectTimeout(.idle, context) { try await context.exchange(request) }
    }

    /// A body may take longer than the idle timeout, as long as no pause within it does.
    public static let slowBodyIsNotIdle = Self("slowBodyIsNotIdle", "the idle timeout doesn't end a slow body") {
        context in
        try await TransportConformance.atSlowerPaces { pace in
            let server = try serveSlowly(24, every: .milliseconds(50 * pace), context)
            let request = try context.request(.get, server, timeouts: Timeouts(idle: .seconds(pace)))
            try context.expect(try await context.exchange(request).content.count, is: 24, "the number of bytes")
        }
    }

    /// The total timeout ends the wait for a response.
    public static let totalTimeout = Self("totalTimeout", "the total timeout ends the wait for a response") {
        context in
        let server = try context.playKeepingOpen("")
        let request = try context.request(.get, server, timeouts: Timeouts(total: .milliseconds(300)))
        try await expectTimeout(.total, context) { try await context.exchange(request) }
    }

    /// The total timeout ends a slow body.
    public static let totalTimeoutInBody = Self("totalTimeoutInBody", "the total timeout ends a slow body") {
        context in
        let server = try serveSlowly(1_000_000, every: .milliseconds(50), context)
        let request = try context.request(.get, server, timeouts: Timeouts(total: .milliseconds(300)))
        try await expectTimeout(.total, context) { try await context.exchange(request) }
    }

    /// The attempt timeout ends a slow body, with an error that a client may retry.
    public static let attemptTimeout = Self("attemptTimeout", "the attempt timeout ends a slow body") { context in
        let server = try serveSlowly(1_000_000, every: .milliseconds(50), context)
        let request = try context.request(.get, server, timeouts: Timeouts(attempt: .milliseconds(300)))
        try await expectTimeout(.attempt, context) { try await context.exchange(request) }
    }

    /// The idle timeout doesn't run while a slow reader pauses the transfer.
    public static let slowReaderIsNotIdle = Self(
        "slowReaderIsNotIdle",
        "the idle timeout doesn't run while a slow reader pauses the transfer"
    ) {
        context in
        guard context.transport.capabilities.contains(.backPressure) else {
            throw TransportConformance.Inapplicable(reason: "the transport has no back-pressure")
        }
        let size = 32 << 20
        let server = try context.serveHTTP { _ in .init(200, body: Data(count: size)) }
        try await TransportConformance.atSlowerPaces { pace in
            let request = try context.request(.get, server, timeouts: Timeouts(idle: .milliseconds(300 * pace)))
            let body = try await context.transport.send(request).content
            try await Task.sleep(for: .milliseconds(700 * pace))
            var count = 0
            for try await chunk in body { count += chunk.count }
            try context.expect(count, is: size, "the number of bytes")
        }
    }

    /// The idle timeout doesn't run while the request's own source keeps the server waiting.
    public static let slowSourceIsNotIdle = streamed(
        "slowSourceIsNotIdle",
        "the idle timeout doesn't run while a slow source pauses the upload",
        rejected: { .chunks(AsyncStream<Data> { $0.finish() }) }
    ) { context in
        let server = try context.serveHTTP { .init(200, body: $0.body) }
        try await TransportConformance.atSlowerPaces { pace in
            let (source, pieces) = AsyncStream.makeStream(of: Data.self)
            let timeouts = Timeouts(idle: .milliseconds(300 * pace))
            let request = try context.request(.post, server, body: .chunks(source), timeouts: timeouts)
            pieces.yield(Data("one.".utf8))
            async let content = context.exchange(request).content
            try await Task.sleep(for: .milliseconds(700 * pace))
            pieces.yield(Data("two.".utf8))
            pieces.finish()
            try await context.expect(content, is: Data("one.two.".utf8), "the echo")
        }
    }

    /// After a refusal, the server doesn't wait for the source any more.
    public static let idleInRefusal = streamed(
        "idleInRefusal",
        "the idle timeout ends a refusal that stalls, whatever the source does",
        rejected: { .chunks(AsyncStream<Data> { $0.finish() }) }
    ) { context in
        let server = try context.serve { connection in
            _ = try connection.readHead()
            try connection.write("HTTP/1.1 409 Conflict\r\nContent-Length: 100\r\n\r\nsome")
            while !(try connection.read().isEmpty) {}
        }
        let (source, pieces) = AsyncStream.makeStream(of: Data.self)
        pieces.yield(Data("one.".utf8))
        let timeouts = Timeouts(idle: .milliseconds(300))
        let request = try context.request(.post, server, body: .chunks(source), timeouts: timeouts)
        try await expectTimeout(.idle, context) { try await context.exchange(request) }
        pieces.finish()
    }
}
