import Requests

/// Passes a response body from a transport's thread to the task that reads it.
///
/// The transport writes with ``push(_:)`` and ``finish(_:)``, from one thread at a time. One task reads. Above the
/// high-water mark the writer is asked to pause, and at the low-water mark to resume.
package final class BodyChannel: Cancelable {
    /// The writer's next step after a push.
    package enum Demand: Sendable {
        case more
        case pause
        case stop
    }

    /// Receives the reader's demand.
    package protocol Writer: AnyObject, Sendable {
        /// The buffer has reached the low-water mark, so the reader needs more.
        func resumeWriting()
        /// The reader has canceled the body.
        func cancelWriting()
    }

    fileprivate struct State {
        var chunks = BufferedChunks()
        /// The maximum size of the body while a reader collects it. `nil` if it reads chunks.
        var collectLimit: Int?
        /// The suspended reader.
        var waiter: Waiter?
        var end: Result<Header?, any Error>?
        var isPaused = false
        /// Whether the reader got bytes.
        var hasDelivered = false
        /// Whether the reader got bytes and the end.
        var isRead = false
        /// Released at the end, because it retains the channel.
        var writer: (any Writer)?
        var metrics: TransferMetrics.Boxed?
    }

    private let state: Locked<State>
    private let url: RequestURL
    private let highWater: Int
    private let lowWater: Int

    /// - Parameters:
    ///   - url: The URL of the body, for error messages.
    ///   - highWater: The number of unread bytes at which the writer is asked to pause. With 0, it pauses before each
    ///     chunk until the reader waits for it.
    package init(from url: RequestURL, highWater: Int) {
        self.state = Locked(State(isPaused: highWater == 0))
        self.url = url
        self.highWater = highWater
        self.lowWater = highWater == 0 ? -1 : highWater / 2
    }

    /// Sets the writer. Must be called before the reader gets the channel.
    package func attach(_ writer: any Writer) {
        state.withLock { if $0.end == nil { $0.writer = writer } }
    }

    // Reader and writer are called outside the lock, because both may call back.

    package func push(_ chunk: Data) -> Demand {
        let (demand, waiter) = state.withLock { state -> (Demand, Waiter?) in
            guard state.end == nil else { return (.stop, nil) }
            if let limit = state.collectLimit {
                guard state.chunks.byteCount + chunk.count <= limit else {
                    return (.stop, state.close(.failure(TransportError.bodyTooLarge(limit, from: url))))
                }
                state.chunks.append(chunk)
                return (.more, nil)
            }
            state.chunks.append(chunk)
            let waiter = state.waiter.take()
            if waiter == nil || highWater == 0 {
                state.isPaused = state.isPaused || state.chunks.byteCount >= highWater
            }
            return (state.isPaused ? .pause : .more, waiter)
        }
        waiter?.resume()
        return demand
    }

    /// Ends the body. Later calls have no effect.
    ///
    /// - Parameter end: The trailers, or the error if the body is incomplete.
    package func finish(_ end: Result<Header?, any Error>) {
        state.withLock { $0.end == nil ? $0.close(end) : nil }?.resume()
    }

    /// The measurements so far. The writer sets them before the end.
    package var metrics: TransferMetrics.Boxed? {
        get { state.withLock { $0.metrics } }
        set { state.withLock { $0.metrics = newValue } }
    }

    /// Whether the writer was asked to pause, and not yet to resume.
    package var isPaused: Bool { state.withLock { $0.isPaused } }

    /// Whether the reader got bytes and the end.
    package var isRead: Bool { state.withLock { $0.isRead } }

    /// Whether the body ended or failed.
    package var isComplete: Bool { state.withLock { $0.end != nil } }

    /// Cancels the body. Has no effect after a failure or after the end was read.
    package func cancel() {
        let (waiter, writer) = state.withLock { state -> (Waiter?, (any Writer)?) in
            let writer = state.writer
            let isUnread = !state.chunks.isEmpty
            state.chunks = BufferedChunks()
            switch state.end {
            case .failure: return (nil, nil)
            case .success where !isUnread: return (nil, nil)
            default: break
            }
            return (state.close(.failure(CancellationError())), writer)
        }
        waiter?.resume()
        writer?.cancelWriting()
    }

    package var trailers: Header? {
        state.withLock { state in
            guard case .success(let trailers) = state.end, state.chunks.isEmpty else { return nil }
            return trailers
        }
    }

    package func next() async throws -> Data? { try await read(collectingUpTo: nil) }

    package func collect(upTo maximumBytes: Int) async throws -> Data {
        do {
            return try await read(collectingUpTo: maximumBytes) ?? Data()
        } catch let error as TransportError where error.code == .tooLarge {
            cancel()
            throw error
        }
    }

    private func read(collectingUpTo limit: Int?) async throws -> Data? {
        while true {
            // A server that is always ahead of the reader would keep a canceled task busy.
            if Task.isCancelled { cancel() }
            if let ready = take(collectingUpTo: limit) { return try ready.get() }
            await wait()
        }
    }

    private func wait() async {
        await CallState.canceling(self) {
            await Waiter.wait { waiter in
                let mustWait = state.withLock { state in
                    guard state.waiter == nil, !state.isReady else { return false }
                    state.waiter = waiter
                    return true
                }
                if !mustWait { waiter.resume() }
            }
        }
    }

    /// Returns what the reader asked for. `nil` if it must wait.
    private func take(collectingUpTo limit: Int?) -> Result<Data?, any Error>? {
        let (result, writer) = state.withLock { state -> (Result<Data?, any Error>?, (any Writer)?) in
            guard state.waiter == nil else { return (.failure(TransportError.readTwice), nil) }
            if let limit, state.chunks.byteCount > limit {
                return (.failure(TransportError.bodyTooLarge(limit, from: url)), nil)
            }
            state.collectLimit = limit
            let result = limit == nil ? state.takeChunk() : state.takeAll()
            let wantsMore = limit != nil || result == nil || state.chunks.byteCount <= lowWater
            guard state.isPaused, wantsMore else { return (result, nil) }
            state.isPaused = false
            return (result, state.writer)
        }
        writer?.resumeWriting()
        return result
    }
}

extension BodyChannel.State {
    /// - Returns: The reader, if it is suspended.
    mutating func close(_ end: Result<Header?, any Error>) -> Waiter? {
        self.end = end
        writer = nil
        return waiter.take()
    }

    /// Whether the reader can continue.
    var isReady: Bool { end != nil || (collectLimit == nil && !chunks.isEmpty) }

    /// Returns the next chunk or the end. `nil` if there is neither yet.
    mutating func takeChunk() -> Result<Data?, any Error>? {
        if let chunk = chunks.popFirst() {
            hasDelivered = true
            return .success(chunk)
        }
        if case .success = end { isRead = hasDelivered }
        return end.map { $0.map { _ in nil } }
    }

    /// Returns the whole body. `nil` before its end.
    mutating func takeAll() -> Result<Data?, any Error>? {
        guard let end else { return nil }
        defer { chunks = BufferedChunks() }
        if case .success = end { isRead = hasDelivered || !chunks.isEmpty }
        return end.map { _ in chunks.joined }
    }
}

/// The reader's end of a channel. Dropping it cancels the body.
package final class ChannelSource: ResponseBodySource {
    private let channel: BodyChannel
    /// Retained until the body was read.
    private let owner: (any AnyObject & Sendable)?
    package let isDecoded: Bool

    package init(_ channel: BodyChannel, owner: (any AnyObject & Sendable)?, isDecoded: Bool = false) {
        (self.channel, self.owner, self.isDecoded) = (channel, owner, isDecoded)
    }

    deinit { channel.cancel() }

    package func next() async throws -> Data? { try await channel.next() }
    package func collect(upTo maximumBytes: Int) async throws -> Data { try await channel.collect(upTo: maximumBytes) }
    package func cancel() { channel.cancel() }
    package var trailers: Header? { channel.trailers }
    package var boxedMetrics: TransferMetrics.Boxed? { channel.metrics }
    package var isComplete: Bool { channel.isComplete }
    package var isRead: Bool { channel.isRead }
}
