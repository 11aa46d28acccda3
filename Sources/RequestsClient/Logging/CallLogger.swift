import Requests

/// Logs one call from its start to its end.
final class CallLogger: Sendable {
    private let number: UInt64
    private let request: String
    private let method: HTTPMethod?
    private let origin: RequestURL.Origin?
    private let operation: String?
    private let elapsed: @Sendable () -> Duration
    private let receive: @Sendable (LogDestination.Event) -> Void
    /// The header of the call.
    private let header: Header
    private let unredactedNames: Set<Field.Name>
    /// The status of the previous attempt, until an event mentions it.
    private let lastStatus = Locked<Int?>(nil)

    convenience init(
        _ request: PreparedRequest,
        _ options: CallOptions,
        number: UInt64,
        _ clock: any Clock<Duration>,
        _ receive: @escaping @Sendable (LogDestination.Event) -> Void
    ) {
        self.init(request.description, request, options.unredactedNames, number, clock, receive)
        log(.started(header: redacted(request.header), body: request.body.description))
    }

    /// - Parameter request: The description of a request that couldn't be built.
    convenience init(
        unbuilt request: String,
        number: UInt64,
        _ clock: any Clock<Duration>,
        _ receive: @escaping @Sendable (LogDestination.Event) -> Void
    ) {
        self.init(request, nil, [], number, clock, receive)
        log(.started(header: .empty, body: RequestBody.none.description))
    }

    private init(
        _ request: String,
        _ built: PreparedRequest?,
        _ unredactedNames: Set<Field.Name>,
        _ number: UInt64,
        _ clock: any Clock<Duration>,
        _ receive: @escaping @Sendable (LogDestination.Event) -> Void
    ) {
        self.number = number
        self.request = request
        self.method = built?.method
        header = built?.header ?? .empty
        self.unredactedNames = unredactedNames
        self.origin = built?.url.origin
        operation = built?.operation
        self.elapsed = clock.stopwatch()
        self.receive = receive
    }

    /// - Parameters:
    ///   - request: The request as it is sent.
    ///   - passedOn: The header that middleware passed on, without cookies and credentials.
    func attempts(_ request: PreparedRequest, _ passedOn: Header) {
        let added = passedOn.filter { !header.contains($0.name) }
        log(
            .attempt(
                url: request.url.description,
                after: lastStatus.withLock { $0.take() },
                header: redacted(Header(added))
            )
        )
    }

    private func redacted(_ header: Header) -> Header {
        Header(header.map { unredactedNames.contains($0.name) ? $0 : $0.redacted() })
    }

    func receives(_ head: ResponseHead) {
        lastStatus.withLock { $0 = head.statusCode }
    }

    func retries(after delay: Duration, _ outcome: RetryPolicy.Outcome) {
        lastStatus.withLock { $0 = nil }
        switch outcome {
        case .response(let head): log(.retrying(after: delay, because: "status \(head.statusCode)"))
        case .failure(let error): log(.retrying(after: delay, because: Redaction.reason(error)))
        }
    }

    func succeeded(_ head: ResponseHead, receivedBytes: Int?, metrics: TransferMetrics?) {
        log(
            .succeeded(
                statusCode: head.statusCode,
                receivedBytes: receivedBytes,
                after: elapsed(),
                metrics: metrics
            )
        )
    }

    func failed(_ error: any Error) {
        if error is CancellationError { return log(.canceled(after: elapsed())) }
        log(
            .failed(
                code: Redaction.kind(of: error),
                statusCode: (error as? ResponseError)?.statusCode,
                because: Redaction.reason(error),
                after: elapsed()
            )
        )
    }

    func log(_ kind: LogDestination.Event.Kind) {
        receive(
            LogDestination.Event(
                call: number,
                request: request,
                method: method,
                origin: origin,
                operation: operation,
                kind: kind
            )
        )
    }
}
