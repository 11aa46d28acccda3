import Dispatch
import Requests
import RequestsClient
import RequestsTesting

/// Cases about response bodies: their sizes, streaming and limits.
extension TransportConformance.Case {
    static let bodies: [Self] = [
        bodiesOfEverySize, incrementalBody, bodyReadOnce, unreadBody, collectLimit, backPressure,
    ]

    /// One period of the pattern, built once because a sanitizer makes building it slow.
    private static let period = Data((0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })

    /// Returns bytes whose period (65,521) matches no buffer size, so a lost or moved chunk changes the result.
    static func pattern(_ count: Int) -> Data {
        var data = Data(capacity: count + period.count)
        while data.count < count { data += period }
        return data.prefix(count)
    }

    /// Bodies of 0 bytes to 16 MiB arrive whole.
    public static let bodiesOfEverySize = Self(
        "bodiesOfEverySize",
        "bodies of 0 bytes to 16 MiB arrive whole"
    ) { context in
        for size in [0, 1, 1023, 65_536, 1_000_001, 16 << 20] {
            let body = pattern(size)
            let server = try context.serveHTTP { _ in .init(200, body: body) }
            let received = try await context.get(server).content
            try context.expect(
                received == body,
                "received \(received.count) bytes that differ from the \(size) bytes sent"
            )
        }
    }

    /// The transport delivers each chunk as soon as it arrives.
    public static let incrementalBody = Self("incrementalBody", "each chunk is delivered as it arrives") { context in
        let received = TransportConformance.Signal()
        let server = try context.serve { connection in
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst")
            // Sends the rest only after the client has received the first part.
            Task {
                await received.wait()
                try connection.write("other")
            }
            while !(try connection.read().isEmpty) {}
        }
        let body = try await context.transport.send(context.request(.get, server)).content
        var data = Data()
        for try await chunk in body {
            try context.expect(!chunk.isEmpty, "a chunk is empty")
            data += chunk
            if data == Data("first".utf8) { received.send() }
        }
        try context.expect(data, is: Data("firstother".utf8), "the body")
    }

    /// A body that was read to its end fails with `unsupported` when it is read again.
    public static let bodyReadOnce = Self("bodyReadOnce", "a body can be read only once") {
        context in
        let server = try context.serveHTTP { _ in .init(200, body: Data("hello".utf8)) }
        let body = try await context.transport.send(context.request(.get, server)).content
        try context.expect(try await body.collect(upTo: 100), is: Data("hello".utf8), "the body")
        try await context.expectFailure(.unsupported) { try await body.collect(upTo: 100) }
    }

    /// A body that is released before its end doesn't affect other requests.
    public static let unreadBody = Self("unreadBody", "dropping an unread body doesn't affect other requests") {
        context in
        let server = try context.serveHTTP { request in
            .init(200, body: request.path == "/large" ? Data(count: 8 << 20) : Data("ok".utf8))
        }
        for _ in 0..<5 {
            _ = try await context.transport.send(context.request(.get, server, path: "/large"))
            var iterator = try await context.transport.send(context.request(.get, server, path: "/large"))
                .content.makeAsyncIterator()
            _ = try await iterator.next()
        }
        let response = try await context.exchange(context.request(.get, server, path: "/small"))
        try context.expect(response.content, is: Data("ok".utf8), "the body")
    }

    /// Collecting a body fails as soon as it exceeds the limit, and closes the connection.
    public static let collectLimit = Self("collectLimit", "collecting fails as soon as the limit is exceeded") {
        context in
        let gone = TransportConformance.Signal()
        let server = try context.serve { connection in
            defer { gone.send() }
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
            // Sends small pieces, so that the limit is reached while the client waits for more.
            for _ in 0..<10 {
                try connection.write([UInt8](repeating: 120, count: 10_000))
                _ = try? connection.read(within: .milliseconds(5))
            }
            while !(try connection.read().isEmpty) {}
        }
        let body = try await context.transport.send(context.request(.get, server)).content
        try await context.expectFailure(.tooLarge) { try await body.collect(upTo: 99_999) }
        await gone.wait()
        let exact = try context.serveHTTP { _ in .init(200, body: Data(count: 1000)) }
        let response = try await context.transport.send(context.request(.get, exact))
        try context.expect(try await response.content.collect(upTo: 1000).count, is: 1000, "the number of bytes")
    }

    /// The transport stops receiving while the body isn't read. If it lacks the `backPressure` capability, the body
    /// must fail with `tooLarge` instead of filling memory.
    public static let backPressure = Self("backPressure", "the transport stops receiving while the body isn't read") {
        context in
        // More bytes than the buffers of the transport and the system can hold, which grow to tens of MiB.
        let total = 128 << 20
        guard context.transport.capabilities.contains(.backPressure) else {
            return try await expectUnreadLimit(total, context)
        }
        let progress = AsyncStream.makeStream(of: Int.self)
        let mayContinue = DispatchSemaphore(value: 0)
        let server = try context.serve { connection in
            defer { progress.continuation.finish() }
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(total)\r\n\r\n")
            try writeInSteps(total, to: connection) { sent in
                progress.continuation.yield(sent)
                mayContinue.wait()
            }
        }
        defer {
            server.stop()
            mayContinue.signal()
        }
        let body = try await context.transport.send(context.request(.get, server)).content
        var chunks = body.makeAsyncIterator()
        var (received, lastSent, attempts) = (0, 0, 0)
        for await sent in progress.stream {
            let ahead = sent - received
            try context.expect(ahead < 32 << 20, "the transport received \(ahead >> 20) MiB that nothing read")
            attempts = sent > lastSent ? 0 : attempts + 1
            lastSent = sent
            // Reads only after the server failed to write many times, which gives a faulty transport time to read
            // ahead. The first wait is the longest, because a busy machine delays that transport, too.
            let isStalled = attempts > 0 && attempts.isMultiple(of: received == 0 ? 10_000 : 50)
            if isStalled { received += try await chunks.next()?.count ?? 0 }
            mayContinue.signal()
        }
        while let chunk = try await chunks.next() { received += chunk.count }
        try context.expect(received, is: total, "the number of bytes")
    }

    /// Expects that a body fails if the server sends all of it before the client reads any.
    private static func expectUnreadLimit(_ total: Int, _ context: TransportConformance.Context) async throws {
        let end = TransportConformance.Signal()
        let server = try context.serve { connection in
            _ = try connection.readRequest()
            try connection.write(.init(200, body: Data(count: total)))
        }
        var request = try context.request(.get, server)
        // Not when the server has sent everything, because a proxy may hold it.
        request.options.observer = { if case .ended = $0 { end.send() } }
        let body = try await context.transport.send(request).content
        await end.wait()
        try await context.expectFailure(.tooLarge) { for try await _ in body {} }
    }

    /// Writes bytes. Reports the number written so far whenever the client must read before more fit, and at the end.
    private static func writeInSteps(
        _ total: Int,
        to connection: LoopbackServer.Connection,
        _ report: (_ sent: Int) -> Void
    ) throws {
        let piece = [UInt8](repeating: 120, count: 256 << 10)
        var sent = 0
        while sent < total {
            let count = try connection.writeAvailable(piece.prefix(total - sent))
            sent += count
            if count == 0 { report(sent) }
        }
        report(sent)
    }
}
