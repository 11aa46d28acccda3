import Requests

/// One call from its request to its response, in the order in which things happen: attempts, retries, redirects, and
/// the body up to `CallSettings.Commit`, after which the caller gets each failure.
///
/// The policies decide as values: `RetryPolicy.step` whether a request is sent again and after which delay,
/// `RedirectPolicy.step` what becomes of a redirect's credentials and body, and `Resumption` which part of a file is
/// needed.
struct Call: ~Copyable {
    private let plan: CallPlan
    private var runner: CallRunner { _read { yield plan.runner } }
    private var call: PreparedCall { _read { yield plan.call } }
    private var settings: CallSettings { _read { yield plan.settings.value } }
    /// The first request, or that of the last redirect, before stored cookies and credentials are added.
    private var request: PreparedRequest
    private var attempt: Attempt
    private var redirects: [ResponseHead] = []
    /// The redirects and refused expectations so far, and the challenges before them. No retried responses.
    private var history: [ResponseHead] = []
    private var historySoFar: [ResponseHead] { history.isEmpty ? attempt.challenges : history + attempt.challenges }
    /// The number of retries since the last redirect.
    private var retries = 0
    /// The request before all redirects, to whose origin the credentials belong.
    private let first: PreparedRequest
    /// Whether a redirect has led to another origin.
    private var hasRedirectedAway = false
    /// `false` after a stored body was damaged.
    private var mayUseCache = true
    /// The received part of a download. `nil` for other calls.
    private var resumption: Resumption?

    /// - Parameter request: The request, as the call middleware passed it on.
    init(_ request: PreparedRequest, of call: borrowing PreparedCall, _ runner: CallRunner) throws {
        var request = request
        plan = CallPlan(copy call, try call.settings(for: &request, runner), runner)
        (self.request, first) = (request, request)
        if call.settings.commit == .file { resumption = call.sink?.resumption() ?? Resumption(canResume: false) }
        attempt = Attempt(request, continuing: resumption, of: plan)
    }

    /// Sends the request until there is a response to deliver. A stored one is the last resort.
    mutating func run() async throws -> Response<ResponseBody> {
        while true {
            // Leaving this block, also at its end, begins the next attempt.
            attempting: do {
                var response: Response<ResponseBody>
                do {
                    response =
                        if mayUseCache, let cache = runner.configuration.cache {
                            try await attempt.response(from: cache)
                        } else {
                            try await attempt.send()
                        }
                } catch {
                    guard let stored = try await waitToRetry(after: error) else { break attempting }
                    response = stored
                }
                let head = response.head
                if attempt.refusesExpectation(head) {
                    // The server didn't act on it (RFC 9110 §10.1.1).
                    request.header.remove("Expect")
                    history = historySoFar + [head]
                    try await attempt.discard(response)
                    break attempting
                }
                if settings.retries.mayRetry(head.statusCode), let delay = retryDelay(after: .response(head)) {
                    try await wait(delay, since: .response(head), discarding: response)
                    break attempting
                }
                if head.statusCode >= 500, let stored = await storedResponse(after: .response(head)) {
                    response.content.cancel()
                    response = stored
                }
                // `nil` sends again: a redirect, or a download that starts over.
                let commit: CallSettings.Commit?
                do {
                    commit = try prepareRedirect(after: response.head) ? nil : commitPoint(of: response)
                } catch {
                    response.content.cancel()
                    throw error
                }
                guard let commit else {
                    try await attempt.discard(response)
                    break attempting
                }
                do {
                    // `nil` if it was one of several parts of a file. The next one is requested.
                    if let received = try await receive(response, commit) { return received }
                } catch {
                    // Frees the connection before the wait.
                    response.content.cancel()
                    if mayUseCache, (error as? TransportError)?.code == .damaged {
                        mayUseCache = false
                        break attempting
                    }
                    // A file that can't be written now can't be written by a retry, either.
                    guard commit != .file || error is TransportError else { throw error }
                    guard let stored = try await waitToRetry(after: error) else { break attempting }
                    if let received = try await receive(stored, commitPoint(of: stored) ?? .head) { return received }
                }
            }
            attempt = Attempt(
                request,
                number: retries + 1,
                isAway: attempt.isAway || hasRedirectedAway,
                after: history,
                continuing: resumption,
                of: plan
            )
        }
    }

    // MARK: After a response

    /// Makes the request of a redirect. Returns `false` if the response is the final one.
    private mutating func prepareRedirect(after head: ResponseHead) throws -> Bool {
        guard RedirectPolicy.redirects(head.statusCode) else { return false }
        switch settings.redirects.step(after: head, to: request, history: redirects) {
        case .deliver: return false
        case .stop(let error): throw error
        case .follow(let next):
            // Authentication may have moved the request that was redirected.
            if !head.url.hasOrigin(of: first.url) || !next.hasOrigin(of: first) { hasRedirectedAway = true }
            redirects.append(head)
            history = historySoFar + [head]
            (request, retries) = (next, 0)
            return true
        }
    }

    /// Decides how far to read the final response. Returns `nil` if a download must start again.
    private mutating func commitPoint(of response: Response<ResponseBody>) throws -> CallSettings.Commit? {
        let head = response.head
        let isAccepted = settings.accepts?(resumption?.whole(head) ?? head) ?? true
        let refused = CallSettings.Commit.end(maximumBytes: settings.maximumBodyBytes)
        guard resumption != nil else { return isAccepted ? settings.commit : refused }
        let isDecoded = response.content.isDecoded
        let now = runner.configuration.date
        switch resumption?.judge(head, isDecoded: isDecoded, isAccepted: isAccepted, now: now) {
        case nil, .receive?: return .file
        case .refuse?: return refused
        case .fault(let reason)?: throw brokenFile(head.url, reason, [head])
        case .restart(let canResume, let reason)?:
            // The server may have acted on the request.
            guard request.isRepeatable, request.body.isReplayable else {
                throw brokenFile(head.url, "\(reason). Download it without resume", [head])
            }
            resumption?.restart(canResume: canResume)
            return nil
        }
    }

    /// Reads the body up to the commit point. Returns `nil` if it was one of several parts of a file.
    private mutating func receive(
        _ response: Response<ResponseBody>,
        _ commit: CallSettings.Commit
    ) async throws -> Response<ResponseBody>? {
        var response = response
        switch commit {
        case .head: break
        // The whole body is in memory already.
        case .end(let maximumBytes) where response.content.isInMemory(upTo: maximumBytes): break
        case .end(let maximumBytes):
            let data = try await response.collect(upTo: maximumBytes, of: request.method)
            response.boxedMetrics = response.finalMetrics
            response.content = ResponseBody(data)
        // Without elements, only the caller knows what to do with the body.
        case .firstElement(let framing) where !framing.applies(to: response.head): break
        case .firstElement(let framing):
            response.content = try await PeekedSource.peek(response.content, until: framing, response.head)
        case .file:
            guard let sink = call.sink else { break }
            guard try await receivePart(response, in: sink) else { return nil }
            response.boxedMetrics = response.finalMetrics
            response.content = sink.body
        }
        if !historySoFar.isEmpty { response.history = historySoFar + response.history }
        return response
    }

    /// Writes a response to the file. Returns whether the file is complete.
    private mutating func receivePart(_ response: Response<ResponseBody>, in sink: any FileSink) async throws -> Bool {
        guard let file = resumption else { return true }
        let bytes: Int64
        do {
            bytes = try await sink.receive(response.content, response.head, file)
        } catch {
            resumption?.append(sink.partBytes)
            throw error
        }
        switch resumption?.finish(bytes) {
        case nil, .complete?: return true
        case .fault(let reason)?: throw brokenFile(attempt.outgoing.url, reason)
        case .part(let isSmall)?:
            guard request.isRepeatable, request.body.isReplayable else {
                throw brokenFile(attempt.outgoing.url, "arrived only in part, and its request can't be repeated")
            }
            // If the time is over, the error says so, whatever the size of the part.
            _ = try call.state.deadline.remaining(before: attempt.outgoing)
            guard isSmall else { return false }
            throw TransportError(
                code: .truncated,
                message: "\(attempt.outgoing.url) sends parts of less than 64 KiB; download the file without resume",
                phase: .receiving
            )
        }
    }

    /// - Parameter reason: The rest of a sentence about the file, without its period.
    private func brokenFile(_ url: RequestURL, _ reason: String, _ last: [ResponseHead] = []) -> ClientError {
        ClientError(code: .downloadFailed, message: "The file of \(url) \(reason).", history: historySoFar + last)
    }

    // MARK: Retries

    /// The wait before the next attempt. `nil` if the policy, the time that is left or the retry budget allow none.
    private func retryDelay(after outcome: RetryPolicy.Outcome) -> Duration? {
        let (policy, configuration) = (settings.retries, runner.configuration)
        guard
            case .retry(let delay) = policy.step(
                after: outcome,
                to: request,
                retries: retries,
                date: configuration.date,
                random: configuration.random
            ), configuration.mayRepeat(request, after: delay, remaining: call.state.deadline.remaining)
        else { return nil }
        return delay
    }

    /// Waits before the next attempt, and returns `nil`. If there is none, returns a stored response, or throws the
    /// error without one.
    private mutating func waitToRetry(after error: any Error) async throws -> Response<ResponseBody>? {
        // The policy must know whether this attempt may have been processed. `failure(_:)` says so of the whole call.
        let outcome = RetryPolicy.Outcome.failure(call.state.claiming(error, since: attempt.earlierClaims))
        guard (error as? ClientError)?.code != .bodyNotReplayable, let delay = retryDelay(after: outcome) else {
            guard let stored = await storedResponse(after: outcome) else { throw failure(outcome) }
            return stored
        }
        try await wait(delay, since: outcome)
        return nil
    }

    /// A stored response instead of a failure. A file needs the current one.
    private func storedResponse(after outcome: RetryPolicy.Outcome) async -> Response<ResponseBody>? {
        mayUseCache && resumption == nil ? await attempt.storedResponse(after: outcome) : nil
    }

    /// - Parameter response: The response that is retried.
    private mutating func wait(
        _ delay: Duration,
        since outcome: RetryPolicy.Outcome,
        discarding response: Response<ResponseBody>? = nil
    ) async throws {
        // If the time ends while the response is discarded, or in the wait, the caller gets the outcome and no timeout.
        call.state.reportOnTimeout(failure(outcome))
        if let response { try await attempt.discard(response, before: delay) }
        if let remaining = call.state.deadline.remaining, delay >= remaining { throw failure(outcome) }
        call.logger?.retries(after: delay, outcome)
        try await CallRunner.wait(for: delay, on: runner.configuration.clock)
        if let remaining = call.state.deadline.remaining, remaining <= .zero { throw failure(outcome) }
        // Only now, so that a timer that fires before reports the outcome, too.
        call.state.reportOnTimeout(nil)
        retries += 1
    }

    private func failure(_ outcome: RetryPolicy.Outcome) -> any Error {
        switch outcome {
        case .response(let head): ResponseError.status(head, Data())
        case .failure(let error as TransportError): call.state.claiming(error.naming(attempts: retries + 1))
        case .failure(let error): error
        }
    }
}

/// What a call and its attempts share. A class, because each attempt has it.
final class CallPlan: Sendable {
    let call: PreparedCall
    let settings: CopyOnWrite<CallSettings>
    let runner: CallRunner

    init(_ call: consuming PreparedCall, _ settings: CopyOnWrite<CallSettings>, _ runner: CallRunner) {
        (self.call, self.settings, self.runner) = (call, settings, runner)
    }

    /// Whether no middleware is between an attempt and the transport.
    var isAlone: Bool { runner.configuration.attemptMiddleware.isEmpty || !settings.value.isIntercepted }
}
