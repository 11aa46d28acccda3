import Requests

/// One request and its response, from the start to the end: the state machine of an ``ExchangeRunner``.
///
/// A transport's operation gets the request from it, and passes the response to it.
public final class Exchange: Sendable {
    /// The request.
    public let request: PreparedRequest

    let context: SendContext

    /// The request's body, opened before anything is sent; `nil` if the library reads it itself.
    let reader: RequestBody.Reader?
    let state: Locked<State>
    let response = Promise<Response<ResponseBody>>()
    let runner: ExchangeRunner
    private let channel: BodyChannel
    private let startTime: UInt64

    struct State {
        fileprivate var stage = Stage.created
        var progress = ResponseProgress()
        var deadlines: ExchangeTimers
        var trailers: Header?
        var metrics = TransferMetrics()
        var isRequestSent = false
        /// The part of the body that the library has taken from ``requestBody``.
        var taken = (bytes: Int64(0), isEnd: false)
        /// Which side keeps the server waiting.
        var isReaderBehind: Bool { readerCaughtUp != nil }
        var isSourceSlow = false
        /// The operation's wait for the reader.
        var readerCaughtUp: Promise<Void>?
        /// The sleep until the next deadline, on a clock that isn't the system's.
        var timer: (end: UInt64, task: Task<Void, Never>)?
        /// What another transport measured, which sent the request.
        var forwardedMetrics: TransferMetrics?
        /// The error of the request body's source. Libraries wrap it, or lose it.
        var sourceFailure: TransportError?

        /// Whether the library has taken the whole body, or the server doesn't want the rest.
        func isSent(_ body: RequestBody) -> Bool {
            body.isNone || progress.isRefusal || taken.isEnd || taken.bytes == body.length
        }
    }

    fileprivate enum Stage: Equatable {
        case created
        case running(Task<Void, Never>)
        case over
    }

    init(_ request: PreparedRequest, _ context: SendContext, reader: RequestBody.Reader?, of runner: ExchangeRunner) {
        self.request = request
        self.context = context
        self.reader = reader
        self.runner = runner
        channel = BodyChannel(from: request.url, highWater: runner.maximumBufferedBytes)
        startTime = runner.clock.now
        state = Locked(
            State(deadlines: ExchangeTimers(request.options.timeouts, context.deadline, start: startTime))
        )
    }

    /// The fields that came after the body. Set them before the operation returns. The limits of a head apply.
    public var trailers: Header? {
        get { state.withLock { $0.trailers } }
        set { state.withLock { $0.trailers = newValue } }
    }

    /// Passes the head to the sender, or an informational one to the request's observer.
    ///
    /// - Parameters:
    ///   - head: The head as the server sent it.
    ///   - isDecoded: Whether the library decodes the body's content encoding. If there is a body, the head then loses
    ///     `Content-Encoding` and `Content-Length`, which don't describe the decoded body.
    /// - Throws: `TransportError` for a head above the limits, with contradictory lengths, or after another head;
    ///   `CancellationError` if the exchange is over.
    public func respond(with head: ResponseHead, isDecoded: Bool = false) throws {
        if isOver { throw CancellationError() }
        if (100..<200).contains(head.statusCode), head.statusCode != 101 {
            noteActivity()
            context.observer?(.informational(head))
            return
        }
        try deliver(head, isDecoded: isDecoded)
    }

    /// Passes the final head to the sender.
    func deliver(_ head: ResponseHead, isDecoded: Bool, history: [ResponseHead] = []) throws {
        guard !hasHead else { throw failed(.malformed, "there was already a head") }
        guard head.header.isWithinLimits else { throw failed(.tooLarge, Header.tooLarge) }
        if let fault = head.header.lengthFault { throw failed(.malformed, fault) }
        noteRequestSent()
        let (decodedHead, metrics, isDecoded, isOver) = state.withLock { state in
            var head = head
            state.progress.note(&head, to: request.method, isDecoded: isDecoded)
            state.metrics.responseStart = elapsed
            state.metrics.httpVersion = head.httpVersion
            state.deadlines.noteActivity(at: now)
            return (head, reported(state), state.progress.isDecoded, state.stage == .over)
        }
        guard !isOver else { throw CancellationError() }
        // A refusal doesn't wait for the source.
        update { _ in }
        context.observer?(.head(decodedHead))
        let boxed = metrics.map(TransferMetrics.Boxed.init)
        channel.metrics = boxed
        let body = ResponseBody(source: ChannelSource(channel, owner: nil, isDecoded: isDecoded))
        response.give(
            .success(Response(head: decodedHead, content: body, history: history, boxedMetrics: boxed))
        )
    }

    /// Passes the next bytes of the body to the reader, and waits while it is behind.
    ///
    /// A slow reader pauses the idle timeout.
    ///
    /// - Throws: `TransportError` for a body that is longer than its `Content-Length`, or that comes before the head;
    ///   `CancellationError` if the exchange is over.
    public func write(_ chunk: Data) async throws { if try receive(chunk) { try await waitForReader() } }

    /// Passes the next bytes of the body to the reader, for libraries with callbacks.
    ///
    /// - Returns: Whether the reader is behind, so that the library should pause until ``waitForReader()`` returns.
    /// - Throws: The same errors as ``write(_:)``.
    package func receive(_ chunk: Data) throws -> Bool {
        if isOver { throw CancellationError() }
        guard !chunk.isEmpty else { return false }
        guard hasHead else { throw failed(.malformed, "there was a body before its head") }
        let (received, expected) = state.withLock { state in
            state.progress.noteReceived(chunk.count)
            state.metrics.receivedBodyBytes = state.progress.receivedCodedBytes
            state.deadlines.noteActivity(at: now)
            return (state.progress.receivedBytes, state.progress.expectedBytes)
        }
        if let expected, received > expected {
            throw failed(.malformed, "the body exceeds its Content-Length (\(expected))")
        }
        context.observer?(.received(bytes: received, total: expected))
        return switch channel.push(chunk) {
        case .more: false
        case .pause: true
        case .stop: throw CancellationError()
        }
    }

    /// Waits while the reader is behind.
    ///
    /// - Throws: `CancellationError` if the exchange is over.
    package func waitForReader() async throws {
        while channel.isPaused, !isOver {
            let caughtUp = Promise<Void>()
            update { $0.readerCaughtUp = caughtUp }
            // The reader can have caught up, and the exchange ended, before the promise was there.
            if channel.isPaused, !isOver { try? await caughtUp.wait() }
            update { $0.readerCaughtUp = nil }
            try Task.checkCancellation()
        }
        if isOver { throw CancellationError() }
    }

    /// Changes the state. The idle timeout runs only while this side doesn't keep the server waiting.
    func update(_ change: (inout State) -> Void) {
        let next = state.withLock { state in
            change(&state)
            let waits = state.isReaderBehind || state.isSourceSlow && !state.progress.isRefusal
            state.deadlines.suspendIdle(waits, at: now)
            return state.deadlines.next
        }
        if let next { wake(at: next) }
    }

    var now: UInt64 { runner.clock.now }

    /// Checks the deadlines at a time of ``now``.
    private func wake(at time: UInt64) {
        switch runner.clock {
        case .system(let watchdog): watchdog.wake(at: time)
        case .other(let stopwatch, _): sleep(until: time, stopwatch)
        }
    }

    /// Starts a timer, unless only the default timeout would need it, which a test doesn't wait for.
    private func sleep(until time: UInt64, _ stopwatch: Stopwatch) {
        state.withLock { state in
            guard state.stage != .over, state.deadlines.isLimited, state.timer.map({ time < $0.end }) ?? true else {
                return
            }
            state.timer?.task.cancel()
            let task = Task { [weak self] in
                guard (try? await stopwatch.sleep(.nanoseconds(time))) != nil, let self else { return }
                self.state.withLock { $0.timer = nil }
                if let next = checkDeadlines(at: now) { wake(at: next) }
            }
            state.timer = (time, task)
        }
    }

    /// Waits, but not longer than until a deadline, at which the exchange ends.
    ///
    /// - Parameter clock: The clock of the wait. Default: the runner's.
    package func wait(for delay: Duration, on clock: (any Clock<Duration>)? = nil) async throws {
        guard delay > .zero else { return }
        let start = now
        let next = state.withLock { $0.deadlines.next } ?? .max
        let end = min(start &+ delay.clampedNanoseconds, next)
        let wait = Duration.nanoseconds(end &- min(start, end))
        if let clock { try await clock.sleep(for: wait) } else { try await runner.clock.sleep(for: wait) }
        _ = checkDeadlines(at: max(end, now))
        if isOver { throw CancellationError() }
    }
}

extension Exchange: BodyChannel.Writer, Cancelable {
    package func resumeWriting() { state.withLock { $0.readerCaughtUp }?.give(.success(())) }

    package func cancelWriting() { cancel() }

    package func cancel() { end(.failure(CancellationError())) }
}

extension Exchange {
    func start(atOnce: Bool, _ operation: @escaping @Sendable (Exchange) async throws -> Void) {
        channel.attach(self)
        // If the exchange was canceled or shut down before it began, nothing is sent.
        guard !isOver else { return }
        let task = startTask(atOnce: atOnce, operation)
        let next = state.withLock { state -> UInt64? in
            guard state.stage == .created else { return nil }
            state.stage = .running(task)
            return state.deadlines.next
        }
        if let next { wake(at: next) } else if isOver { task.cancel() }
    }

    private func startTask(
        atOnce: Bool,
        _ operation: @escaping @Sendable (Exchange) async throws -> Void
    ) -> Task<Void, Never> {
        // Not a part of the call, whose end ends the exchange.
        let work: @Sendable () async -> Void = { [self] in
            await CallState.$current.withValue(nil) { await perform(operation) }
        }
        if atOnce, #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            return Task.immediate(executorPreference: CallState.executor) { await work() }
        }
        return Task(executorPreference: CallState.executor) { await work() }
    }

    private func perform(_ operation: @Sendable (Exchange) async throws -> Void) async {
        do {
            try await operation(self)
            // Some sequences end early without an error when their task is canceled.
            try Task.checkCancellation()
            complete()
        } catch {
            fail(error)
        }
    }

    /// Ends the exchange for the sender and the reader, and cancels the operation.
    ///
    /// Only the first call has an effect. If all bytes of the `Content-Length` have arrived, the body doesn't fail,
    /// unless the server accepts a request of which a part may be unsent.
    func end(_ outcome: Result<Header?, any Error>) {
        let elapsed = elapsed
        let before = state.withLock { state in
            defer { state.stage = .over }
            return state
        }
        switch before.stage {
        case .created: break
        case .running(let task): task.cancel()
        case .over: return
        }
        // Writes from another task aren't canceled with the operation.
        before.readerCaughtUp?.give(.success(()))
        before.timer?.task.cancel()
        var metrics = before.metrics
        metrics.responseEnd = elapsed
        if runner.measures || before.forwardedMetrics != nil {
            channel.metrics = TransferMetrics.Boxed(before.forwardedMetrics ?? metrics)
        }
        context.observer?(.ended(metrics))
        let progress = before.progress
        let isSent = before.isSent(request.body) || metrics.sentBodyBytes == request.body.length
        channel.finish(progress.missingBytes == 0 && isSent ? .success(before.trailers) : outcome)
        if case .failure(let error) = outcome { response.give(.failure(error)) }
        runner.running.remove(self)
    }

    /// Updates the metrics with measurements of the library.
    package func measure(_ update: (inout TransferMetrics) -> Void) { state.withLock { update(&$0.metrics) } }

    var isOver: Bool { state.withLock { $0.stage == .over } }

    /// How much of the response has arrived.
    package var progress: ResponseProgress { state.withLock { $0.progress } }

    var hasHead: Bool { progress.hasHead }

    private var elapsed: Duration { .nanoseconds(now &- startTime) }

    private func reported(_ state: State) -> TransferMetrics? {
        state.forwardedMetrics ?? (runner.measures ? state.metrics : nil)
    }
}
