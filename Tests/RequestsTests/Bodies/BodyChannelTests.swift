import Testing

@testable import Requests
@testable import RequestsClient

@Suite("Body channel", .timeLimit(.minutes(5)))
struct BodyChannelTests {
    private struct Broken: Error, Equatable {}

    private let events = Recorder<String>()

    private func channel(highWater: Int = 10) throws -> BodyChannel {
        try .recorded(in: events, highWater: highWater)
    }

    @Test("The writer is asked to pause at the high-water mark, not below it")
    func pause() throws {
        let channel = try channel()
        #expect(channel.push(bytes(9)) == .more)
        #expect(channel.push(bytes(1)) == .pause)
        #expect(channel.push(bytes(1)) == .pause, "what was on its way is taken")
        #expect(events.recorded.isEmpty)
    }

    @Test("The writer is asked to resume once, at the low-water mark")
    func resume() async throws {
        let channel = try channel()
        for count in [3, 3, 3, 3] { _ = channel.push(bytes(count)) }
        #expect(try await channel.next()?.count == 3)
        #expect(try await channel.next()?.count == 3)
        #expect(events.recorded.isEmpty, "6 of 12 bytes are left")
        #expect(try await channel.next()?.count == 3)
        #expect(events.recorded == ["resume"])
        #expect(try await channel.next()?.count == 3)
        #expect(events.recorded == ["resume"])
    }

    @Test("A chunk after the pause doesn't cancel the pause")
    func overshoot() async throws {
        let channel = try channel()
        for count in [4, 4, 4] { _ = channel.push(bytes(count)) }
        #expect(try await channel.next()?.count == 4)
        #expect(channel.push(bytes(1)) == .pause, "9 bytes are below the high-water mark, and the writer still rests")
        #expect(events.recorded.isEmpty)
        #expect(try await channel.next()?.count == 4)
        #expect(events.recorded == ["resume"])
    }

    @Test("A writer that wasn't asked to pause isn't asked to resume")
    func noResume() async throws {
        let channel = try channel()
        _ = channel.push(bytes(9))
        #expect(try await channel.next()?.count == 9)
        #expect(events.recorded.isEmpty)
    }

    @Test("The writer pauses and resumes any number of times")
    func again() async throws {
        let channel = try channel()
        for _ in 0..<3 {
            #expect(channel.push(bytes(10)) == .pause)
            #expect(try await channel.next()?.count == 10)
        }
        #expect(events.recorded == ["resume", "resume", "resume"])
    }

    @Test("Only the first end counts, and later writes are stopped")
    func finishOnce() async throws {
        let channel = try channel()
        channel.finish(.success([.accept(.json)]))
        channel.finish(.failure(Broken()))
        #expect(channel.push(bytes(1)) == .stop)
        #expect(try await channel.next() == nil)
        #expect(try await channel.next() == nil)
        #expect(channel.trailers == [.accept(.json)])
    }

    @Test("The reader gets the chunks before a failure, and then the failure each time")
    func failure() async throws {
        let channel = try channel()
        _ = channel.push(bytes(1))
        channel.finish(.failure(Broken()))
        channel.finish(.success(nil))
        #expect(try await channel.next() == bytes(1))
        for _ in 0..<2 { await #expect(throws: Broken()) { try await channel.next() } }
        #expect(channel.trailers == nil)
    }

    @Test("The trailers are available after the last chunk was read")
    func trailers() async throws {
        let channel = try channel()
        _ = channel.push(bytes(1))
        #expect(channel.trailers == nil)
        channel.finish(.success([.accept(.json)]))
        #expect(channel.trailers == nil)
        _ = try await channel.next()
        #expect(channel.trailers == [.accept(.json)])
    }

    @Test("Canceling notifies the writer once and stops it")
    func cancel() async throws {
        let channel = try channel()
        _ = channel.push(bytes(8))
        channel.cancel()
        channel.cancel()
        #expect(events.recorded == ["cancel"])
        #expect(channel.push(bytes(1)) == .stop)
        channel.finish(.success([.accept(.json)]))
        await #expect(throws: CancellationError.self) { try await channel.next() }
        await #expect(throws: CancellationError.self) { try await channel.collect(upTo: 5) }
        #expect(channel.trailers == nil)
    }

    @Test("Canceling after the end doesn't notify the writer, and isn't the end of the body for the reader")
    func cancelAfterFinish() async throws {
        let channel = try channel()
        _ = channel.push(bytes(8))
        channel.finish(.success([.accept(.json)]))
        channel.cancel()
        #expect(events.recorded.isEmpty)
        await #expect(throws: CancellationError.self) { try await channel.next() }
        #expect(channel.trailers == nil)
    }

    @Test("The channel releases its writer at the end", arguments: [0, 1, 2])
    func control(end: Int) throws {
        final class Transfer: Sendable {}
        weak var transfer: Transfer?
        let channel = BodyChannel(from: try RequestURL("https://h"), highWater: 10)
        do {
            let held = Transfer()
            transfer = held
            channel.attach(RecordingWriter(onResume: { withExtendedLifetime(held) {} }))
        }
        #expect(transfer != nil)
        switch end {
        case 0: channel.finish(.success(nil))
        case 1: channel.finish(.failure(Broken()))
        default: channel.cancel()
        }
        #expect(transfer == nil)
    }

    @Test("A writer that is attached after the end isn't retained")
    func lateControl() throws {
        let channel = BodyChannel(from: try RequestURL("https://h"), highWater: 10)
        channel.finish(.success(nil))
        channel.attach(RecordingWriter(onResume: {}, onCancel: { [events] in events.record("cancel") }))
        channel.cancel()
        #expect(events.recorded.isEmpty)
    }

    @Test("Dropping the source cancels the body and releases the owner")
    func dropping() async throws {
        final class Owner: Sendable {}
        let channel = try channel()
        weak var owner: Owner?
        do {
            let held = Owner()
            owner = held
            let body = ResponseBody(source: ChannelSource(channel, owner: consume held))
            #expect(owner != nil)
            #expect(events.recorded.isEmpty)
            withExtendedLifetime(body) {}
        }
        #expect(owner == nil)
        #expect(events.recorded == ["cancel"])
        #expect(channel.push(bytes(1)) == .stop)
    }

    @Test("Canceling a failed or completely read body changes nothing")
    func lateCancel() async throws {
        let failed = try channel()
        failed.finish(.failure(Broken()))
        failed.cancel()
        await #expect(throws: Broken.self) { try await failed.next() }
        let ended = try channel()
        ended.finish(.success([Field(name: "X-Sum", value: "1")]))
        ended.cancel()
        #expect(try await ended.next() == nil)
        #expect(ended.trailers?.count == 1)
    }

    // MARK: Buffered chunks

    @Test("Chunks that were read are freed, even if some are always unread")
    func room() throws {
        var chunks = BufferedChunks()
        for number in 0..<3 { chunks.append(Data([UInt8(number)])) }
        for number in 3..<10_000 {
            #expect(chunks.popFirst() == Data([UInt8(truncatingIfNeeded: number - 3)]))
            chunks.append(Data([UInt8(truncatingIfNeeded: number)]))
        }
        #expect(chunks.byteCount == 3)
        #expect(chunks.joined == Data((9997..<10_000).map { UInt8(truncatingIfNeeded: $0) }))
        let kept = try #require(Mirror(reflecting: chunks).descendant("others") as? [Data])
        #expect(kept.count < 100)
    }
}
