import Foundation

/// One exchange of an ``ExchangeRunner``: what a transport's operation is given, and gives its response to.
public final class Exchange: Sendable {
    /// The request.
    public let request: PreparedRequest

    /// The request's body, opened before anything is sent.
    let reader: RequestBody.Reader
    let state: Guarded<State>
    private let channel: BodyChannel
    private let watchdog: Watchdog
    private let code: @Sendable (any Error) -> TransportError.Code?
    private let onEnd: @Sendable (Exchange) -> Void
    /// An element for each pause of the writer's that the reader has ended.
    private let pauses = AsyncStream.makeStream(of: Void.self)
    private let startTime = Watchdog.now

    struct State {
        fileprivate var continuation: CheckedContinuation<Response<ResponseBody>, any Error>?
        fileprivate var task: Task<Void, Never>?
        fileprivate var end: Result<Header?, any Error>?
        fileprivate var expectedBytes: Int64?
        /// How long a coded body was before the library decoded it, where its framing told.
        fileprivate var codedBytes: Int64?
        fileprivate var receivedBytes: Int64 = 0
        var deadlines: Deadlines
        var hasHead = false
        var trailers: Header?
        var metrics = TransferMetrics()
        var isRequestSent = false
        /// Libraries wrap the error of a source, or lose it.
        var sourceFailure: TransportError?
        /// How many bytes the body still has; `nil` where only its end will tell.
        fileprivate var missingBytes: Int64? { expectedBytes.map { $0 - receivedBytes } }
    }

    init(
        _ request: PreparedRequest,
        watchdog: Watchdog,
        code: @escaping @Sendable (any Error) -> TransportError.Code?,
        onEnd: @escaping @Sendable (Exchange) -> Void
    ) throws {
        self.request = request
        self.reader = try request.body.makeReader()
        self.watchdog = watchdog
        self.code = code
        self.onEnd = onEnd
        channel = BodyChannel(from: request.url, highWater: 256 << 10)
        state = Guarded(State(deadlines: Deadlines(request.options.timeouts, start: startTime)))
    }

    /// The fields that came after the body; to be set before the operation returns.
    public var trailers: Header? {
        get { state.withLock { $0.trailers } }
        set { state.withLock { $0.trailers = newValue } }
    }

    /// Gives the head to the sender. An informational one goes to the request's observer.
    ///
    /// - Parameters:
    ///   - head: The head as the server sent it.
    ///   - isDecoded: Whether the library undoes the body's content coding. Where there is a body, the head then loses
    ///     the coding and the length, which are not true of what is written.
    /// - Throws: ``TransportError`` for a head above the limits, with lengths that contradict each other, or after another;
    ///   `CancellationError` when nobody waits for it any more.
    public func respond(with head: ResponseHead, isDecoded: Bool = false) throws {
        if (100..<200).contains(head.statusCode), head.statusCode != 101 {
            noteActivity()
            request.observer?(.informational(head))
            return
        }
        guard !state.withLock({ $0.hasHead }) else { throw failed(.malformed, "there was a head already") }
        guard head.header.isWithinLimits else { throw failed(.tooLarge, Header.tooLarge) }
        if let fault = head.header.lengthFault { throw failed(.malformed, fault) }
        var head = head
        let length = head.expectedBytes(to: request.method)
        let isDecoded = isDecoded && length != 0
        if isDecoded {
            head.header.remove(.contentEncoding)
            head.header.remove(.contentLength)
        }
        noteRequestSent()
        let (continuation, metrics) = state.withLock { state in
            state.hasHead = true
            state.expectedBytes = isDecoded ? nil : length
            state.codedBytes = isDecoded ? length : nil
            state.metrics.responseStarted = elapsed
            state.metrics.httpVersion = head.httpVersion
            state.deadlines.noteActivity(at: Watchdog.now)
            defer { state.continuation = nil }
            return (state.continuation, state.metrics)
        }
        guard let continuation else { throw CancellationError() }
        request.observer?(.head(head))
        channel.metrics = metrics
        let body = ResponseBody(source: ChannelSource(channel, owner: nil, isDecoded: isDecoded))
        continuation.resume(returning: Response(head: head, content: body, metrics: metrics))
    }

    /// Gives the next bytes of the body to the reader, and waits while there are too many that it has not read.
    ///
    /// Meanwhile the idle timeout rests: the server's silence is not its fault then.
    ///
    /// - Throws: `CancellationError` when nobody reads any more; ``TransportError`` for more than the head has promised.
    public func write(_ chunk: Data) async throws {
        guard !chunk.isEmpty else { return }
        let (received, expected) = state.withLock { state in
            state.receivedBytes += Int64(chunk.count)
            state.metrics.receivedBodyBytes = state.codedBytes ?? state.receivedBytes
            state.deadlines.noteActivity(at: Watchdog.now)
            return (state.receivedBytes, state.expectedBytes)
        }
        if let expected, received > expected {
            throw failed(.malformed, "the body is longer than the \(expected) bytes that the head has promised")
        }
        request.observer?(.received(bytes: received, total: expected))
        switch channel.push(chunk) {
        case .more: break
        case .stop: throw CancellationError()
        case .pause:
            suspendIdle(true)
            for await _ in pauses.stream { break }
            suspendIdle(false)
            if isOver { throw CancellationError() }
            try Task.checkCancellation()
        }
    }

    private func suspendIdle(_ suspend: Bool) {
        let next = state.withLock { state in
            state.deadlines.suspendIdle(suspend, at: Watchdog.now)
            return state.deadlines.next
        }
        if let next { watchdog.wake(at: next) }
    }
}

extension Exchange: BodyChannel.Writer {
    package func resumeWriting() { pauses.continuation.yield() }

    package func cancelWriting() { end(.failure(CancellationError())) }
}

// From the beginning to the end.
extension Exchange {
    func start(
        _ continuation: CheckedContinuation<Response<ResponseBody>, any Error>,
        _ operation: @escaping @Sendable (Exchange) async throws -> Void
    ) {
        channel.attach(self)
        let (early, deadline) = state.withLock { state in
            if state.end == nil { state.continuation = continuation }
            return (state.end, state.deadlines.next)
        }
        // Cancelled, or shut down, before it began: nothing was sent.
        if case .failure(let error) = early { return continuation.resume(throwing: error) }
        if let deadline { watchdog.wake(at: deadline) }
        let task = Task { await perform(operation) }
        let isOver = state.withLock { state in
            if state.end == nil { state.task = task }
            return state.end != nil
        }
        if isOver { task.cancel() }
    }

    private func perform(_ operation: @Sendable (Exchange) async throws -> Void) async {
        do {
            try await operation(self)
            // A sequence may take its reader's cancellation for its end: here it is not.
            try Task.checkCancellation()
            let (hasHead, missing, trailers) = state.withLock { ($0.hasHead, $0.missingBytes ?? 0, $0.trailers) }
            guard hasHead else { throw failed(.closed, "there was no response") }
            guard missing == 0 else { throw failed(.truncated, "the response ended \(missing) bytes before its end") }
            end(.success(trailers))
        } catch {
            end(.failure(failure(for: error, code: code(error))))
        }
    }

    /// Ends the exchange, for its sender or for the reader of its body, and cancels what is left of it. The first end
    /// counts, and after the last byte that the head has promised no end is a failure.
    func end(_ outcome: Result<Header?, any Error>) {
        let elapsed = elapsed
        let before = state.withLock { state in
            let before = state
            if state.end == nil { state.end = outcome }
            state.continuation = nil
            state.task = nil
            return before
        }
        guard before.end == nil else { return }
        before.task?.cancel()
        // A library may write from a task of its own.
        pauses.continuation.finish()
        var metrics = before.metrics
        metrics.ended = elapsed
        channel.metrics = metrics
        request.observer?(.ended(metrics))
        channel.finish(before.missingBytes == 0 ? .success(before.trailers) : outcome)
        if case .failure(let error) = outcome { before.continuation?.resume(throwing: error) }
        onEnd(self)
    }

    var isOver: Bool { state.withLock { $0.end != nil } }

    private var elapsed: Duration { .nanoseconds(Watchdog.now &- startTime) }
}
