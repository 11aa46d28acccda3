/// Tells of one call, from its start to its end.
final class CallJournal: Sendable {
    private let call: UInt64
    private let request: String
    private let elapsed: @Sendable () -> Duration
    private let receive: @Sendable (LogEvent) -> Void
    /// The status of the exchange before, where nothing was told of it yet.
    private let lastStatus = Guarded<Int?>(nil)

    convenience init(
        _ request: PreparedRequest,
        _ call: UInt64,
        _ clock: any Clock<Duration>,
        _ receive: @escaping @Sendable (LogEvent) -> Void
    ) {
        let shown = request.options.unredactedNames
        let header = request.header.map { field in
            field.isSensitive && !shown.contains(field.name)
                ? Field(name: field.name, value: Redaction.placeholder) : field
        }
        self.init(request.description, call, clock, receive)
        tell(.started(header: Header(header), body: request.body.description))
    }

    /// - Parameter request: What is known of a request that could not be built.
    convenience init(
        unbuilt request: String,
        _ call: UInt64,
        _ clock: any Clock<Duration>,
        _ receive: @escaping @Sendable (LogEvent) -> Void
    ) {
        self.init(request, call, clock, receive)
        tell(.started(header: .empty, body: RequestBody.none.description))
    }

    private init(
        _ request: String,
        _ call: UInt64,
        _ clock: any Clock<Duration>,
        _ receive: @escaping @Sendable (LogEvent) -> Void
    ) {
        self.call = call
        self.request = request
        self.elapsed = clock.stopwatch()
        self.receive = receive
    }

    func attempts(_ request: PreparedRequest) {
        tell(.attempt(url: request.url.description, after: lastStatus.withLock { $0.take() }))
    }

    func receives(_ head: ResponseHead) {
        lastStatus.withLock { $0 = head.statusCode }
    }

    func retries(after delay: Duration, _ outcome: RetryPolicy.Outcome) {
        lastStatus.withLock { $0 = nil }
        switch outcome {
        case .response(let head): tell(.retrying(after: delay, because: "answered \(head.statusCode)"))
        case .failure(let error): tell(.retrying(after: delay, because: Redaction.reason(error)))
        }
    }

    func succeeded(_ head: ResponseHead, receivedBytes: Int?, metrics: TransferMetrics?) {
        let outcome = LogEvent.Outcome(
            statusCode: head.statusCode,
            receivedBytes: receivedBytes,
            duration: elapsed(),
            metrics: metrics
        )
        tell(.succeeded(outcome))
    }

    func failed(_ error: any Error) {
        tell(.failed(because: Redaction.reason(error), after: elapsed()))
    }

    private func tell(_ kind: LogEvent.Kind) {
        receive(LogEvent(call: call, request: request, kind: kind))
    }
}
