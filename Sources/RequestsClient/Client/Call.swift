import Requests

/// One call from its request to its response, in the order in which things happen: attempts, retries, redirects, and
/// the body as far as the call's goal needs it. After that, the caller gets each failure.
///
/// The policies decide as values: `RetryPolicy.step` decides whether and when a request is sent again,
/// `RedirectPolicy.step` which credentials and body a redirect keeps, and ``Delivery`` which part is requested and how
/// far a response is read.
struct Call: ~Copyable {
    private typealias Step = Delivery.Step

    private let plan: CallPlan
    private var configuration: Client.Configuration { _read { yield plan.runner.configuration } }
    private var state: CallState { plan.state }
    /// The first request, or that of the last redirect, before stored cookies and credentials are added.
    private var request: PreparedRequest
    private var attempt: Attempt
    private var delivery: Delivery
    private var redirects: [ResponseHead] = []
    /// The redirects and refused expectations so far, and the challenges before them. No retried responses.
    private var history: [ResponseHead] = []
    private var historySoFar: [ResponseHead] { history.isEmpty ? attempt.challenges : history + attempt.challenges }
    /// The number of retries since the last redirect.
    private var retries = 0
    /// `false` after a stored body was damaged.
    private var mayUseCache = true

    init(_ plan: CallPlan) {
        (self.plan, request, delivery) = (plan, plan.request, Delivery(plan))
        attempt = Attempt(request, delivery, of: plan)
    }

    /// Sends the request until there is a response to deliver.
    mutating func run() async throws -> Response<ResponseBody> {
        while true {
            var step: Step
            do {
                let response =
                    if mayUseCache, let cache = configuration.cache {
                        try await attempt.response(from: cache)
                    } else {
                        try await attempt.send()
                    }
                step = .deliver(response)
            } catch {
                step = try await retry(after: error)
            }
            if case .deliver(let response) = step { step = try await process(response) }
            if case .deliver(var response) = step {
                if !historySoFar.isEmpty { response.history = historySoFar + response.history }
                return response
            }
            attempt = Attempt(request, delivery, of: plan, number: retries + 1, history: history, after: attempt)
        }
    }

    /// Does what follows a response. `again` if the next request is prepared.
    private mutating func process(_ received: Response<ResponseBody>) async throws -> Step {
        var response = received
        if attempt.refusesExpectation(response.head) { return try await withdrawExpectation(response) }
        if let delay = takeRetry(after: response.head) {
            try await wait(delay, since: .response(response.head), discarding: response)
            return .again
        }
        if response.head.statusCode >= 500, let stored = await storedResponse(after: .response(response.head)) {
            response.content.cancel()
            response = stored
        }
        if try prepareRedirect(after: response) {
            try await attempt.discard(response)
            return .again
        }
        return try await receive(response)
    }

    // MARK: After a response

    /// Prepares the request without `Expect`, because the server didn't act on it (RFC 9110 §10.1.1).
    private mutating func withdrawExpectation(_ response: Response<ResponseBody>) async throws -> Step {
        request.header.remove("Expect")
        history = historySoFar + [response.head]
        try await attempt.discard(response)
        return .again
    }

    /// Prepares the request of a redirect. Returns `false` if the response is the final one.
    private mutating func prepareRedirect(after response: Response<ResponseBody>) throws -> Bool {
        let head = response.head
        guard RedirectPolicy.redirects(head.statusCode) else { return false }
        switch plan.policies.redirects.step(after: head, to: request, history: redirects) {
        case .deliver: return false
        case .stop(let error):
            response.content.cancel()
            throw error
        case .follow(let next):
            // Authentication may have moved the request that was redirected.
            if !head.url.hasOrigin(of: plan.request.url) || !next.hasOrigin(of: plan.request) { attempt.isAway = true }
            redirects.append(head)
            history = historySoFar + [head]
            (request, retries) = (next, 0)
            return true
        }
    }

    /// Reads the response as far as the goal needs it. If that fails, a stored response is the last resort.
    private mutating func receive(_ response: Response<ResponseBody>) async throws -> Step {
        let step: Step
        do {
            step = try await delivery.receive(response, to: request, after: historySoFar)
        } catch {
            // Frees the connection before the wait.
            response.content.cancel()
            if mayUseCache, (error as? TransportError)?.code == .damaged {
                mayUseCache = false
                return .again
            }
            guard delivery.mayRetry(after: error) else { throw error }
            guard case .deliver(let stored) = try await retry(after: error) else { return .again }
            return try await delivery.receive(stored, to: request, after: historySoFar)
        }
        if case .again = step { try await attempt.discard(response) }
        return step
    }

    // MARK: Retries

    private func takeRetry(after head: ResponseHead) -> Duration? {
        plan.policies.retries.mayRetry(head.statusCode) ? takeRetry(after: .response(head)) : nil
    }

    private func takeRetry(after outcome: RetryPolicy.Outcome) -> Duration? {
        plan.takeRetry(after: outcome, plan.policies.retries, to: request, retries: retries)
    }

    /// Waits before the next attempt. If there is none, delivers a stored response, or throws the error without one.
    private mutating func retry(after error: any Error) async throws -> Step {
        // The policy must know whether this attempt may have been processed. `failure(_:)` says so of the whole call.
        let outcome = RetryPolicy.Outcome.failure(state.reporting(error, since: attempt.processedBefore))
        guard (error as? ClientError)?.code != .bodyNotReplayable, let delay = takeRetry(after: outcome) else {
            guard let stored = await storedResponse(after: outcome) else { throw failure(outcome) }
            return .deliver(stored)
        }
        try await wait(delay, since: outcome)
        return .again
    }

    /// A stored response instead of a failure.
    private func storedResponse(after outcome: RetryPolicy.Outcome) async -> Response<ResponseBody>? {
        mayUseCache && delivery.acceptsStaleResponses ? await attempt.storedResponse(after: outcome) : nil
    }

    /// - Parameter response: The response that is retried.
    private mutating func wait(
        _ delay: Duration,
        since outcome: RetryPolicy.Outcome,
        discarding response: Response<ResponseBody>? = nil
    ) async throws {
        // If the time ends while the response is discarded, or in the wait, the caller gets the outcome and no timeout.
        // An error here ends the call, so the outcome stays.
        state.reportOnTimeout(failure(outcome))
        if let response { try await attempt.discard(response, before: delay) }
        if let remaining = state.deadline.remaining, delay >= remaining { throw failure(outcome) }
        try await plan.wait(delay, after: outcome)
        if let remaining = state.deadline.remaining, remaining <= .zero { throw failure(outcome) }
        state.reportOnTimeout(nil)
        retries += 1
    }

    private func failure(_ outcome: RetryPolicy.Outcome) -> any Error {
        switch outcome {
        case .response(let head): ResponseError.status(head, Data())
        case .failure(let error as TransportError): state.reporting(error.naming(attempts: retries + 1))
        case .failure(let error): error
        }
    }
}
