import Requests

extension Client {
    /// The settings for all requests of a client.
    @dynamicMemberLookup
    public struct Configuration: Sendable {
        /// Default header fields. A field of the request replaces the default fields of the same name. Default: none.
        public var header: Header = .empty

        /// The options of requests that don't set their own. Default: the defaults of `CallOptions`.
        ///
        /// Each option is also a property of the configuration: `configuration.retries = .exponential()`. The total
        /// timeout covers everything: middleware, redirects, retries, waits, and authentication.
        public var options = CallOptions()

        /// Limits retries to a share of all requests. Default: `nil`, so that only the retry policy limits them.
        public var retryBudget: RetryBudget?

        /// Stores cookies that servers set, and sends them back. Default: `nil`, no cookies.
        public var cookies: CookieStore?

        var credentials = OriginCredentials()

        /// The maximum number of calls in progress. Others wait for their turn in order. Default: `nil`, no limit.
        ///
        /// A call ends when its caller gets the result: for a stream, the head. The wait counts towards the total
        /// timeout only. A call within another one, for example to refresh its token, doesn't wait. Copies of a client
        /// share their calls.
        public var maximumConcurrentCalls: Int?

        /// The minimum time between two reports of progress. The last one is never left out. Default: 100 milliseconds.
        public var progressInterval = Duration.milliseconds(100)

        /// Middleware around all policies, which sees each call once. The first is the outermost. Default: none.
        public var middleware: [any Middleware] = []

        /// Answers requests from stored responses, between cookies and authentication. Default: `nil`.
        ///
        /// `HTTPCache` of `RequestsCache` is a cache by RFC 9111. Requests that aren't intercepted use it, too.
        public var cache: (any ResponseCache)?

        /// Sees every attempt like the transport, including credentials. The first is the outermost. Default: none.
        public var attemptMiddleware: [any Middleware] = []

        /// Decides which responses are accepted. Default: ``Client/Validation/success``, the statuses 200 to 299. For
        /// any other response, the call throws `ResponseError.Code.status`.
        public var validation = Validation.success

        /// Receives log events. Default: nothing is logged.
        public var log = LogDestination.none

        /// Receives every failed call before its caller, except canceled ones. Default: `nil`.
        public var onFailure: (@Sendable (Failure) -> Void)?

        /// The clock of the total timeout, of waits before retries, and of the durations in logs. Default: the
        /// system's.
        public var clock: any Clock<Duration> = ContinuousClock()

        /// The clock that limits draining an unread body. Separate from ``clock``, because advancing a test clock would
        /// race with the drain.
        package var drainingClock: any Clock<Duration> = ContinuousClock()

        /// Returns the current date, for `Retry-After` and the expiry of cookies. Default: the system's.
        public var date: @Sendable () -> Date = { Date() }

        /// Returns a random number from 0 to 1, for the jitter of retries.
        public var random: @Sendable () -> Double = { Double.random(in: 0..<1) }

        /// Returns 128 random bits as text, for an `Idempotency-Key`. Default: a UUID.
        package var token: @Sendable () -> String = { UUID().uuidString }

        /// Creates a configuration with the defaults.
        public init() {}

        /// An option of ``options``.
        public subscript<Value>(dynamicMember option: WritableKeyPath<CallOptions, Value>) -> Value {
            get { options[keyPath: option] }
            set { options[keyPath: option] = newValue }
        }

        /// Authenticates the requests to one origin. No other origin gets these credentials.
        ///
        /// ```swift
        /// client.configuration.authenticate(
        ///     "https://api.example.com",
        ///     with: .bearerToken(token)
        /// )
        /// ```
        ///
        /// They apply to requests that inherit their authentication and have no `Authorization` field. Every attempt
        /// gets them, except after a redirect to another origin. A request opts out with `AuthenticationProvider.none`.
        ///
        /// - Parameters:
        ///   - origin: A scheme, a host and an optional port: `https://api.example.com`, or
        ///     `https://*.example.com` for all names below a domain. The most specific one counts. If it is anything
        ///     else, the calls that inherit their authentication throw `RequestError.Code.invalidOrigin`.
        ///   - provider: Adds the credentials. Replaces an earlier one for the same origin.
        public mutating func authenticate(_ origin: String, with provider: AuthenticationProvider) {
            credentials.set(provider, for: origin)
        }

        /// Authenticates the requests to the origin of a URL, such as an API's `baseURL`, whatever its path and query.
        public mutating func authenticate(_ url: URL, with provider: AuthenticationProvider) {
            let url = url.absoluteString
            authenticate((try? RequestURL(url))?.origin.description ?? url, with: provider)
        }
    }
}
