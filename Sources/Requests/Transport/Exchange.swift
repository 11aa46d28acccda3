import Foundation

/// One exchange of an ``ExchangeRunner``: what a transport's operation is given, and gives its response to.
public final class Exchange: Sendable {
    /// The request.
    public let request: PreparedRequest

    /// The request's body, opened before anything is sent.
    let reader: RequestBody.Reader
    let state: Guarded<State>
    let response = Promise<Response<ResponseBody>>()
    private let channel: BodyChannel
    private let watchdog: Watchdog
    private let code: @Sendable (any Error) -> TransportError.Code?
    private let onEnd: @Sendable (Exchange) -> Void
    /// An element for each pause of the writer's that the reader has ended.
    private let pauses = AsyncStream.makeStream(of: Void.self)
    private let startTime = Watchdog.now

    struct State {
        fileprivate var task: Task<Void, Never>?
        fileprivate var end: Result<Header?, any Error>?
        var progress = ResponseProgress()
        var deadlines: Deadlines
        var trailers: Header?
        var metrics = TransferMetrics()
        var isRequestSent = false
        /// Libraries wrap the error of a source, or lose it.
        var sourceFailure: TransportError?
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

    /// The fields that came after the body; to be set before the operation returns, and with the limits of a head.
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
        if isOver { throw CancellationError() }
        if (100..<200).contains(head.statusCode), head.statusCode != 101 {
            noteActivity()
            request.observer?(.informational(head))
            return
        }
        guard !hasHead else { throw failed(.malformed, "there was a head already") }
        guard head.header.isWithinLimits else { throw failed(.tooLarge, Header.tooLarge) }
        if let fault = head.header.lengthFault { throw failed(.malformed, fault) }
        noteRequestSent()
        let (decodedHead, metrics, isDecoded, isOver) = state.withLock { state in
            var head = head
            state.progress.note(&head, to: request.method, isDecoded: isDecoded)
            state.metrics.responseStarted = elapsed
            state.metrics.httpVersion = head.httpVersion
            state.deadlines.noteActivity(at: Watchdog.now)
            return (head, state.metrics, state.progress.isDecoded, state.end != nil)
        }
        guard !isOver else { throw CancellationError() }
        request.observer?(.head(decodedHead))
        channel.metrics = metrics
        let body = ResponseBody(source: ChannelSource(channel, owner: nil, isDecoded: isDecoded))
        response.give(.success(Response(head: decodedHead, content: body, metrics: metrics)))
    }

    /// Gives the next bytes of the body to the reader, and waits while there are too many that it has not read.
    ///
    /// Meanwhile the idle timeout rests: the server's silence is not its fault then.
    ///
    /// - Throws: `CancellationError` when nobody reads any more; ``TransportError`` for more than the head has promised,
    ///   or before there is one.
    public func write(_ chunk: Data) async throws {
        if isOver { throw CancellationError() }
        guard !chunk.isEmpty else { return }
        guard hasHead else { throw failed(.malformed, "there was a body before its head") }
        let (received, expected) = state.withLock { state in
            state.progress.noteReceived(chunk.count)
            state.metrics.receivedBodyBytes = state.progress.receivedCodedBytes
            state.deadlines.noteActivity(at: Watchdog.now)
            return (state.progress.receivedBytes, state.progress.expectedBytes)
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
    func start(_ operation: @escaping @Sendable (Exchange) async throws -> Void) {
        channel.attach(self)
        // Cancelled, or shut down, before it began: nothing is sent.
        guard !isOver else { return }
        if let deadline = state.withLock({ $0.deadlines.next }) { watchdog.wake(at: deadline) }
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
            let (hasHead, missing, trailers) = state.withLock {
                ($0.progress.hasHead, $0.progress.missingBytes ?? 0, $0.trailers)
            }
            guard hasHead else { throw failed(.closed, "there was no response") }
            guard missing == 0 else { throw failed(.truncated, "the response ended \(missing) bytes early") }
            guard trailers?.isWithinLimits != false else { throw failed(.tooLarge, Header.tooLarge) }
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
            defer {
                state.end = state.end ?? outcome
                state.task = nil
            }
            return state
        }
        guard before.end == nil else { return }
        before.task?.cancel()
        // A library may write from a task of its own.
        pauses.continuation.finish()
        var metrics = before.metrics
        metrics.ended = elapsed
        channel.metrics = metrics
        request.observer?(.ended(metrics))
        channel.finish(before.progress.missingBytes == 0 ? .success(before.trailers) : outcome)
        if case .failure(let error) = outcome { response.give(.failure(error)) }
        onEnd(self)
    }

    var isOver: Bool { state.withLock { $0.end != nil } }

    var hasHead: Bool { state.withLock { $0.progress.hasHead } }

    private var elapsed: Duration { .nanoseconds(Watchdog.now &- startTime) }
}
