extension CallMachine {
    /// The settings of a call.
    public struct Settings: Sendable {
        /// Decides which redirects are followed. Default: up to 10, and none from `https` to `http`.
        public var redirects = RedirectPolicy.follow()

        /// Decides when the request is sent again. Default: never.
        public var retries = RetryPolicy.never

        /// The authentication of each attempt, until a redirect leads to another origin. `inherited` means none.
        /// Default: none.
        public var authentication = AuthenticationProvider.inherited

        /// The time allowed for the whole call. Default: `nil`, no limit.
        public var total: Duration?

        /// The point at which the call has its result. Default: the end of the body, of at most 64 MiB.
        public var commit = Commit.end(maximumBytes: 64 << 20)

        /// Whether a response is one that ``commit`` is for. Asked once for each final response. The body of any other
        /// is read into memory, up to ``maximumBodyBytes``. Default: `nil`, every response.
        public var accepts: (@Sendable (ResponseHead) -> Bool)?

        /// The maximum size of the body of a response that isn't accepted, in bytes. Default: 64 MiB.
        public var maximumBodyBytes = 64 << 20

        /// The maximum number of requests in one attempt, which a flow can ask for.
        var maximumRoundTrips = 5

        /// Creates settings with the defaults.
        public init() {}

        /// Returns whether a request may be sent again after a wait: its body can be, there is time, and the budget
        /// allows it. The budget is asked last, because asking takes from it.
        package func mayRepeat(
            _ request: PreparedRequest,
            after delay: Duration,
            in environment: inout some CallEnvironment
        ) -> Bool {
            // If the request would be sent too late, the current result is better than a timeout.
            request.body.isReplayable && (remaining(in: environment).map { delay < $0 } ?? true)
                && environment.claimRetry()
        }

        /// The time that is left. `nil` if there is no limit.
        package func remaining(in environment: some CallEnvironment) -> Duration? {
            total.map { min($0, Timeouts.unlimited) - environment.elapsed }
        }
    }
}
