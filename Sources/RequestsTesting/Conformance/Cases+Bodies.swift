import Foundation
import Requests
import RequestsClient

/// Bodies of responses: of every size, read in every way.
extension TransportConformance.Case {
    static let bodies: [Self] = [
        bodiesOfEverySize, bodyAsItArrives, bodyReadOnce, unreadBody, collectLimit, backPressure,
    ]

    /// Made once: cases that need many bodies would wait for it under a sanitizer.
    private static let period = Data((0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })

    /// Bytes with a period that no buffer has, so that what is lost or moved shows.
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
            try context.expect(received == body, "\(received.count) bytes of \(size) arrived, or others")
        }
    }

    /// A chunk is there as soon as it was sent.
    public static let bodyAsItArrives = Self("bodyAsItArrives", "a chunk is there as soon as it was sent") { context in
        let received = TransportConformance.Signal()
        let server = try context.serve { connection in
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst")
            // The rest waits for the client to say, on a connection of its own, that it has the first part.
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

    /// What was read does not come again.
    public static let bodyReadOnce = Self("bodyReadOnce", "a body is read once, by all its readers together") {
        context in
        let server = try context.serveHTTP { _ in .init(200, body: Data("hello".utf8)) }
        let body = try await context.transport.send(context.request(.get, server)).content
        try context.expect(try await body.collect(upTo: 100), is: Data("hello".utf8), "the body")
        try context.expect(try await body.collect(upTo: 100), is: Data(), "what is left after the end")
    }

    /// A body that nobody reads disturbs no other exchange.
    public static let unreadBody = Self("unreadBody", "a body that is dropped disturbs no other exchange") { context in
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

    /// Collecting ends as soon as more than its limit has come, and the exchange with it.
    public static let collectLimit = Self("collectLimit", "collecting ends above its limit, at once") { context in
        let gone = TransportConformance.Signal()
        let server = try context.serve { connection in
            defer { gone.send() }
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
            // In pieces, so that the limit is met while the body is waited for.
            for _ in 0..<10 {
                try connection.write([UInt8](repeating: 120, count: 10_000))
                _ = try? connection.read(within: 0.005)
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

    /// Receiving stops while nobody reads, and goes on where it stopped; without the capability the wait ends in a
    /// clear error.
    public static let backPressure = Self("backPressure", "receiving stops while nobody reads") {
        context in
        let canPause = context.transport.capabilities.contains(.backPressure)
        // More than a transport and the system's buffers hold together, which grow to tens of MiB.
        let total = 256 << 20
        let (stall, end) = (TransportConformance.Signal(), TransportConformance.Signal())
        let sent = Locked(0)
        let server = try context.serve { connection in
            // However it ends: the client may hang up, or take everything.
            defer { end.send() }
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(total)\r\n\r\n")
            let chunk = [UInt8](repeating: 120, count: 1 << 20)
            for _ in 0..<(total / chunk.count) {
                try connection.write(chunk, stallAfter: 0.5) { stall.send() }
                sent.withLock { $0 += chunk.count }
            }
            // Everything was taken: there will be no stall to wait for.
            stall.send()
        }
        let body = try await context.transport.send(context.request(.get, server)).content
        guard canPause else {
            try await context.expectFailure(.tooLarge) {
                await end.wait()
                for try await _ in body {}
            }
            return
        }
        await stall.wait()
        let waiting = sent.withLock { $0 }
        try context.expect(waiting < 32 << 20, "\(waiting >> 20) MiB were taken from the server while nobody read")
        var count = 0
        for try await chunk in body { count += chunk.count }
        try context.expect(count, is: total, "the number of bytes")
    }
}
