import Requests

/// One attempt of a call: stored cookies, the cache, authentication, and one request or more, until there is a response
/// that no authentication flow answers.
struct Attempt: Sendable {
    private let plan: CallPlan
    private var runner: CallRunner { _read { yield plan.runner } }
    private var call: PreparedCall { _read { yield plan.call } }
    private var settings: CallSettings { _read { yield plan.settings.value } }
    /// The request before stored cookies and credentials are added.
    private let request: PreparedRequest
    private let number: Int
    private let history: [ResponseHead]
    /// How many requests the server may have acted on before this attempt: a retry asks only about its own.
    let earlierClaims: Int
    /// The request with stored cookies, for which the cache is asked.
    private var lookup: PreparedRequest
    /// The identity whose stored responses may be used. Empty without credentials.
    private var lookupOwner: String?
    /// The request that was sent last.
    private(set) var outgoing: PreparedRequest
    /// The `Cookie` fields that this attempt has set from the store. Any other one was set by a flow.
    private var fieldsFromStore: [String?] = []
    /// The responses that asked for credentials.
    private(set) var challenges: [ResponseHead] = []
    /// Whether a redirect or middleware has led to another origin. No later request gets credentials.
    private(set) var isAway: Bool

    /// - Parameters:
    ///   - request: The request of the call, or that of its last redirect.
    ///   - number: The number of the attempt since the last redirect, starting at 1.
    ///   - isAway: Whether the request has left the origin of its credentials.
    ///   - history: The responses before this attempt.
    ///   - resumption: The received part of a download.
    init(
        _ request: PreparedRequest,
        number: Int = 1,
        isAway: Bool = false,
        after history: [ResponseHead] = [],
        continuing resumption: Resumption? = nil,
        of plan: CallPlan
    ) {
        (self.request, self.number, self.isAway, self.history) = (request, number, isAway, history)
        self.plan = plan
        (lookup, outgoing) = (request, request)
        earlierClaims = plan.call.state.unproven
        resumption?.prepare(&outgoing)
        updateCookies()
        lookup = outgoing
    }

    // MARK: The cache

    /// Asks a cache, which sends the request if it has no response.
    mutating func response(from cache: any ResponseCache) async throws -> Response<ResponseBody> {
        lookupOwner = identity
        let (first, sent) = (self, SentRequest())
        defer { if let last = sent.attempt.withLock({ $0 }) { self = last } }
        return try await cache.response(to: lookup, context: cacheContext(sent)) { request in
            var attempt = sent.attempt.withLock { $0 } ?? first
            attempt.outgoing = request
            defer { sent.attempt.withLock { [attempt] in $0 = attempt } }
            return try await attempt.send(sent)
        }
    }

    /// Returns a stored response that may replace a failure. `nil` without one.
    func storedResponse(after outcome: RetryPolicy.Outcome) async -> Response<ResponseBody>? {
        guard let cache = runner.configuration.cache else { return nil }
        return await cache.response(to: lookup, after: outcome, context: cacheContext(nil))
    }

    private func cacheContext(_ sent: SentRequest?) -> CallContext {
        CallContext(call, call.options(of: lookup, runner), attempt: number, runner, identity: lookupOwner, sent: sent)
    }

    /// Without credentials, all users get the same.
    private var identity: String? { isAway ? "" : settings.authentication.identity }

    // MARK: Sending

    /// Authenticates and sends the request.
    ///
    /// - Parameter sent: Remembers for the cache what was sent.
    mutating func send(_ sent: SentRequest? = nil) async throws -> Response<ResponseBody> {
        var flow: (any AuthenticationFlow)?
        switch settings.authentication.scheme {
        case .immediate(let authenticate) where !isAway:
            try authenticate(&outgoing)
            keepCookiesAtOrigin()
        case .flow(let makeFlow) where !isAway:
            _ = try call.state.deadline.remaining(before: outgoing)
            flow = makeFlow()
            do {
                try await flow?.start(&outgoing)
            } catch {
                throw Attempt.unsent(error)
            }
            keepCookiesAtOrigin()
        default: break
        }
        while true {
            // A transport that forgets to validate could send two requests if a field contains a line break. The call's
            // own request was validated when the call began.
            if !outgoing.isIdentical(to: call.request) { try outgoing.validate() }
            let remaining = try call.state.deadline.remaining(before: outgoing)
            call.logger?.attempts(outgoing, request.header)
            let context = SendContext(remaining: remaining, attempt: number, observer: plan.observer(of: outgoing))
            if let sent {
                let last = (request: outgoing, identity: identity)
                sent.authenticated.withLock { $0 = last }
                sent.transmitted.withLock { $0 = [] }
            }
            var response =
                plan.isAlone
                ? try await runner.transmit(outgoing, context, plan, sent)
                : try await runner.send(outgoing, context, plan, sent)
            note(&response.head)
            // Something other than authentication moved the request, so no later request gets credentials.
            if !response.head.url.hasOrigin(of: outgoing.url) { isAway = true }
            guard flow != nil, !isAway, try await answer(response, by: &flow) else { return response }
        }
    }

    /// Logs a response and stores its cookies.
    private func note(_ head: inout ResponseHead) {
        // The transport doesn't know which query items of the request's URL are secret.
        if !outgoing.url.sensitiveNames.isEmpty { head.url = head.url.redacting(sameAs: outgoing.url) }
        call.logger?.receives(head)
        guard settings.usesCookies, let cookies = runner.configuration.cookies, head.header.contains(.setCookie)
        else { return }
        // Attempt middleware may have moved the request.
        let url = head.url.hasOrigin(of: outgoing.url) ? outgoing.url : head.url
        cookies.store(head.header, from: url, at: runner.configuration.date())
    }

    /// Lets a flow answer a response. Returns `true` if ``outgoing`` is now the request to send next.
    @inline(never)  // It would enlarge the frame of every attempt.
    private mutating func answer(
        _ response: Response<ResponseBody>,
        by flow: inout (any AuthenticationFlow)?
    ) async throws -> Bool {
        let head = response.head
        guard flow != nil, !refusesExpectation(head) else { return false }
        do {
            guard challenges.count < Attempt.maximumChallenges,
                case .sendAgain(let again)? = try await flow?.next(after: head),
                !call.state.mayHaveBeenProcessed(since: earlierClaims) || again.isRepeatable
            else { return false }
            guard again.body.isReplayable else {
                throw ClientError.bodyNotReplayable(
                    "\(head) requires credentials",
                    history: history + challenges + [head]
                )
            }
            outgoing = again
        } catch {
            response.content.cancel()
            throw Attempt.unsent(error)
        }
        challenges.append(head)
        try await discard(response)
        // The challenge may have set or deleted a cookie. A cookie that the flow has set stays.
        if hasStoredCookies { updateCookies() }
        keepCookiesAtOrigin()
        return true
    }

    private static let maximumChallenges = 4

    /// Returns an error of a flow. What became of a token's request says nothing about the call's.
    private static func unsent(_ error: any Error) -> any Error {
        guard var known = error as? TransportError else { return error }
        known.requestMayHaveBeenProcessed = false
        return known
    }

    /// Whether the request is sent again without `Expect`.
    func refusesExpectation(_ head: ResponseHead) -> Bool {
        head.statusCode == 417 && request.header.contains("Expect") && request.body.isReplayable
    }

    /// Drains a body that isn't needed, so that its connection can be reused, but leaves time for a wait. Throws if the
    /// call has ended.
    func discard(_ response: Response<ResponseBody>, before delay: Duration = .zero) async throws {
        let limit = Response<ResponseBody>.drainTimeout
        await response.discard(
            within: min(call.state.deadline.remaining.map { max($0 - delay, .zero) } ?? limit, limit),
            of: outgoing.method,
            on: runner.configuration.drainingClock
        )
        if let reason = call.state.reason { throw reason }
        try Task.checkCancellation()
    }

    // MARK: Cookies

    private mutating func updateCookies() {
        let stored = storedCookies
        guard stored != nil || !fieldsFromStore.isEmpty else { return }
        outgoing.header.setCookies(stored: stored, own: request.header[.cookie])
        fieldsFromStore.append(outgoing.header[.cookie])
    }

    /// Whether the cookies of ``outgoing`` are the request's and the store's. If not, a flow has set them.
    private var hasStoredCookies: Bool {
        let field = outgoing.header[.cookie]
        return field == request.header[.cookie] || fieldsFromStore.contains(field)
    }

    /// Authentication may lead to another origin, which must not get the cookies of this one.
    private mutating func keepCookiesAtOrigin() {
        guard !outgoing.hasOrigin(of: request), hasStoredCookies else { return }
        outgoing.header.setCookies(stored: storedCookies, own: nil)
        fieldsFromStore.append(outgoing.header[.cookie])
    }

    private var storedCookies: String? {
        guard settings.usesCookies else { return nil }
        return runner.configuration.cookies?.field(for: outgoing.url, at: runner.configuration.date)
    }
}
