import Foundation
import Requests

extension Client {
    /// The settings for all requests of a client.
    public struct Configuration: Sendable {
        /// Default header fields. A field of the request replaces the default fields of the same name. Default: none.
        public var header: Header = .empty

        /// The default time limits of requests. Default: the limits of the transport.
        ///
        /// The total timeout covers everything: middleware, redirects, retries, waits, and authentication.
        public var timeouts = Timeouts()

        /// Which redirects are followed. Default: up to 10, and none from `https` to `http`.
        public var redirects = RedirectPolicy.follow()

        /// When a request is sent again. Default: never.
        public var retries = RetryPolicy.never

        /// Limits retries to a share of all requests. Default: `nil`, so that only ``retries`` limits them.
        public var retryBudget: RetryBudget?

        /// Stores cookies that servers set, and sends them back. Default: `nil`, no cookies.
        public var cookies: CookieStore?

        /// The authentication of requests that inherit it and have no `Authorization` field. Default: none.
        ///
        /// Runs for each attempt until a redirect leads to another origin. A request opts out with
        /// `AuthenticationProvider.none`.
        public var authentication = AuthenticationProvider.none

        /// Sees each request once, before all other policies. The first is the outermost. Default: none.
        public var middleware: [any Middleware] = []

        /// Sees every exchange like the transport, including credentials. The first is the outermost. Default: none.
        public var exchangeMiddleware: [any Middleware] = []

        /// Which responses are accepted. Default: ``Client/Validation/success``, the statuses 200 to 299. For any
        /// other response the call throws `ResponseError.Code.status`.
        public var validation = Validation.success

        /// The maximum size of a body that is read into memory, in bytes. Default: 64 MiB.
        public var maximumBodyBytes = 64 << 20

        /// Receives log events. Default: nothing is logged.
        public var log = LogDestination.none

        /// Receives every failed call before its caller, except canceled ones. Default: `nil`.
        public var onFailure: (@Sendable (Failure) -> Void)?

        /// The clock of the total timeout, of waits before retries, and of the durations in logs. Default: the
        /// system's.
        public var clock: any Clock<Duration> = ContinuousClock()

        /// The clock of the wait for the end of an unread body. Not `clock`, because a test that moves it would have to
        /// decide a race.
        package var drainingClock: any Clock<Duration> = ContinuousClock()

        /// Returns the current date, for `Retry-After` and the expiry of cookies. Default: the system's.
        public var date: @Sendable () -> Date = { Date() }

        /// Returns a random number from 0 to 1, for the jitter of retries.
        public var random: @Sendable () -> Double = { Double.random(in: 0..<1) }

        /// Creates a configuration with the defaults.
        public init() {}
    }
}
