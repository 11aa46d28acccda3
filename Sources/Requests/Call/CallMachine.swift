/// One call as a value: every decision between a request and its result.
///
/// A machine decides about redirects, retries, challenges, cookies and the total timeout. It never sends, waits, locks
/// or reads a clock. Its driver carries out each ``Action`` and passes the result back as an ``Event``:
///
/// 1. Create a machine, and pass ``Event/begin`` to ``next(_:in:)``.
/// 2. Do what the action says: send a request, wait, read a body.
/// 3. Pass the result as an event, and get the next action, until ``Action/deliver(history:)`` or ``Action/fail(_:)``.
///
/// `Client` is such a driver. Write your own if your input and output can't be a `Transport`.
public struct CallMachine: Sendable {
    /// The event that the machine waits for.
    enum State: Sendable {
        case ready
        case authenticating
        case sending
        indirect case challenging(ResponseHead)
        case receiving(Commit)
        indirect case discarding(Continuation)
        indirect case waiting(RetryPolicy.Outcome)
        case ended
    }

    /// The step after a discarded response.
    enum Continuation: Sendable {
        /// A redirect, or the same request without something that the server refused.
        case attempt
        /// The request with an answer to a challenge.
        case resend
        case wait(Duration, RetryPolicy.Outcome)
    }

    private let sharedSettings: CopyOnWrite<Settings>

    var state = State.ready

    /// The request of this redirect, without stored cookies and credentials.
    public internal(set) var request: PreparedRequest

    /// The request that was sent last, or is sent next.
    var outgoing: PreparedRequest

    /// The `Cookie` field of ``outgoing``, if it contains stored cookies.
    var cookie: String?

    /// The responses that redirected.
    var redirects: [ResponseHead] = []

    /// The responses before this redirect: redirects and challenges.
    var history: [ResponseHead] = []

    /// The responses of this attempt that asked for something else, such as credentials.
    var challenges: [ResponseHead] = []

    /// The number of retries since the last redirect.
    var retries = 0

    /// Whether the server may have acted on an earlier request of this attempt.
    var attemptMayHaveBeenProcessed = false

    /// Whether the server may have acted on an earlier attempt.
    var mayHaveBeenProcessed = false

    /// Whether the transport decodes the body of the current response.
    var isDecoded = false

    /// Whether a redirect led to another origin, which gets no credentials.
    var isAway = false

    /// The received part of a download. `nil` for other calls.
    public internal(set) var resumption: Resumption?

    /// Creates the machine of a call.
    ///
    /// - Parameters:
    ///   - request: The request, without stored cookies and credentials.
    ///   - settings: The settings of the call.
    ///   - resumption: The received part of a download that is continued. Default: `nil`, so that each attempt starts
    ///     at the beginning.
    public init(_ request: PreparedRequest, _ settings: Settings, resuming resumption: Resumption? = nil) {
        self.init(request, CopyOnWrite(settings), resuming: resumption)
    }

    package init(_ request: PreparedRequest, _ settings: CopyOnWrite<Settings>, resuming resumption: Resumption?) {
        sharedSettings = settings
        self.request = request
        outgoing = request
        self.resumption = settings.value.commit == .file ? resumption ?? Resumption(canResume: false) : nil
    }

    /// The settings of the call.
    public var settings: Settings {
        _read { yield sharedSettings.value }
    }

    /// The number of the attempt, starting at 1. Every retry adds one. The request of a redirect starts at 1 again.
    public var attempt: Int { retries + 1 }

    /// Whose credentials the next request has. `nil` after a redirect to another origin, which gets none.
    package var identity: String? { isAway ? nil : settings.authentication.identity }

    /// Why the request is sent again. `nil` unless the machine waits for a retry.
    package var retryReason: RetryPolicy.Outcome? {
        if case .waiting(let outcome) = state { outcome } else { nil }
    }

    /// Decides what follows an event.
    ///
    /// - Parameters:
    ///   - event: The result of the last action. The first is ``Event/begin``.
    ///   - environment: The driver's clock, random numbers, cookies and retry budget.
    /// - Returns: The next action. After ``Action/deliver(history:)`` and ``Action/fail(_:)`` the call is over.
    public mutating func next(_ event: Event, in environment: inout some CallEnvironment) -> Action {
        switch event {
        case .begin:
            guard case .ready = state else { break }
            if request.options.isIdempotent == true { request.identify(in: &environment) }
            return begin(&environment)
        case .authenticated(let request):
            guard case .authenticating = state else { break }
            outgoing = request
            return sendAuthenticated(&environment)
        case .response(let head, let isDecoded):
            guard case .sending = state else { break }
            self.isDecoded = isDecoded
            return respond(to: head, &environment)
        case .challenged(let step):
            guard case .challenging(let head) = state else { break }
            return follow(step, head, &environment)
        case .received(let bytes):
            guard case .receiving(let commit) = state else { break }
            guard case .file = commit else { return deliver() }
            return receivedPart(bytes, &environment)
        case .discarded:
            guard case .discarding(let continuation) = state else { break }
            return proceed(continuation, &environment)
        case .waited:
            guard case .waiting(let outcome) = state else { break }
            return waited(after: outcome, &environment)
        case .failed(let error, let bytes):
            return failed(error, receivedBytes: bytes, &environment)
        }
        return end(with: CallMachine.unexpectedEvent)
    }

    package static let unexpectedEvent = ClientError(
        code: .unexpectedEvent,
        message: "The event doesn't belong to the machine's last action. Tell it what came of that action."
    )
}
