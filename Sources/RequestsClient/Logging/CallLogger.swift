import Requests

/// Logs one call from its start to its end.
final class CallLogger: Sendable {
    /// The start of the call. The other events differ in their kind.
    private let start: LogDestination.Event
    private let stopwatch: Stopwatch
    private let receive: @Sendable (LogDestination.Event) -> Void
    /// The header of the call.
    private let header: Header
    private let unredactedNames: Set<Field.Name>
    /// The status of the previous attempt, until an event mentions it.
    private let lastStatus = Locked<Int?>(nil)

    /// - Parameters:
    ///   - request: The request. `nil` if it couldn't be built.
    ///   - description: The description of the request.
    init(
        _ request: PreparedRequest?,
        _ description: String,
        _ unredactedNames: Set<Field.Name>,
        number: UInt64,
        _ clock: any Clock<Duration>,
        _ receive: @escaping @Sendable (LogDestination.Event) -> Void
    ) {
        header = request?.header ?? .empty
        self.unredactedNames = unredactedNames
        stopwatch = clock.stopwatch()
        self.receive = receive
        let shown = CallLogger.redacted(header, except: unredactedNames)
        start = LogDestination.Event(
            call: number,
            request: description,
            method: request?.method,
            origin: request?.url.origin,
            operation: request?.operation,
            kind: .started(header: shown, body: (request?.body ?? .none).description)
        )
        receive(start)
    }

    /// - Parameters:
    ///   - request: The request as it is sent.
    ///   - passedOn: The header that middleware passed on, without cookies and credentials.
    func attempts(_ request: PreparedRequest, _ passedOn: Header) {
        let added = passedOn.filter { !header.contains($0.name) }
        let shown = CallLogger.redacted(Header(added), except: unredactedNames)
        log(.attempt(url: request.url.description, after: lastStatus.withLock { $0.take() }, header: shown))
    }

    private static func redacted(_ header: Header, except names: Set<Field.Name>) -> Header {
        Header(header.map { names.contains($0.name) ? $0 : $0.redacted() })
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

    func succeeded(_ head: ResponseHead, receivedBytes: Int64?, metrics: TransferMetrics?) {
        log(
            .succeeded(
                statusCode: head.statusCode,
                receivedBytes: receivedBytes,
                after: stopwatch.elapsed,
                metrics: metrics
            )
        )
    }

    func failed(_ error: any Error) {
        if error is CancellationError { return log(.canceled(after: stopwatch.elapsed)) }
        log(
            .failed(
                code: Redaction.kind(of: error),
                statusCode: (error as? ResponseError)?.statusCode,
                because: Redaction.reason(error),
                after: stopwatch.elapsed
            )
        )
    }

    func log(_ kind: LogDestination.Event.Kind) {
        var event = start
        event.kind = kind
        receive(event)
    }
}
