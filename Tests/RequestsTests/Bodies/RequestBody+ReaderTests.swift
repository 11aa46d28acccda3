import Foundation
import RequestsConformance
import RequestsTesting
import Testing

@Suite("Body readers", .timeLimit(.minutes(5)))
struct RequestBodyReaderTests {
    private func bytes(of body: RequestBody) async throws -> Data {
        let reader = try body.makeReader()
        var bytes = Data()
        while let chunk = try await reader.next() {
            #expect(!chunk.isEmpty)
            bytes += chunk
        }
        #expect(try await reader.next() == nil, "reading after the end gives the end again")
        return bytes
    }

    @Test("no body and an empty body give no bytes")
    func empty() async throws {
        #expect(try await bytes(of: .none).isEmpty)
        #expect(try await bytes(of: .data(Data())).isEmpty)
        #expect(try await bytes(of: .oneShot(Data())).isEmpty)
        #expect(try await bytes(of: .oneShot(Data(), length: 0)).isEmpty)
    }

    @Test(
        "all bytes are given in order, from memory and from streams of known and unknown length",
        arguments: [1, 5, 65_535, 65_536, 65_537, 300_000]
    )
    func whole(count: Int) async throws {
        let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        #expect(try await bytes(of: .data(data)) == data)
        #expect(try await bytes(of: .oneShot(data)) == data)
        #expect(try await bytes(of: .oneShot(data, length: Int64(count))) == data)
    }

    @Test("collecting a body of any kind gives all its bytes")
    func collected() async throws {
        let hello = Data("hello".utf8)
        let file = URL(filePath: #filePath)
        let pieces = AsyncStream<Data> { continuation in
            for byte in hello { continuation.yield(Data([byte])) }
            continuation.finish()
        }
        let bodies: [RequestBody] = [
            .data(hello), .oneShot(hello), .replayable(hello), .chunks(pieces),
        ]
        for body in bodies { #expect(try await body.collect(upTo: 5) == hello) }
        #expect(try await bodies[0].collect(upTo: 5) == hello, "a body in memory can be read again")
        #expect(try await RequestBody.none.collect(upTo: 0).isEmpty)
        #expect(try await RequestBody.file(file, range: 0..<17).collect(upTo: 17) == Data("import Foundation".utf8))
        var header = Header.empty
        let form = try BodyProvider.multipart([.field("a", "1"), .file("f", file)]).body(updating: &header)
        #expect(try await form.collect(upTo: 1 << 20) == bytes(of: form))
    }

    @Test("collecting throws an error that names the limit, without reading a body whose known length exceeds it")
    func collectedBeyond() async throws {
        let hello = Data("hello".utf8)
        let stream = RequestBody.oneShot(hello, length: 5)
        for body in [.data(hello), stream, .replayable(hello)] {
            let error = await #expect(throws: RequestError.self) { try await body.collect(upTo: 4) }
            #expect(error?.code == .bodyTooLarge)
            #expect(error?.subject == "body")
            #expect(error?.message.contains("is larger than 4 bytes") == true)
        }
        #expect(try await stream.collect(upTo: 5) == hello)
        let error = await #expect(throws: RequestError.self) { try await stream.collect(upTo: 5) }
        #expect(error?.code == .bodyAlreadyRead)
    }

    @Test("opening a one-shot stream twice throws instead of giving an empty body")
    func twice() async throws {
        let body = RequestBody.oneShot(Data("hello".utf8))
        _ = try body.makeReader()
        for _ in 0..<2 {
            let error = #expect(throws: RequestError.self) { _ = try body.makeReader() }
            #expect(error?.code == .bodyAlreadyRead)
            #expect(error?.subject == "body")
        }
    }

    @Test("only one of several tasks that open a one-shot stream gets it")
    func race() async throws {
        for _ in 0..<50 {
            let body = RequestBody.oneShot(Data("hello".utf8))
            let opened = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<4 { group.addTask { (try? body.makeReader()) != nil } }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(opened == 1)
        }
    }

    @Test(
        "a stream that ends before its stated length is an error, not a truncated request",
        arguments: [0, 1, 70_000]
    )
    func short(missing: Int64) async throws {
        let data = Data(count: 70_000)
        let body = RequestBody.oneShot(data, length: 70_001 + missing)
        let error = await #expect(throws: RequestError.self) { try await bytes(of: body) }
        #expect(error?.code == .bodyLengthMismatch)
        #expect(error?.message == "The body's source ended \(1 + missing) bytes before its stated length.")
    }

    @Test(
        "a stream that is longer than its stated length is an error, and no byte beyond the length is given",
        arguments: [0, 1, 65_536, 69_999] as [Int64]
    )
    func long(length: Int64) async throws {
        let reader = try RequestBody.oneShot(Data(count: 70_000), length: length).makeReader()
        var received: Int64 = 0
        let error = await #expect(throws: RequestError.self) {
            while let chunk = try await reader.next() { received += Int64(chunk.count) }
        }
        #expect(error?.code == .bodyLengthMismatch)
        #expect(error?.message.contains("more than its stated length") == true)
        #expect(received <= length)
    }

    @Test("reading a blocking stream doesn't block the caller's actor")
    @MainActor
    func blockingStream() async throws {
        let source = GatedSource()
        let gate = source.gate
        let reader = try source.body().makeReader()
        let reading = Task { @MainActor in try await reader.next() }
        for _ in 0..<3 { await Task.yield() }
        gate.signal()
        #expect(try await reading.value == Data("a".utf8))
    }

    @Test("a sequence that is longer than its stated length fails after the last chunk, and a stream before it")
    func longAtChunkBoundary() async throws {
        let five = Data("hello".utf8)
        let (source, pieces) = AsyncStream.makeStream(of: Data.self)
        for _ in 0..<2 { pieces.yield(five) }
        pieces.finish()
        let chunkSize = 256 << 10
        let sequence = try RequestBody.chunks(source, length: 5).makeReader()
        #expect(try await sequence.next() == five)
        let stream = RequestBody.oneShot(Data(count: chunkSize + 1), length: Int64(chunkSize))
        for reader in [sequence, try stream.makeReader()] {
            let error = await #expect(throws: RequestError.self) { try await reader.next() }
            #expect(error?.code == .bodyLengthMismatch)
        }
    }

    @Test("a stream is opened when it is first read, not when the reader is made")
    func lateOpening() async throws {
        let opened = Recorder<Void>()
        let body = RequestBody.stream(reading: {
            opened.record()
            return { _ in nil }
        })
        let reader = try body.makeReader()
        #expect(opened.count == 0)
        #expect(try await reader.next() == nil)
        #expect(opened.count == 1)
    }

    @Test("the last chunk of a known length is given when it is there, not when the source ends")
    func lastChunk() async throws {
        let (source, pieces) = AsyncStream.makeStream(of: Data.self)
        pieces.yield(Data("hel".utf8))
        pieces.yield(Data("lo".utf8))
        let reader = try RequestBody.chunks(source, length: 5).makeReader()
        #expect(try await reader.next() == Data("hel".utf8))
        #expect(try await reader.next() == Data("lo".utf8), "the source hasn't ended")
        pieces.finish()
        #expect(try await reader.next() == nil)
    }

    @Test("the last chunk of a blocking stream is given when it is there, not when the stream ends")
    func lastChunkOfStream() async throws {
        let source = GatedSource()
        let gate = source.gate
        let reader = try source.body(length: 1).makeReader()
        gate.signal()
        #expect(try await reader.next() == Data("a".utf8))
        gate.signal()
        let error = await #expect(throws: RequestError.self) { try await reader.next() }
        #expect(error?.code == .bodyLengthMismatch)
    }
}

/// A source that gives one byte when its gate opens.
private final class GatedSource: Sendable {
    let gate = DispatchSemaphore(value: 0)

    func body(length: Int64? = nil) -> RequestBody {
        .stream(
            length: length,
            reading: { [gate] in
                // The limit only turns a deadlock into a failure.
                { _ in gate.wait(timeout: .now() + 600) == .success ? Data("a".utf8) : nil }
            }
        )
    }
}
