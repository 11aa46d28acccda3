import Foundation
import Requests
import RequestsClient

/// The limits of ``Timeouts``.
extension TransportConformance.Case {
    static let timeouts: [Self] = [
        connectTimeout, idleWhileWaiting, idleInsideTheBody, idleIsNotTotal, totalTimeout, totalInsideTheBody,
        slowReaderIsNotIdle,
    ]

    /// Starts a server that sends a body of `count` bytes, one byte at a time with a pause after each.
    private static func drip(
        _ count: Int,
        every seconds: Double,
        _ context: TransportConformance.Context
    ) throws -> LoopbackServer {
        try context.serve { connection in
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n")
            for _ in 0..<count {
                try connection.write("x")
                _ = try? connection.read(within: seconds)
            }
        }
    }

    /// Expects the end with a limit of 300 milliseconds, and not long before.
    private static func expectTimeout<Result>(
        _ limit: TransportError.Limit,
        _ context: TransportConformance.Context,
        of operation: () async throws -> Result
    ) async throws {
        let start = ContinuousClock.now
        try await context.expectFailure(.timedOut(limit), from: operation)
        let time = ContinuousClock.now - start
        try context.expect(time >= .milliseconds(250), "it ended after \(time), before its limit of 0.3 seconds")
    }

    /// A connection that does not come about ends with the connect timeout, or that is refused.
    public static let connectTimeout = Self("connectTimeout", "a connection that hangs ends with its timeout") {
        context in
        let server = try context.keep(LoopbackServer.unresponsive())
        let request = try context.request(.get, server, timeouts: Timeouts(connect: .milliseconds(300)))
        guard context.transport.capabilities.contains(.connectTimeout) else {
            try await context.expectFailure(.unsupported) { try await context.exchange(request) }
            return
        }
        try await expectTimeout(.connect, context) { try await context.exchange(request) }
    }

    /// A server that never answers ends with the idle timeout.
    public static let idleWhileWaiting = Self("idleWhileWaiting", "silence before the head ends with its timeout") {
        context in
        let server = try context.playAndWait("")
        let request = try context.request(.get, server, timeouts: Timeouts(idle: .milliseconds(300)))
        try await expectTimeout(.idle, context) { try await context.exchange(request) }
    }

    /// A server that stops in the midst of a body ends with the idle timeout.
    public static let idleInsideTheBody = Self("idleInsideTheBody", "silence inside the body ends with its timeout") {
        context in
        let server = try context.playAndWait("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome")
        let request = try context.request(.get, server, timeouts: Timeouts(idle: .milliseconds(300)))
        try await expectTimeout(.idle, context) { try await context.exchange(request) }
    }

    /// A body that takes longer than the idle timeout, without a pause of that length, arrives.
    public static let idleIsNotTotal = Self("idleIsNotTotal", "a slow body is not idle") { context in
        try await TransportConformance.atSlowerPaces { pace in
            let server = try drip(24, every: 0.05 * Double(pace), context)
            let request = try context.request(.get, server, timeouts: Timeouts(idle: .seconds(pace)))
            try context.expect(try await context.exchange(request).content.count, is: 24, "the number of bytes")
        }
    }

    /// A server that never answers ends with the total timeout.
    public static let totalTimeout = Self("totalTimeout", "a server that never answers ends with the total timeout") {
        context in
        let server = try context.playAndWait("")
        let request = try context.request(.get, server, timeouts: Timeouts(total: .milliseconds(300)))
        try await expectTimeout(.total, context) { try await context.exchange(request) }
    }

    /// A body that drips ends with the total timeout.
    public static let totalInsideTheBody = Self("totalInsideTheBody", "a body that drips ends with the total timeout") {
        context in
        let server = try drip(1_000_000, every: 0.05, context)
        let request = try context.request(.get, server, timeouts: Timeouts(total: .milliseconds(300)))
        try await expectTimeout(.total, context) { try await context.exchange(request) }
    }

    /// The idle timeout does not run while the reader is the slow side, where receiving then pauses.
    public static let slowReaderIsNotIdle = Self("slowReaderIsNotIdle", "a slow reader is not an idle server") {
        context in
        guard context.transport.capabilities.contains(.backPressure) else {
            throw TransportConformance.Inapplicable(reason: "the transport does not pause")
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
}
