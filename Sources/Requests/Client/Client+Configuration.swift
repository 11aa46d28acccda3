import Foundation

extension Client {
    /// What all requests of a client have in common.
    public struct Configuration: Sendable {
        /// Fields below the request's own: one of the request's replaces those of its name. None by default.
        public var header: Header = .empty

        /// How long to wait where the request does not say. No limits by default: the transport's own apply.
        ///
        /// The total timeout is one for all that a request takes: middleware, redirects, retries and the waits between
        /// them, and authentication. Middleware is not interrupted: its time counts, and no exchange begins too late.
        public var timeouts = Timeouts()

        /// Which redirects are followed; by default up to 10, and none from `https` to `http`.
        public var redirects = RedirectPolicy.follow()

        /// When a request is sent again; never by default.
        public var retries = RetryPolicy.never

        /// Keeps the cookies that servers set, and sends them back; `nil`, the default, for none of it.
        public var cookies: CookieStore?

        /// Proves who makes a request that does not authenticate itself, with a provider or an `Authorization` field of its
        /// own; nothing by default. A request that is authenticated with ``AuthenticationProvider/anonymous`` goes without.
        ///
        /// It runs for each attempt, and not any more once a redirect has led to another origin.
        public var authentication = AuthenticationProvider.none

        /// Sees each request once, before all other policies; the first is the outermost. None by default.
        public var middleware: [any Middleware] = []

        /// Sees each exchange as the transport does, credentials included; the first is the outermost. None by default.
        public var exchangeMiddleware: [any Middleware] = []

        /// Whether a response is worth decoding; by default a status of 200 to 299. What is not becomes
        /// ``ResponseError/Code/status``.
        public var validation: @Sendable (ResponseHead) -> Bool = { (200..<300).contains($0.statusCode) }

        /// How large a body may be that is read into memory, in bytes; 64 MiB by default.
        public var maximumBodyBytes = 64 << 20

        /// Where log events go; nowhere by default.
        public var log = LogDestination.none

        /// Is told of each call that fails, a cancelled one apart, before its caller; `nil`, the default, for nobody.
        public var onFailure: (@Sendable (Failure) -> Void)?

        /// The clock of the total timeout, of the waits before retries and of an ``ErrorInterceptor``, and of what logs say;
        /// the system's by default.
        public var clock: any Clock<Duration> = ContinuousClock()

        /// The clock of the wait for the end of a body that nobody reads. Not `clock`, which a test moves: chance
        /// would then decide whether the wait or the body ends first.
        package var drainingClock: any Clock<Duration> = ContinuousClock()

        /// The date and time, for `Retry-After` and the expiry of cookies; the system's by default.
        public var date: @Sendable () -> Date = { Date() }

        /// A number from 0 up to 1 for each use, for the jitter of retries; random by default.
        public var random: @Sendable () -> Double = { Double.random(in: 0..<1) }

        /// Creates a configuration with the defaults.
        public init() {}
    }
}
