/// The state of a stream of events between two connections, each of which is one call.
///
/// Specification: WHATWG HTML §9.2.3.
package struct Reconnection: Sendable {
    private let policy: RetryPolicy
    /// Where to continue. `nil` leaves it to the request.
    private var lastEventID: String?
    /// The minimum wait.
    private var wait = Duration.seconds(3)
    /// Without a minimum, a server with `retry: 0` and an immediate end would be asked in an endless loop.
    private static let minimumWait = Duration.milliseconds(100)
    /// The maximum wait, which a server can raise to centuries otherwise.
    private static let maximumWait = Duration.seconds(60 * 60)
    /// The size of the longest identifier that is sent back, in bytes. Servers limit the size of a request's header.
    private static let maximumIDBytes = 4 << 10
    /// The number of failed attempts in a row.
    private var failures = 0

    package init(policy: RetryPolicy?, lastEventID: String?) {
        self.policy = policy ?? .exponential(limit: 10, initial: .seconds(1), maximum: .seconds(60))
        self.lastEventID = lastEventID
    }

    /// Makes a request ask for the events after the last one.
    package func prepare(_ request: inout PreparedRequest) {
        request.header.set(.accept(.eventStream))
        request.header.set(.cacheControl(.noStore))
        guard let lastEventID else { return }
        if lastEventID.isEmpty {
            request.header.remove(.lastEventID)
        } else {
            request.header.set(Field(name: .lastEventID, value: lastEventID))
        }
    }

    /// An event proves that the server works. A head doesn't: a server that fails after it would be asked for ever.
    package mutating func received() { failures = 0 }

    package mutating func ended(_ stream: ServerSentEventParser) {
        let id = stream.lastEventID
        // The stream goes on without an identifier that can't be sent.
        lastEventID = id.utf8.count <= Reconnection.maximumIDBytes && ASCII.isFieldValue(id) ? id : ""
        if let retry = stream.retry { wait = min(max(retry, Reconnection.minimumWait), Reconnection.maximumWait) }
    }

    /// - Parameter failure: Why the stream broke. `nil` if the server ended it.
    /// - Returns: The time to wait before the next connection. `nil` if there is none.
    package mutating func delay(
        after failure: (any Error)?,
        of request: PreparedRequest,
        date: () -> Date,
        random: () -> Double
    ) -> Duration? {
        guard let failure else {
            return policy.limit > 0 && request.isRepeatable && request.body.isReplayable ? wait : nil
        }
        let step = policy.step(
            after: (failure as? ResponseError).map { .response($0.head) } ?? .failure(failure),
            to: request,
            retries: failures,
            date: date,
            random: random
        )
        guard case .retry(let delay) = step else { return nil }
        failures += 1
        return wait + delay
    }
}

extension Field.Name {
    package static let lastEventID: Field.Name = "Last-Event-ID"
}
