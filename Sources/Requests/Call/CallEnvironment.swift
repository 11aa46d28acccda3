/// The time, randomness, cookies and retry budget that a ``CallMachine`` reads. Passed like a `RandomNumberGenerator`,
/// so that locks stay with the caller.
public protocol CallEnvironment {
    /// The time since the call began. Asked only if the call has a total timeout.
    var elapsed: Duration { get }

    /// The current date, for `Retry-After`.
    var date: Date { get }

    /// Returns a random number from 0 to 1, for the jitter of retries.
    mutating func random() -> Double

    /// Returns the `Cookie` field of the cookies that are stored for a URL. `nil` if there are none.
    mutating func cookies(for url: RequestURL) -> String?

    /// Stores the cookies that a response sets.
    ///
    /// - Parameters:
    ///   - header: The header of the response.
    ///   - url: The URL of its request.
    mutating func keepCookies(_ header: Header, from url: RequestURL)

    /// Takes a retry from the retry budget. Returns `false` if it is used up.
    ///
    /// Asked last, only for a retry that would happen otherwise. Redirects and challenges need no budget.
    mutating func claimRetry() -> Bool

    /// Returns 128 random bits as text, for an `Idempotency-Key`.
    mutating func token() -> String
}

extension PreparedRequest {
    /// Adds a generated `Idempotency-Key` unless there is one, so that any attempt may be repeated.
    ///
    /// A driver with middleware around the call does this first, so that the key stays the same whatever it repeats.
    package mutating func identify(in environment: inout some CallEnvironment) {
        guard !header.contains(.idempotencyKey) else { return }
        header.set(Field(name: .idempotencyKey, value: environment.token()))
    }
}
