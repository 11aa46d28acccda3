import CRequestsCurl
import Foundation
import Requests
import RequestsClient

/// A body on its way into libcurl, one chunk at a time: the next is read from its source when this one is sent.
///
/// The loop's thread calls it; what the source gives comes from another one.
final class UploadBody: Sendable {
    enum Step {
        case bytes(Int)
        case pause
        case fail
    }

    private struct State {
        var chunk = Data()
        var offset = 0
        var isEnded = false
        var failure: (any Error)?
        /// The source, which is asked for the next chunk when this one has been sent.
        var reader: RequestBody.Reader?
        /// Waits for a chunk. Ended with the upload: a source that has nothing more to give may never return.
        var reading: Task<Void, Never>?
        var isStarved = false
        var isClosed = false
        /// Which reading of the source it is: what an earlier one still gives is dropped.
        var round = 0
        /// Tells the loop that there is something to send again.
        var resume: (@Sendable () -> Void)?
    }

    private let state: Locked<State>
    private let body: RequestBody

    init(_ body: RequestBody) {
        self.body = body
        // What is in memory already is one chunk.
        state = Locked(State(chunk: body.data ?? Data(), isEnded: body.data != nil))
    }

    /// Why the source gave up.
    var failure: (any Error)? { state.withLock { $0.failure } }

    /// Starts reading the source.
    ///
    /// - Parameter resume: Tells the loop that there is something to send again.
    func start(resume: @escaping @Sendable () -> Void) throws {
        guard body.data == nil else { return }
        let reader = try body.makeReader()
        state.withLock { ($0.reader, $0.resume) = (reader, resume) }
        readOn()
    }

    /// Asks the source for the next chunk.
    private func readOn() {
        let (reader, round) = state.withLock { ($0.reader, $0.round) }
        let reading = reader?.next { [self] chunk in take(chunk, round) }
        state.withLock { $0.reading = reading }
    }

    /// Called by whatever thread has read it.
    private func take(_ chunk: Result<Data?, any Error>, _ round: Int) {
        let resume = state.withLock { state -> (@Sendable () -> Void)? in
            guard !state.isClosed, state.round == round else { return nil }
            switch chunk {
            case .success(let chunk?): (state.chunk, state.offset) = (chunk, 0)
            case .success(nil): state.isEnded = true
            case .failure(let error): (state.isEnded, state.failure) = (true, error)
            }
            defer { state.isStarved = false }
            return state.isStarved ? state.resume : nil
        }
        resume?()
    }

    /// Gives libcurl the next bytes.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Step {
        let (step, isSent) = state.withLock { state -> (Step, Bool) in
            if state.failure != nil { return (.fail, false) }
            let count = min(buffer.count, state.chunk.count - state.offset)
            guard count > 0 else {
                state.isStarved = !state.isEnded
                return (state.isEnded ? .bytes(0) : .pause, false)
            }
            let start = state.chunk.startIndex + state.offset
            state.chunk.copyBytes(to: buffer, from: start..<(start + count))
            state.offset += count
            guard state.offset == state.chunk.count, !state.isEnded else { return (.bytes(count), false) }
            // Its memory can be the next one's.
            (state.chunk, state.offset) = (Data(), 0)
            return (.bytes(count), true)
        }
        if isSent { readOn() }
        return step
    }

    /// Whether the reading is waiting for its source.
    var isStarved: Bool { state.withLock { $0.isStarved } }

    /// Starts over, for a connection that turned out dead before the body was used.
    ///
    /// - Returns: Whether that is possible.
    func rewind(to offset: Int64) -> Bool {
        guard body.data == nil else { return rewindData(to: offset) }
        return offset == 0 && body.isReplayable && reopen()
    }

    private func rewindData(to offset: Int64) -> Bool {
        state.withLock { state in
            guard let offset = Int(exactly: offset), (0...state.chunk.count).contains(offset) else { return false }
            state.offset = offset
            return true
        }
    }

    /// Ends the reading that goes on, and begins another.
    private func reopen() -> Bool {
        do {
            let reader = try body.makeReader()
            let reading = state.withLock { state in
                state.round += 1
                (state.chunk, state.offset) = (Data(), 0)
                (state.isEnded, state.failure) = (false, nil)
                state.reader = reader
                return state.reading
            }
            reading?.cancel()
            readOn()
            return true
        } catch {
            state.withLock { $0.failure = error }
            return false
        }
    }

    /// Lets the source go: nothing more will be sent.
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
