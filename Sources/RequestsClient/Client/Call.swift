import Requests

/// One call: its request, and what holds for all attempts. Cheap to copy, because closures capture it.
struct Call: Sendable {
    var request: PreparedRequest
    private(set) var sharedSettings: Shared<CallMachine.Settings>
    private let sharedPolicies: Shared<CallPolicies>
    /// The time since the call began. `nil` if it has no total timeout.
    let elapsed: (@Sendable () -> Duration)?
    var logger: CallLogger?
    /// Where the body goes, if the call is a download.
    var sink: (any FileSink)?

    /// - Parameter hasCredentials: Whether the request has an `Authorization` field, so that it doesn't inherit the
    ///   client's authentication.
    init(
        _ request: PreparedRequest,
        _ policies: CallPolicies,
        _ authentication: AuthenticationProvider,
        hasCredentials: Bool,
        _ runner: CallRunner
    ) {
        let own = request.options.timeouts
        let timeouts = own.filled(from: runner.configuration.timeouts)
        self.request = request
        if timeouts != own { self.request.options.timeouts = timeouts }
        sharedPolicies = Shared(policies)
        sharedSettings = runner.settings
        elapsed = timeouts.total == nil ? nil : runner.configuration.clock.stopwatch()
        if own.total == nil, policies.isLeftToClient, !hasCredentials, authentication.isInherited { return }
        let inherited = hasCredentials ? .none : runner.configuration.authentication
        adjust { settings in
            settings.total = timeouts.total
            settings.authentication = authentication.inheriting(inherited)
            if let redirects = policies.redirects { settings.redirects = redirects }
            if let retries = policies.retries { settings.retries = retries }
            if let maximum = policies.maximumBodyBytes {
                settings.maximumBodyBytes = maximum
                settings.commit = .end(maximumBytes: maximum)
            }
        }
    }

    var settings: CallMachine.Settings {
        _read { yield sharedSettings.value }
    }

    var policies: CallPolicies {
        _read { yield sharedPolicies.value }
    }

    /// Changes the settings of this call.
    mutating func adjust(_ change: (inout CallMachine.Settings) -> Void) {
        var settings = sharedSettings.value
        change(&settings)
        sharedSettings = Shared(settings)
    }

    var isIntercepted: Bool { policies.isIntercepted ?? true }

    /// The time that is left. `nil` if there is no limit.
    var remaining: Duration? {
        settings.total.flatMap { total in elapsed.map { min(total, Timeouts.unlimited) - $0() } }
    }

    /// Returns the time that is left, or throws if there is none.
    func remaining(before request: PreparedRequest) throws -> Duration? {
        guard let total = settings.total, let remaining, remaining <= .zero else { return remaining }
        throw TransportError.timedOut(total, request.url)
    }
}

extension CallPolicies {
    /// Whether all settings of a call are the client's.
    fileprivate var isLeftToClient: Bool { redirects == nil && retries == nil && maximumBodyBytes == nil }
}

extension ResponseError {
    /// Returns a status error that names the method of the call, and says why its request wasn't sent again.
    func describing(_ call: Call) -> ResponseError {
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
protocol FileSink: Sendable {
    /// The number of bytes of the current response.
    var partBytes: Int64 { get }

    /// The finished file as a body, for middleware.
    var body: ResponseBody { get }

    /// What a request can continue. `nil` if it starts at the beginning.
    func resumption() -> CallMachine.Resumption?

    /// Writes the body of a response, away from the caller's actor because writing blocks.
    ///
    /// - Returns: The number of bytes.
    @concurrent
    func receive(
        _ body: ResponseBody,
        _ head: ResponseHead,
        _ resumption: CallMachine.Resumption
    ) async throws -> Int64
}
