/// What a stream of events knows between two of its connections.
///
/// Specification: WHATWG HTML §9.2.3.
struct Reconnection: Sendable {
    private let policy: RetryPolicy
    /// Where to go on; `nil` as long as no stream has ended, where nobody says so but the request.
    private var lastEventID: String?
    /// How long to wait at least.
    private var time = Duration.seconds(3)
    /// A client may wait longer than a stream says. One that says 0, and ends at once, would be asked again without
    /// a pause, for ever.
    private static let shortestTime = Duration.milliseconds(100)
    /// How many attempts have failed in a row.
    private var failures = 0

    init(policy: RetryPolicy, lastEventID: String?) {
        self.policy = policy
        self.lastEventID = lastEventID
    }

    /// Asks for events, those after the last one.
    func prepare(_ request: inout PreparedRequest) {
        request.header.set(.accept(.eventStream))
        request.header.set(.cacheControl(.noStore))
        // Attempts are counted here.
        request.options.retries = .never
        guard let lastEventID else { return }
        if lastEventID.isEmpty {
            request.header.remove(.lastEventID)
        } else {
            request.header.set(Field(name: .lastEventID, value: lastEventID))
        }
    }

    /// A stream has begun, which ends a row of failures.
    mutating func opened() {
        failures = 0
    }

    /// A stream has come to its end, or broken.
    mutating func ended(_ stream: ServerSentEventParser) {
        lastEventID = stream.lastEventID
        if let retry = stream.retry { time = max(retry, Reconnection.shortestTime) }
    }

    /// - Parameter failure: Why there was no stream, or not all of it; `nil` where the server has ended it.
    /// - Returns: How long to wait before the next connection; `nil` when there is none.
    mutating func delay(
        after failure: (any Error)?,
        of request: PreparedRequest,
        _ configuration: Client.Configuration
    ) -> Duration? {
        guard let failure else {
            return policy.limit > 0 && request.isRepeatable && request.body.isReplayable ? time : nil
        }
        let step = policy.step(
            after: (failure as? ResponseError).map { .response($0.head) } ?? .failure(failure),
            to: request,
            retries: failures,
            random: configuration.random,
            now: configuration.date
        )
        guard case .retry(let delay) = step else { return nil }
        failures += 1
        return time + delay
    }
}

extension MediaType {
    static let eventStream = MediaType(type: "text", subtype: "event-stream")
}

extension Field.Name {
    static let lastEventID: Field.Name = "Last-Event-ID"
}
