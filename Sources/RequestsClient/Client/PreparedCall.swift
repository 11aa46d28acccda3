import Requests

/// One call: its request, and the state that all attempts share. Cheap to copy, because closures capture it.
struct PreparedCall: Sendable {
    /// The request without credentials.
    let request: PreparedRequest
    /// The request's options over the client's.
    let options: CallOptions
    private(set) var sharedSettings: CopyOnWrite<CallSettings>
    /// Whether the client's credentials are added.
    private let isInheriting: Bool
    let state: CallState
    var logger: CallLogger?
    /// Where the body goes, if the call is a download.
    var sink: (any FileSink)?
    /// Receives the progress of the request's body.
    var progress: ProgressReporter?
    /// Call middleware inside the client's, which this call adds.
    var innermost: (any Middleware)?

    /// Builds everything but the authentication. Borrows the input, which is large to copy.
    init(_ input: borrowing some PreparableRequest, _ runner: CallRunner) throws {
        var request = try input.unauthenticated(defaults: runner.configuration.header)
        let isOwn = request.options.setsPolicies
        options = request.options.filled(from: runner.configuration.options)
        request.take(options)
        state = CallState(Deadline(request.options.timeouts.total, on: runner.configuration.clock))
        if options.isIdempotent == true { request.identify(with: state.key(or: runner.configuration.token)) }
        let own = input.authenticationProvider
        isInheriting = own.isInheriting && !request.isAuthenticated
        sharedSettings = try runner.settings(authenticating: isInheriting ? request.url : nil)
        self.request = request
        if !isOwn, own.isInherited { return }
        settings.authentication = own.inheriting(settings.authentication)
        if isOwn { settings.set(options) }
    }

    var settings: CallSettings {
        _read { yield sharedSettings.value }
        _modify { yield &sharedSettings.value }
    }

    /// Returns the options of a request, which call middleware may have changed, over the client's.
    func options(of request: PreparedRequest, _ runner: CallRunner) -> CallOptions {
        request.options == self.request.options ? options : request.options.filled(from: runner.configuration.options)
    }

    /// Returns the settings for a request that middleware has passed on, and prepares it.
    ///
    /// The request's options count, but for the total timeout, which belongs to the call. Credentials stay at their
    /// origin, and an `Authorization` field that middleware has set is the request's own.
    func settings(for request: inout PreparedRequest, _ runner: CallRunner) throws -> CopyOnWrite<CallSettings> {
        if request.isIdentical(to: self.request) { return sharedSettings }
        var settings = sharedSettings
        if request.options != self.request.options {
            request.options.timeouts.total = self.request.options.timeouts.total
            let options = request.options.filled(from: runner.configuration.options)
            request.take(options)
            settings.value.set(options)
        }
        if request.options.isIdempotent ?? options.isIdempotent ?? false {
            request.identify(with: state.key(or: runner.configuration.token))
        }
        let authorization = request.header[.authorization]
        let hasOwnCredentials =
            request.isAuthenticated && !self.request.isAuthenticated
            || authorization != nil && authorization != self.request.header[.authorization]
        if isInheriting && hasOwnCredentials || !request.hasOrigin(of: self.request) {
            let url = isInheriting && !hasOwnCredentials ? request.url : nil
            settings.value.authentication = try runner.settings(authenticating: url).value.authentication
        }
        return settings
    }
}

extension CallOptions {
    /// Whether the options change the settings of a call.
    fileprivate var setsPolicies: Bool {
        timeouts.total != nil || redirects != nil || retries != nil || maximumBodyBytes != nil || isIntercepted != nil
            || usesCookies != nil
    }
}

extension ResponseError {
    /// Returns a status error that names the method of the call, and says why its request wasn't sent again.
    func describing(_ call: PreparedCall) -> ResponseError {
        let request = call.request
        guard code == .status, head.url == request.url else { return self }
        let isRetried = call.settings.retries.retriesIfSafe(head)
        let reason =
            if !request.body.isReplayable {
                "its body can be sent only once"
            } else if !request.isRepeatable {
                "the server may have processed it; an Idempotency-Key makes that safe"
            } else {
                String?.none
            }
        return naming(request.method, hint: isRetried ? reason.map { "It wasn't sent again, because \($0)." } : nil)
    }
}

/// Where the body of a call goes whose commit point is a complete file.
protocol FileSink: AnyObject, Sendable {
    /// The number of bytes of the current response.
    var partBytes: Int64 { get }

    /// The finished file as a body, for middleware.
    var body: ResponseBody { get }

    /// The part that a request continues. `nil` if it starts at the beginning.
    func resumption() -> Resumption?

    /// Writes the body of a response, away from the caller's actor because writing blocks.
    ///
    /// - Returns: The number of bytes.
    @concurrent
    func receive(
        _ body: ResponseBody,
        _ head: ResponseHead,
        _ resumption: Resumption
    ) async throws -> Int64
}

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
    package func mayRepeat(_ request: PreparedRequest, after delay: Duration, remaining: Duration?) -> Bool {
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
