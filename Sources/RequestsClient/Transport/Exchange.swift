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
    /// Wakes the operation when the reader wants more.
    private let readerCaughtUp = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let startTime = Watchdog.now

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
        var isReaderBehind = false
        var isSourceSlow = false
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
        let timeouts = request.options.timeouts
        state = Locked(State(deadlines: ExchangeTimers(timeouts, context.deadline, start: startTime)))
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
        guard !hasHead else { throw failed(.malformed, "there was already a head") }
        guard head.header.isWithinLimits else { throw failed(.tooLarge, Header.tooLarge) }
        if let fault = head.header.lengthFault { throw failed(.malformed, fault) }
        noteRequestSent()
        let (decodedHead, metrics, isDecoded, isOver) = state.withLock { state in
            var head = head
            state.progress.note(&head, to: request.method, isDecoded: isDecoded)
            state.metrics.responseStart = elapsed
            state.metrics.httpVersion = head.httpVersion
            state.deadlines.noteActivity(at: Watchdog.now)
            return (head, state.metrics, state.progress.isDecoded, state.stage == .over)
        }
        guard !isOver else { throw CancellationError() }
        // A refusal doesn't wait for the source.
        update { _ in }
        context.observer?(.head(decodedHead))
        let boxed = TransferMetrics.Boxed(metrics)
        channel.metrics = boxed
        let body = ResponseBody(source: ChannelSource(channel, owner: nil, isDecoded: isDecoded))
        response.give(.success(Response(head: decodedHead, content: body, boxedMetrics: boxed)))
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
            state.deadlines.noteActivity(at: Watchdog.now)
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
        guard channel.isPaused else { return }
        update { $0.isReaderBehind = true }
        // The first element can be older than the pause.
        for await _ in readerCaughtUp.stream where !channel.isPaused { break }
        update { $0.isReaderBehind = false }
        if isOver { throw CancellationError() }
        try Task.checkCancellation()
    }

    /// Changes the state. The idle timeout runs only while this side doesn't keep the server waiting.
    fileprivate func update(_ change: (inout State) -> Void) {
        let next = state.withLock { state in
            change(&state)
            let waits = state.isReaderBehind || state.isSourceSlow && !state.progress.isRefusal
            state.deadlines.suspendIdle(waits, at: Watchdog.now)
            return state.deadlines.next
        }
        if let next { runner.watchdog.wake(at: next) }
    }
}

extension Exchange: BodyChannel.Writer, Cancelable {
    package func resumeWriting() { readerCaughtUp.continuation.yield() }

    package func cancelWriting() { cancel() }

    package func cancel() { end(.failure(CancellationError())) }
}

extension Exchange {
    func start(_ operation: @escaping @Sendable (Exchange) async throws -> Void) {
        channel.attach(self)
        // If the exchange was canceled or shut down before it began, nothing is sent.
        guard !isOver else { return }
        if let deadline = state.withLock({ $0.deadlines.next }) { runner.watchdog.wake(at: deadline) }
        let task = Task(executorPreference: CallState.executor) { [self] in await perform(operation) }
        let isOver = state.withLock { state in
            if state.stage == .created { state.stage = .running(task) }
            return state.stage == .over
        }
        if isOver { task.cancel() }
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
        readerCaughtUp.continuation.finish()
        var metrics = before.metrics
        metrics.responseEnd = elapsed
        channel.metrics = TransferMetrics.Boxed(metrics)
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

    private var elapsed: Duration { .nanoseconds(Watchdog.now &- startTime) }
}

extension Exchange {
    /// The request's body, in pieces of at most 64 KiB. Each one that is requested restarts the idle timeout.
    ///
    /// The pieces can be read once. Request the next one when the previous one was sent, so that a slow network slows
    /// the source. If the source fails, the exchange fails with `TransportError.Code.sourceFailed`, even if the library
    /// wraps or loses the error. If the exchange is over, reading throws `CancellationError`.
    public var requestBody: some AsyncSequence<Data, any Error> & Sendable { RequestPieces(exchange: self) }

    fileprivate func readSource() async throws -> Data? {
        do {
            return try await reader?.next()
        } catch {
            let failure = TransportError.sourceFailed(error, of: request, phase: phase(of: .sourceFailed))
            state.withLock { $0.sourceFailure = failure }
            // The operation may not see the error if it sends in another task.
            if !(error is CancellationError) { end(.failure(failure)) }
            throw failure
        }
    }

    /// Notes how many bytes of the body have been sent.
    ///
    /// - Throws: `CancellationError` if the exchange is over.
    package func noteSent(_ bytes: Int64) throws {
        noteActivity()
        if isOver { throw CancellationError() }
        guard bytes > 0 else { return }
        state.withLock { $0.metrics.sentBodyBytes = bytes }
        context.observer?(.sent(bytes: bytes, total: request.body.length))
    }

    func noteActivity() { state.withLock { $0.deadlines.noteActivity(at: Watchdog.now) } }

    /// Reports the end of the request to the observer, once: after the body, or when the response comes before it.
    func noteRequestSent() {
        let isFirst = state.withLock { state in
            defer { state.isRequestSent = true }
            return !state.isRequestSent
        }
        if isFirst { context.observer?(.requestSent) }
    }
}

/// The pieces of a request's body.
private struct RequestPieces: AsyncSequence, Sendable {
    let exchange: Exchange

    func makeAsyncIterator() -> Iterator { Iterator(exchange: exchange) }

    struct Iterator: AsyncIteratorProtocol {
        let exchange: Exchange
        private var rest = Data()
        private var sentBytes: Int64 = 0

        init(exchange: Exchange) { self.exchange = exchange }

        mutating func next() async throws -> Data? {
            try exchange.noteSent(sentBytes)
            if rest.isEmpty {
                exchange.update { $0.isSourceSlow = true }
                defer { exchange.update { $0.isSourceSlow = false } }
                guard let piece = try await exchange.readSource() else {
                    exchange.noteRequestSent()
                    exchange.update { $0.taken.isEnd = true }
                    return nil
                }
                rest = piece
            }
            let piece = rest.prefix(64 << 10)
            rest = rest.dropFirst(piece.count)
            sentBytes += Int64(piece.count)
            exchange.update { $0.taken.bytes = sentBytes }
            return piece
        }
    }
}
