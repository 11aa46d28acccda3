import CRequestsCurl
import Foundation
import Requests

/// A body on its way into libcurl, one chunk at a time: the next is read from its source when this one is sent.
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
        /// The source's turn: resumed when the chunk has been sent.
        var source: Waiter?
        var isStarved = false
        var isClosed = false
        /// Reads the source. Ended with the upload: a source that has nothing more to give may never return.
        var reading: Task<Void, Never>?
        /// Which reading of the source it is: what an earlier one still gives is dropped.
        var round = 0
        /// Tells the loop that there is something to send again.
        var resume: (@Sendable () -> Void)?
    }

    private let state: Guarded<State>
    private let body: RequestBody

    init(_ body: RequestBody) throws {
        self.body = body
        // What is in memory already is one chunk.
        state = Guarded(State(chunk: body.data ?? Data(), isEnded: body.data != nil))
    }

    /// Why the source gave up.
    var failure: (any Error)? { state.withLock { $0.failure } }

    /// Starts reading the source.
    ///
    /// - Parameter resume: Tells the loop that there is something to send again.
    func start(resume: @escaping @Sendable () -> Void) throws {
        guard body.data == nil else { return }
        try read(round: 0, resume)
    }

    private func read(round: Int, _ resume: @escaping @Sendable () -> Void) throws {
        let reader = try body.makeReader()
        let reading = Task {
            do {
                while let chunk = try await reader.next(), await offer(chunk, round, resume) {}
                finish(nil, round, resume)
            } catch {
                finish(error, round, resume)
            }
        }
        let isClosed = state.withLock { state in
            state.reading = reading
            state.resume = state.isClosed ? nil : resume
            return state.isClosed
        }
        if isClosed { reading.cancel() }
    }

    /// - Returns: Whether another chunk is wanted.
    private func offer(_ chunk: Data, _ round: Int, _ resume: @Sendable () -> Void) async -> Bool {
        await Waiter.wait { waiter in
            let (isOver, wasStarved) = state.withLock { state in
                guard !state.isClosed, state.round == round else { return (true, false) }
                state.chunk = chunk
                state.offset = 0
                state.source = waiter
                defer { state.isStarved = false }
                return (false, state.isStarved)
            }
            if isOver { waiter.resume() }
            if wasStarved { resume() }
        }
        return state.withLock { !$0.isClosed && $0.round == round }
    }

    private func finish(_ failure: (any Error)?, _ round: Int, _ resume: @Sendable () -> Void) {
        let wasStarved = state.withLock { state in
            guard state.round == round else { return false }
            state.isEnded = true
            state.failure = failure
            defer { state.isStarved = false }
            return state.isStarved
        }
        if wasStarved { resume() }
    }

    /// Gives libcurl the next bytes.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Step {
        let (step, source) = state.withLock { state -> (Step, Waiter?) in
            if state.failure != nil { return (.fail, nil) }
            let count = min(buffer.count, state.chunk.count - state.offset)
            guard count > 0 else {
                state.isStarved = !state.isEnded
                return (state.isEnded ? .bytes(0) : .pause, nil)
            }
            let start = state.chunk.startIndex + state.offset
            state.chunk.copyBytes(to: buffer, from: start..<(start + count))
            state.offset += count
            guard state.offset == state.chunk.count, let source = state.source else { return (.bytes(count), nil) }
            state.source = nil
            return (.bytes(count), source)
        }
        source?.resume()
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
        let (round, resume, source, reading) = state.withLock { state in
            state.round += 1
            (state.chunk, state.offset) = (Data(), 0)
            (state.isEnded, state.failure) = (false, nil)
            defer { (state.source, state.reading) = (nil, nil) }
            return (state.round, state.resume, state.source, state.reading)
        }
        reading?.cancel()
        source?.resume()
        guard let resume else { return false }
        do {
            try read(round: round, resume)
            return true
        } catch {
            state.withLock { $0.failure = error }
            return false
        }
    }

    /// Lets the source go: nothing more will be sent.
    func close() {
        let (source, reading) = state.withLock { state in
            state.isClosed = true
            state.chunk = Data()
            state.offset = 0
            state.isEnded = true
            state.resume = nil
            defer { (state.source, state.reading) = (nil, nil) }
            return (state.source, state.reading)
        }
        reading?.cancel()
        source?.resume()
    }
}
