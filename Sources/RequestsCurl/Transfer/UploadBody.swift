#if canImport(CRequestsCurl)
import CRequestsCurl
import Requests
import RequestsClient
import RequestsSystem

/// A request body that libcurl reads chunk by chunk. A chunk is loaded after the one before it has been sent.
///
/// The loop's thread calls the methods. The chunks arrive on other threads.
final class UploadBody: Sendable {
    enum Step {
        case bytes(Int)
        case pause
        case fail
    }

    private struct State {
        var chunk = Data()
        var offset = 0
        /// The number of bytes that libcurl has taken.
        var taken: Int64 = 0
        var isEnded = false
        /// Whether libcurl was told that the body ends.
        var isEndTaken = false
        var failure: (any Error)?
        var reader: RequestBody.Reader?
        /// The task that waits for a chunk. Canceled with the upload, because a source may never return.
        var reading: Task<Void, Never>?
        var isStarved = false
        /// Whether nothing may be sent before the server asks for it.
        var isHeld = false
        var isClosed = false
        /// The reader's generation: chunks from an earlier reader are ignored.
        var generation = 0
        var resume: (@Sendable () -> Void)?
    }

    /// libcurl before 8.7 fails with more, including the last line break, as if it were out of memory.
    private static let maximumTrailers = (64 << 10) - 2

    private let state = Locked(State())
    private let body: RequestBody
    private let awaitsContinue: Bool

    /// - Parameter awaitsContinue: Whether to send nothing before ``release()``.
    init(_ body: RequestBody, awaitsContinue: Bool) { (self.body, self.awaitsContinue) = (body, awaitsContinue) }

    var isHeld: Bool { state.withLock { $0.isHeld } }

    /// Lets libcurl send the body, if it was held.
    func release() {
        let resume = state.withLock { state in
            guard state.isHeld else { return nil as (@Sendable () -> Void)? }
            (state.isHeld, state.isStarved) = (false, false)
            return state.resume
        }
        resume?()
    }

    var failure: (any Error)? { state.withLock { $0.failure } }

    /// Starts reading the source.
    ///
    /// - Parameter resume: Called when a chunk arrives that the loop was waiting for.
    func start(resume: @escaping @Sendable () -> Void) throws {
        state.withLock { $0.resume = resume }
        try readFromStart()
    }

    /// Reads the body from its start. A body in memory is a single chunk.
    private func readFromStart() throws {
        let reader = body.data == nil ? try body.makeReader() : nil
        let reading = state.withLock { state in
            state.generation += 1
            (state.chunk, state.offset, state.taken) = (body.data ?? Data(), 0, 0)
            (state.isEnded, state.isEndTaken, state.isStarved, state.failure) = (reader == nil, false, false, nil)
            (state.reader, state.isHeld) = (reader, awaitsContinue)
            return state.reading
        }
        reading?.cancel()
        readNext()
    }

    private func readNext() {
        let (reader, generation) = state.withLock { ($0.reader, $0.generation) }
        let reading = reader?.next { [self] chunk in take(chunk, generation) }
        state.withLock { $0.reading = reading }
    }

    private func take(_ chunk: Result<Data?, any Error>, _ generation: Int) {
        let resume = state.withLock { state -> (@Sendable () -> Void)? in
            guard !state.isClosed, state.generation == generation else { return nil }
            switch chunk {
            case .success(let chunk?): (state.chunk, state.offset) = (chunk, 0)
            case .success(nil): state.isEnded = true
            case .failure(let error): (state.isEnded, state.failure) = (true, error)
            }
            guard state.isStarved, !state.isHeld else { return nil }
            state.isStarved = false
            return state.resume
        }
        resume?()
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Step {
        let (step, isSent) = state.withLock { state -> (Step, Bool) in
            if state.failure != nil { return (.fail, false) }
            guard !state.isHeld else {
                state.isStarved = true
                return (.pause, false)
            }
            let count = min(buffer.count, state.chunk.count - state.offset)
            guard count > 0 else {
                (state.isStarved, state.isEndTaken) = (!state.isEnded, state.isEnded)
                return (state.isEnded ? .bytes(0) : .pause, false)
            }
            let start = state.chunk.startIndex + state.offset
            unsafe state.chunk.copyBytes(to: buffer, from: start..<(start + count))
            state.offset += count
            state.taken += Int64(count)
            guard state.offset == state.chunk.count, !state.isEnded else { return (.bytes(count), false) }
            // Releases the sent chunk before the next one arrives.
            (state.chunk, state.offset) = (Data(), 0)
            return (.bytes(count), true)
        }
        if isSent { readNext() }
        return step
    }

    /// Returns the lines of the trailers. Returns `nil` and sets ``failure`` if they are invalid.
    func trailerLines() -> [String]? {
        do {
            let trailers = try body.trailers?() ?? .empty
            try trailers.validateAsTrailers()
            let lines = trailers.map { "\($0.name.rawValue): \($0.value)" }
            let size = lines.reduce(0) { $0 + $1.utf8.count + 2 }
            guard size < UploadBody.maximumTrailers else {
                throw TransportError.unsupported("the trailers have \(size) bytes; send less than 64 KiB")
            }
            return lines
        } catch {
            state.withLock { $0.failure = error }
            return nil
        }
    }

    var isEndTaken: Bool { state.withLock { $0.isEndTaken } }

    /// Whether libcurl has taken the whole body. A body of a known length ends before its source says so.
    var isRead: Bool { state.withLock { $0.taken == body.length || $0.isEndTaken } }

    var isStarved: Bool { state.withLock { $0.isStarved } }

    /// Rewinds the body, so that the request can be resent over another connection.
    ///
    /// - Returns: Whether the body can be read again.
    func rewind() -> Bool {
        guard body.isReplayable else { return false }
        do {
            try readFromStart()
            return true
        } catch {
            state.withLock { $0.failure = error }
            return false
        }
    }

    /// Releases the source, because nothing more will be sent.
    func close() {
        let reading = state.withLock { state in
            state.isClosed = true
            (state.chunk, state.offset) = (Data(), 0)
            state.isEnded = true
            (state.reader, state.resume) = (nil, nil)
            defer { state.reading = nil }
            return state.reading
        }
        reading?.cancel()
    }
}
#endif
