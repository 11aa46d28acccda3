import Requests

/// The policies of a call.
struct CallSettings: Sendable {
    /// The point at which a call has its result. Until then, a failure may be retried. Afterwards the caller gets it.
    enum Commit: Sendable, Hashable {
        /// When the head has arrived. The caller reads the body.
        case head
        /// When the first element of the body is complete. The body that the caller reads starts with it.
        case firstElement(Framing)
        /// When the body is complete in memory. A body of more bytes fails.
        case end(maximumBytes: Int)
        /// When the body is complete in a file.
        case file
    }

    var redirects = RedirectPolicy.follow()
    var retries = RetryPolicy.never
    /// The authentication of each attempt, until a redirect leads to another origin. `inherited` means none.
    var authentication = AuthenticationProvider.none
    var commit = Commit.end(maximumBytes: 64 << 20)
    /// Whether a response is one that ``commit`` is for. The body of any other is read into memory, up to
    /// ``maximumBodyBytes``. `nil` accepts every response.
    var accepts: (@Sendable (ResponseHead) -> Bool)?
    /// The maximum size of the body of a response that isn't accepted, in bytes.
    var maximumBodyBytes = 64 << 20
    var isIntercepted = true
    var usesCookies = true

    /// Takes the policies of options that contain the client's.
    mutating func set(_ options: CallOptions) {
        redirects = options.redirects ?? .follow()
        retries = options.retries ?? .never
        maximumBodyBytes = options.maximumBodyBytes ?? 64 << 20
        isIntercepted = options.isIntercepted ?? true
        usesCookies = options.usesCookies ?? true
        if case .end = commit { commit = .end(maximumBytes: maximumBodyBytes) }
    }
}

extension Client.Configuration {
    /// Returns whether a request may be sent again after a wait: its body can be, there is time, and the budget allows
    /// it. The budget is asked last, because asking takes from it.
    func mayRepeat(_ request: PreparedRequest, after delay: Duration, remaining: Duration?) -> Bool {
        // If the request would be sent too late, the current result is better than a timeout.
        request.body.isReplayable && (remaining.map { delay < $0 } ?? true) && (retryBudget?.takeRetry() ?? true)
    }
}

extension PreparedRequest {
    /// Adds a generated `Idempotency-Key` unless there is one, so that any attempt may be repeated.
    mutating func identify(with key: @autoclosure () -> String) {
        guard !header.contains(.idempotencyKey) else { return }
        header.set(Field(name: .idempotencyKey, value: key()))
    }
}
