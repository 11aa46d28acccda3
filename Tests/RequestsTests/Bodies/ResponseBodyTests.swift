import RequestsClient
import Testing

/// The kinds of bodies, which must follow the same rules.
enum BodyKind: String, CaseIterable, CustomTestStringConvertible, Sendable {
    case data
    case asyncStream
    case asyncThrowingStream
    case channel

    var testDescription: String { rawValue }

    /// Makes a body of chunks that are available. A body in memory joins them.
    func body(of chunks: [String]) throws -> ResponseBody {
        let chunks = chunks.map { Data($0.utf8) }
        switch self {
        case .data:
            return ResponseBody(Data(chunks.joined()))
        case .asyncStream:
            return ResponseBody(
                AsyncStream { continuation in
                    for chunk in chunks { continuation.yield(chunk) }
                    continuation.finish()
                }
            )
        case .asyncThrowingStream:
            return ResponseBody(
                AsyncThrowingStream { continuation in
                    for chunk in chunks { continuation.yield(chunk) }
                    continuation.finish()
                }
            )
        case .channel:
            let channel = BodyChannel(from: try RequestURL("https://h"), highWater: 1 << 20)
            for chunk in chunks where !chunk.isEmpty { _ = channel.push(chunk) }
            channel.finish(.success(nil))
            return ResponseBody(source: ChannelSource(channel, owner: nil))
        }
    }
}

@Suite("Response bodies", .timeLimit(.minutes(5)))
struct ResponseBodyTests {
    @Test("A body returns its bytes in order, and no empty chunk", arguments: BodyKind.allCases)
    func iteration(kind: BodyKind) async throws {
        let body = try kind.body(of: ["ab", "", "c", "", "", "def"])
        var received = Data()
        for try await chunk in body {
            #expect(!chunk.isEmpty)
            received += chunk
        }
        #expect(received == Data("abcdef".utf8))
    }

    @Test("An iterator returns `nil` each time after the end", arguments: BodyKind.allCases)
    func end(kind: BodyKind) async throws {
        let iterator = try kind.body(of: ["ab"]).makeAsyncIterator()
        #expect(try await iterator.next() == Data("ab".utf8))
        for _ in 0..<3 { #expect(try await iterator.next() == nil) }
    }

    @Test("Reading a body a second time is an error that says so, not an empty body", arguments: BodyKind.allCases)
    func readAgain(kind: BodyKind) async throws {
        for isCollected in [true, false] {
            let body = try kind.body(of: ["ab", "cd"])
            if isCollected { _ = try await body.collect(upTo: 10) } else { for try await _ in body {} }
            for _ in 0..<2 {
                let collecting = await #expect(throws: TransportError.self) { try await body.collect(upTo: 10) }
                #expect(collecting?.code == .unsupported)
                #expect(collecting?.message.hasPrefix("the response body was already read") == true)
                await #expect(throws: TransportError.self) { try await body.makeAsyncIterator().next() }
            }
        }
    }

    @Test("An empty body ends at once", arguments: BodyKind.allCases)
    func empty(kind: BodyKind) async throws {
        for chunks in [[], [""]] {
            #expect(try await kind.body(of: chunks).makeAsyncIterator().next() == nil)
            #expect(try await kind.body(of: chunks).collect(upTo: 0).isEmpty)
        }
    }

    @Test("All iterators of a body share one position", arguments: BodyKind.allCases)
    func singlePass(kind: BodyKind) async throws {
        let body = try kind.body(of: ["ab", "cd", "ef"])
        let first = try await body.makeAsyncIterator().next()
        #expect(first == Data(kind == .data ? "abcdef".utf8 : "ab".utf8))
        guard kind != .data else { return }
        #expect(try await body.makeAsyncIterator().next() == Data("cd".utf8))
        #expect(try await body.collect(upTo: 6) == Data("ef".utf8))
    }

    @Test("`collect` reads the rest, up to the limit", arguments: BodyKind.allCases)
    func collect(kind: BodyKind) async throws {
        #expect(try await kind.body(of: ["ab", "cd", "ef"]).collect(upTo: 6) == Data("abcdef".utf8))
        #expect(try await kind.body(of: ["ab", "cd", "ef"]).collect(upTo: .max) == Data("abcdef".utf8))
        for limit in [0, 1, 2, 5] {
            let error = await #expect(throws: TransportError.self) {
                try await kind.body(of: ["ab", "cd", "ef"]).collect(upTo: limit)
            }
            #expect(error?.code == .tooLarge)
            #expect(error?.message.contains("larger than \(limit) bytes") == true)
        }
    }

    @Test("A negative limit doesn't trap, and every byte exceeds it", arguments: BodyKind.allCases)
    func negativeLimit(kind: BodyKind) async throws {
        await #expect(throws: TransportError.self) { try await kind.body(of: ["a"]).collect(upTo: .min) }
    }

    @Test("Reading after `cancel()` throws CancellationError", arguments: BodyKind.allCases)
    func cancel(kind: BodyKind) async throws {
        let body = try kind.body(of: ["ab", "cd"])
        body.cancel()
        for _ in 0..<2 { await #expect(throws: CancellationError.self) { try await body.makeAsyncIterator().next() } }
        await #expect(throws: CancellationError.self) { try await body.collect(upTo: 100) }
        await #expect(throws: CancellationError.self) { try await body.collect(upTo: 1) }
        #expect(body.trailers == nil)
    }

    @Test(
        "`cancel()` after the first chunk discards the rest",
        arguments: [BodyKind.asyncStream, .asyncThrowingStream, .channel]
    )
    func cancelInTheMiddle(kind: BodyKind) async throws {
        let body = try kind.body(of: ["ab", "cd"])
        #expect(try await body.makeAsyncIterator().next() == Data("ab".utf8))
        body.cancel()
        await #expect(throws: CancellationError.self) { try await body.makeAsyncIterator().next() }
        await #expect(throws: CancellationError.self) { try await body.collect(upTo: 100) }
    }

    @Test("`cancel()` after the end changes nothing", arguments: BodyKind.allCases)
    func cancelAfterTheEnd(kind: BodyKind) async throws {
        let body = try kind.body(of: ["ab"])
        #expect(try await body.collect(upTo: 100) == Data("ab".utf8))
        body.cancel()
        body.cancel()
    }

    @Test("A body without trailers returns `nil` for them", arguments: BodyKind.allCases)
    func noTrailers(kind: BodyKind) async throws {
        let body = try kind.body(of: ["ab"])
        #expect(body.trailers == nil)
        _ = try await body.collect(upTo: 100)
        #expect(body.trailers == nil)
    }
}
