import Requests

/// One attempt of a call: stored cookies, the cache, authentication, and one request or more, until there is a response
/// that no authentication flow answers.
struct Attempt: Sendable {
    private let plan: CallPlan
    private var configuration: Client.Configuration { _read { yield plan.runner.configuration } }
    private var policies: Policies { plan.policies }
    /// The request before stored cookies and credentials are added.
    private let request: PreparedRequest
    private let number: Int
    private let history: [ResponseHead]
    /// The number of requests that may have been processed before this attempt: a retry asks only about its own.
    let processedBefore: Int
    /// The request with stored cookies, for which the cache is asked.
    private var lookup: PreparedRequest
    /// The identity whose stored responses may be used. Empty without credentials.
    private var lookupOwner: String?
    /// The request that was sent last.
    private(set) var outgoing: PreparedRequest
    /// The cookies of the store in ``lookup``, which authentication gets.
    private var storedCookies: Set<Substring> = []
    /// Authenticates the request. `nil` before it has started.
    private var flow: (any AuthenticationFlow)?
    /// The responses that asked for credentials.
    private(set) var challenges: [ResponseHead] = []
    /// Whether a redirect or middleware has led to another origin. No later request gets credentials.
    var isAway: Bool

    /// - Parameters:
    ///   - request: The request of the call, or that of its last redirect.
    ///   - delivery: Adds the fields that ask for the missing part of a file.
    ///   - number: The number of the attempt since the last redirect, starting at 1.
    ///   - history: The responses before this attempt.
    ///   - last: The attempt before. `nil` if there is none.
    init(
        _ request: PreparedRequest,
        _ delivery: borrowing Delivery,
        of plan: CallPlan,
        number: Int = 1,
        history: [ResponseHead] = [],
        after last: Attempt? = nil
    ) {
        (self.plan, self.request, self.number, self.history) = (plan, request, number, history)
        (lookup, outgoing) = (request, request)
        isAway = last?.isAway ?? false
        flow = last?.flow is any CallFlow ? last?.flow : nil
        processedBefore = plan.state.processed
        delivery.prepare(&outgoing)
        if let cookies = cookies() { storedCookies = outgoing.header.addCookies(cookies) }
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
        guard let cache = configuration.cache else { return nil }
        return await cache.response(to: lookup, after: outcome, context: cacheContext(nil))
    }

    private func cacheContext(_ sent: SentRequest?) -> CallContext {
        plan.context(for: lookup, attempt: number, identity: lookupOwner, sent: sent)
    }

    /// Without credentials, all users get the same.
    private var identity: String? { isAway ? "" : policies.authentication.identity }

    // MARK: Sending

    /// Authenticates and sends the request.
    ///
    /// - Parameter sent: Remembers for the cache what was sent.
    mutating func send(_ sent: SentRequest? = nil) async throws -> Response<ResponseBody> {
        try await authenticate()
        while true {
            // A transport that forgets to validate could send two requests if a field contains a line break. The
            // plan's own request is valid.
            if !outgoing.isIdentical(to: plan.request) { try outgoing.validate() }
            let deadline = plan.state.deadline
            try deadline.check(before: outgoing)
            plan.logger?.attempts(outgoing, request.header)
            var context = SendContext(deadline: deadline, attempt: number, observer: plan.observer(of: outgoing))
            if case .body = plan.goal { context.collectsBody = true }
            if let sent {
                let last = (request: outgoing, identity: identity)
                sent.authenticated.withLock { $0 = last }
                sent.transmitted.withLock { $0 = [] }
            }
            var response =
                plan.skipsMiddleware
                ? try await plan.runner.transmit(outgoing, context, plan, sent)
                : try await plan.runner.send(outgoing, context, plan, sent)
            note(&response.head)
            // Something other than authentication moved the request, so no later request gets credentials.
            if !response.head.url.hasOrigin(of: outgoing.url) { isAway = true }
            guard flow != nil, !isAway, try await answer(response) else { return response }
        }
    }

    /// Adds credentials, unless the request has left their origin.
    private mutating func authenticate() async throws {
        switch policies.authentication.scheme {
        case .immediate(let authenticate) where !isAway: try authenticate(&outgoing)
        case .flow(let makeFlow) where !isAway:
            try plan.state.deadline.check(before: outgoing)
            if flow == nil { flow = makeFlow() }
            do {
                try await flow?.start(&outgoing)
            } catch {
                throw Attempt.unsent(error)
            }
        default: return
        }
        if !outgoing.hasOrigin(of: request) { updateCookies() }
    }

    /// Logs a response and stores its cookies.
    private func note(_ head: inout ResponseHead) {
        // The transport doesn't know which query items of the request's URL are secret.
        if !outgoing.url.sensitiveNames.isEmpty { head.url = head.url.redacting(sameAs: outgoing.url) }
        plan.logger?.receives(head)
        guard policies.usesCookies, let cookies = configuration.cookies, head.header.contains(.setCookie)
        else { return }
        // Attempt middleware may have moved the request.
        let url = head.url.hasOrigin(of: outgoing.url) ? outgoing.url : head.url
        cookies.store(head.header, from: url, at: configuration.date())
    }

    /// Lets the flow answer a response. Returns `true` if ``outgoing`` is now the request to send next.
    @inline(never)  // It would enlarge the frame of every attempt.
    private mutating func answer(_ response: Response<ResponseBody>) async throws -> Bool {
        let head = response.head
        guard !refusesExpectation(head) else { return false }
        do {
            guard challenges.count < Attempt.maximumChallenges,
                case .sendAgain(let again)? = try await flow?.next(after: head),
                !plan.state.mayHaveBeenProcessed(since: processedBefore) || again.isRepeatable
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
        // The challenge may have set or deleted a cookie.
        updateCookies()
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
            within: min(plan.state.deadline.remaining.map { max($0 - delay, .zero) } ?? limit, limit),
            of: outgoing.method,
            on: configuration.drainingClock
        )
        if let reason = plan.state.reason { throw reason }
        try Task.checkCancellation()
    }

    // MARK: Cookies

    /// Replaces the cookies of the store in the request that authentication has returned. If it leads to another
    /// origin, the request's own cookies stay behind, too. A field that authentication has replaced stays as it is.
    private mutating func updateCookies() {
        let own = Set(Header.cookies(in: request.header[.cookie] ?? ""))
        let known = storedCookies.union(own)
        let present = Header.cookies(in: outgoing.header[.cookie] ?? "")
        guard present.isEmpty || present.contains(where: known.contains) else { return }
        outgoing.header.removeCookies(outgoing.hasOrigin(of: request) ? storedCookies : known)
        if let cookies = cookies() { _ = outgoing.header.addCookies(cookies) }
    }

    /// The store's cookies for ``outgoing``. `nil` if there are none.
    private func cookies() -> String? {
        guard policies.usesCookies else { return nil }
        return configuration.cookies?.field(for: outgoing.url, at: configuration.date)
    }
}
