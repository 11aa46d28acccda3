import RequestsClient
import Testing

@Suite("Response bodies made from a sequence", .timeLimit(.minutes(5)))
struct SequenceSourceTests {
    private struct Broken: Error, Equatable {}

    private let cancellations = Recorder<Void>()

    private func stream() -> (AsyncStream<Data>, AsyncStream<Data>.Continuation) {
        AsyncStream.makeStream(of: Data.self)
    }

    @Test("The reader gets the sequence's error")
    func failure() async throws {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: Data.self)
        continuation.yield(Data("ab".utf8))
        continuation.finish(throwing: Broken())
        let body = ResponseBody(stream)
        #expect(try await body.makeAsyncIterator().next() == Data("ab".utf8))
        await #expect(throws: Broken()) { try await body.makeAsyncIterator().next() }
    }

    @Test("`collect` throws the sequence's error and returns no part of the body")
    func failureOfCollect() async throws {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: Data.self)
        continuation.yield(Data("ab".utf8))
        continuation.finish(throwing: Broken())
        await #expect(throws: Broken()) { try await ResponseBody(stream).collect(upTo: 100) }
    }

    @Test("Dropping the last copy calls onCancel exactly once")
    func dropping() {
        let (stream, continuation) = stream()
        continuation.yield(Data("ab".utf8))
        var body: ResponseBody? = ResponseBody(stream, onCancel: { [cancellations] in cancellations.record() })
        let copy = body
        body = nil
        #expect(cancellations.count == 0)
        _ = consume copy
        #expect(cancellations.count == 1)
    }

    @Test("An iterator keeps the body alive")
    func iteratorKeepsTheBody() async throws {
        let (stream, continuation) = stream()
        continuation.yield(Data("ab".utf8))
        var iterator: ResponseBody.AsyncIterator? = ResponseBody(
            stream,
            onCancel: { [cancellations] in cancellations.record() }
        )
        .makeAsyncIterator()
        #expect(try await iterator?.next() == Data("ab".utf8))
        #expect(cancellations.count == 0)
        iterator = nil
        #expect(cancellations.count == 1)
    }

    @Test("Canceling twice and dropping call onCancel exactly once")
    func cancellingTwice() {
        do {
            let body = ResponseBody(stream().0, onCancel: { [cancellations] in cancellations.record() })
            body.cancel()
            body.cancel()
            #expect(cancellations.count == 1)
        }
        #expect(cancellations.count == 1)
    }

    @Test("A body that was read to its end never calls onCancel")
    func notCanceled() async throws {
        do {
            let (stream, continuation) = stream()
            continuation.yield(Data("ab".utf8))
            continuation.finish()
            let body = ResponseBody(stream, onCancel: { [cancellations] in cancellations.record() })
            _ = try await body.collect(upTo: 100)
            body.cancel()
        }
        #expect(cancellations.count == 0)
    }

    @Test("A body larger than the limit is canceled")
    func tooLarge() async throws {
        let (stream, continuation) = stream()
        continuation.yield(Data("abc".utf8))
        let body = ResponseBody(stream, onCancel: { [cancellations] in cancellations.record() })
        await #expect(throws: TransportError.self) { try await body.collect(upTo: 2) }
        #expect(cancellations.count == 1)
        await #expect(throws: CancellationError.self) { try await body.collect(upTo: 100) }
    }

    @Test("Canceling the reading task throws CancellationError and frees the connection at once")
    func cancellingTheTask() async throws {
        let (stream, continuation) = stream()
        continuation.yield(Data("ab".utf8))
        let body = ResponseBody(stream, onCancel: { [cancellations] in cancellations.record() })
        let (firstChunk, arrived) = AsyncStream.makeStream(of: Data?.self)
        let task = Task {
            let iterator = body.makeAsyncIterator()
            arrived.yield(try await iterator.next())
            return try await iterator.next()
        }
        for await chunk in firstChunk.prefix(1) { #expect(chunk == Data("ab".utf8)) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(cancellations.count == 1)
        withExtendedLifetime(body) {}
    }

    @Test("Canceling the collecting task throws CancellationError and returns no part of the body")
    func cancellingCollect() async throws {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: Data.self)
        continuation.yield(Data("ab".utf8))
        let body = ResponseBody(stream, onCancel: { [cancellations] in cancellations.record() })
        let task = Task { try await body.collect(upTo: 100) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(cancellations.count == 1)
    }

    @Test("The trailers are requested only after the end")
    func trailers() async throws {
        let asked = Recorder<Void>()
        let (stream, continuation) = stream()
        continuation.yield(Data("ab".utf8))
        continuation.finish()
        let body = ResponseBody(
            stream,
            trailers: {
                asked.record()
                return [Field(name: "X-Checksum", value: "1")]
            }
        )
        #expect(body.trailers == nil)
        #expect(try await body.makeAsyncIterator().next() == Data("ab".utf8))
        #expect(body.trailers == nil)
        #expect(asked.count == 0)
        #expect(try await body.makeAsyncIterator().next() == nil)
        #expect(body.trailers == [Field(name: "X-Checksum", value: "1")])
    }

    @Test("A failed or canceled body has no trailers")
    func noTrailers() async throws {
        let failing = ResponseBody(
            AsyncThrowingStream<Data, any Error> { throw Broken() },
            trailers: { [.accept(.json)] }
        )
        await #expect(throws: Broken()) { try await failing.collect(upTo: 1) }
        #expect(failing.trailers == nil)
        let canceled = ResponseBody(stream().0, trailers: { [.accept(.json)] })
        canceled.cancel()
        #expect(canceled.trailers == nil)
    }

    @Test("Two tasks that read at once get an error, and not each other's bytes")
    func twoReaders() async throws {
        let (stream, continuation) = stream()
        let body = ResponseBody(stream)
        async let first = Result(awaiting: { try await body.makeAsyncIterator().next() })
        async let second = Result(awaiting: { try await body.makeAsyncIterator().next() })
        // One task waits. The other one gets an error, and then ends the wait.
        continuation.yield(Data("ab".utf8))
        continuation.finish()
        let results = await [first, second]
        let chunks = results.compactMap { try? $0.get() }
        #expect(chunks.filter { $0 == Data("ab".utf8) }.count == 1)
        for case .failure(let error) in results { #expect((error as? TransportError)?.code == .unsupported) }
    }
}
