import Foundation
import RequestsClient
import Testing

/// Runs on the main actor: after a yield, the reader's task is suspended.
@Suite("Suspended readers of a body channel", .timeLimit(.minutes(5)))
@MainActor
struct BodyChannelReaderTests {
    private struct Broken: Error, Equatable {}

    private let events = Recorder<String>()

    private func channel(highWater: Int = 10) throws -> BodyChannel {
        try .recorded(in: events, highWater: highWater)
    }

    private func waiting<Value: Sendable>(_ read: @escaping @MainActor () async throws -> Value) async -> Task<
        Value, any Error
    > {
        let task = Task { @MainActor in try await read() }
        for _ in 0..<3 { await Task.yield() }
        return task
    }

    @Test("A suspended reader gets the next chunk without buffering")
    func chunk() async throws {
        let channel = try channel()
        let reader = await waiting { try await channel.next() }
        #expect(channel.push(bytes(20)) == .more)
        #expect(try await reader.value == bytes(20))
        #expect(channel.push(bytes(9)) == .more)
    }

    @Test("A suspended reader gets the end", arguments: [true, false])
    func end(isComplete: Bool) async throws {
        let channel = try channel()
        let reader = await waiting { try await channel.next() }
        channel.finish(isComplete ? .success(nil) : .failure(Broken()))
        switch await reader.result {
        case .success(let chunk): #expect(isComplete && chunk == nil)
        case .failure(let error): #expect(!isComplete && error is Broken)
        }
    }

    @Test("A canceled reader gets no bytes, even if there are some, and the writer is canceled")
    func canceled() async throws {
        let channel = try channel()
        #expect(channel.push(bytes(5)) == .more)
        let reader = Task { @MainActor in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await channel.next()
        }
        await #expect(throws: CancellationError.self) { try await reader.value }
        #expect(events.recorded == ["cancel"])
    }

    @Test("Collecting doesn't make the writer pause")
    func collect() async throws {
        let channel = try channel()
        let reader = await waiting { try await channel.collect(upTo: 100) }
        for _ in 0..<4 { #expect(channel.push(bytes(25)) == .more) }
        channel.finish(.success(nil))
        #expect(try await reader.value == bytes(100))
        #expect(events.recorded.isEmpty)
        #expect(try await channel.collect(upTo: 100).isEmpty)
    }

    @Test("Collecting resumes a paused writer")
    func collectResumes() async throws {
        let channel = try channel()
        #expect(channel.push(bytes(10)) == .pause)
        let reader = await waiting { try await channel.collect(upTo: 100) }
        #expect(events.recorded == ["resume"])
        channel.finish(.success(nil))
        #expect(try await reader.value == bytes(10))
    }

    @Test("Collecting doesn't pause a writer that writes before the reader is suspended")
    func collectWhileResuming() async throws {
        let channel = try channel(highWater: 10)
        let written = bytes(30)
        let demand = Recorder<BodyChannel.Demand>()
        let writer = RecordingWriter(onResume: {
            demand.record(channel.push(written))
            demand.record(channel.push(written))
            channel.finish(.success(nil))
        })
        channel.attach(writer)
        #expect(channel.push(bytes(10)) == .pause)
        #expect(try await channel.collect(upTo: 100) == bytes(70))
        #expect(demand.recorded == [.more, .more])
    }

    @Test("Collecting stops the writer at the first byte beyond the limit", arguments: [0, 7, 99])
    func collectLimit(limit: Int) async throws {
        let channel = try channel()
        let reader = await waiting { try await channel.collect(upTo: limit) }
        if limit > 0 { #expect(channel.push(bytes(limit)) == .more) }
        #expect(channel.push(bytes(1)) == .stop)
        #expect(channel.push(bytes(1)) == .stop)
        let error = await #expect(throws: TransportError.self) { try await reader.value }
        #expect(error?.code == .tooLarge)
        #expect(error?.message.contains("https://h/?token=REDACTED is larger than \(limit) bytes") == true)
        #expect(channel.trailers == nil)
    }

    @Test("Collecting frees the connection if too many bytes are already there")
    func collectTooMuch() async throws {
        let channel = try channel()
        _ = channel.push(bytes(8))
        let error = await #expect(throws: TransportError.self) { try await channel.collect(upTo: 7) }
        #expect(error?.code == .tooLarge)
        #expect(events.recorded == ["cancel"])
    }

    @Test("Collecting throws the body's failure and returns no part of it")
    func collectFailure() async throws {
        let channel = try channel()
        let reader = await waiting { try await channel.collect(upTo: 100) }
        _ = channel.push(bytes(8))
        channel.finish(.failure(Broken()))
        await #expect(throws: Broken()) { try await reader.value }
    }

    @Test("Canceling the reader's task cancels the writer", arguments: [true, false])
    func canceledTask(isCollecting: Bool) async throws {
        let channel = try channel()
        let reader = await waiting { isCollecting ? try await channel.collect(upTo: 100) : try await channel.next() }
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        #expect(events.recorded == ["cancel"])
        #expect(channel.push(bytes(1)) == .stop)
    }

    @Test("Canceling the body resumes the reader")
    func canceledBody() async throws {
        let channel = try channel()
        let reader = await waiting { try await channel.next() }
        channel.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        #expect(events.recorded == ["cancel"])
    }

    @Test("A second reader gets an error, and the first one its chunk")
    func secondReader() async throws {
        let channel = try channel()
        let reader = await waiting { try await channel.next() }
        let error = await #expect(throws: TransportError.self) { try await channel.next() }
        #expect(error?.code == .unsupported)
        await #expect(throws: TransportError.self) { try await channel.collect(upTo: 1) }
        _ = channel.push(bytes(1))
        #expect(try await reader.value == bytes(1))
    }

    @Test("A writer on another thread that pauses on demand passes every byte in order")
    func thread() async throws {
        let resumed = DispatchSemaphore(value: 0)
        let channel = BodyChannel(from: try RequestURL("https://h"), highWater: 100)
        channel.attach(RecordingWriter(onResume: { resumed.signal() }))
        let pauses = Recorder<Void>()
        let writer = Thread {
            for index in 0..<20_000 {
                guard case .pause = channel.push(Data("\(index),".utf8)) else { continue }
                pauses.record()
                resumed.wait()
            }
            channel.finish(.success(nil))
        }
        writer.start()
        var received = Data()
        while let chunk = try await channel.next() { received += chunk }
        #expect(received == Data((0..<20_000).map { "\($0)," }.joined().utf8))
    }
}
