/// The step after an attempt: a retry, a redirect, or the end.
extension CallMachine {
    /// The most bytes of an unread body to drain, so that its connection can be reused.
    package static let drainedBytes = 64 << 10

    /// The most time to drain it: about as long as a new connection takes.
    package static let drainTimeout = Duration.milliseconds(250)

    /// The attempt has ended with a response.
    mutating func conclude(_ head: ResponseHead, _ environment: inout some CallEnvironment) -> Action {
        if settings.retries.limit > 0, !settings.retries.accepts(head),
            let action = retry(after: .response(head), &environment)
        {
            return action
        }
        guard RedirectPolicy.redirects(head.statusCode) else { return accept(head, &environment) }
        // Authentication can have moved the request. A relative redirect starts at the URL that was sent.
        if head.url.origin != request.url.origin || head.url.path != request.url.path { request.move(to: head.url) }
        switch settings.redirects.step(after: head, to: request, history: redirects) {
        case .deliver: return accept(head, &environment)
        case .stop(let error): return end(with: error)
        case .follow(let next):
            redirects.append(head)
            history += challenges + [head]
            // Never restored, even if a later redirect leads back.
            if next.url.origin != request.url.origin { isAway = true }
            (request, retries) = (next, 0)
            // The server may have acted on the request and redirected to the result (RFC 9110 §15.4.4).
            mayHaveBeenProcessed = true
            state = .discarding(.attempt)
            return discard(before: .zero, environment)
        }
    }

    /// The response is the final one.
    private mutating func accept(_ head: ResponseHead, _ environment: inout some CallEnvironment) -> Action {
        let isAccepted = settings.accepts?(resumption?.whole(head) ?? head) ?? true
        switch settings.commit {
        case .file: return receiveFile(head, isAccepted: isAccepted, environment)
        case _ where !isAccepted: return receive(.end(maximumBytes: settings.maximumBodyBytes))
        case .head: return deliver()
        // Without elements, only the caller knows what to do with the body.
        case .firstElement(let framing) where !framing.applies(to: head): return deliver()
        case let commit: return receive(commit)
        }
    }

    mutating func receive(_ commit: Commit) -> Action {
        state = .receiving(commit)
        return .receive(commit)
    }

    /// The last action failed.
    mutating func failed(
        _ error: any Error,
        receivedBytes: Int64,
        _ environment: inout some CallEnvironment
    ) -> Action {
        switch state {
        case .receiving(.file):
            resumption?.append(receivedBytes)
            // A file that can't be written now can't be written by a retry, either.
            return error is TransportError ? failedAttempt(error, &environment) : end(with: error)
        case .receiving, .authenticating, .sending, .challenging: return failedAttempt(error, &environment)
        case .ready, .discarding, .waiting, .ended: return end(with: error)
        }
    }

    /// The attempt has ended with an error.
    mutating func failedAttempt(_ error: any Error, _ environment: inout some CallEnvironment) -> Action {
        let error = attemptMayHaveBeenProcessed ? error.followingProcessedAttempt() : error
        return retry(after: .failure(error), &environment) ?? end(with: error)
    }

    /// - Returns: `nil` if the outcome stays.
    mutating func retry(after outcome: RetryPolicy.Outcome, _ environment: inout some CallEnvironment) -> Action? {
        let step = settings.retries.step(after: outcome, to: request, retries: retries, in: &environment)
        guard case .retry(let delay) = step, settings.mayRepeat(request, after: delay, in: &environment) else {
            return nil
        }
        mayHaveBeenProcessed = mayHaveBeenProcessed || outcome.mayHaveBeenProcessed
        guard case .response = outcome else { return wait(delay, outcome, environment) }
        state = .discarding(.wait(delay, outcome))
        return discard(before: delay, environment)
    }

    mutating func proceed(_ continuation: Continuation, _ environment: inout some CallEnvironment) -> Action {
        switch continuation {
        case .attempt: begin(&environment)
        case .resend: resend(&environment)
        case .wait(let delay, let outcome): wait(delay, outcome, environment)
        }
    }

    private mutating func wait(
        _ delay: Duration,
        _ outcome: RetryPolicy.Outcome,
        _ environment: some CallEnvironment
    ) -> Action {
        // Discarding the response can have taken longer than allowed.
        if let remaining = settings.remaining(in: environment), delay >= remaining { return end(with: outcome) }
        state = .waiting(outcome)
        return .wait(delay)
    }

    /// If the wait took longer than the time that was left, the last outcome says more than a timeout.
    mutating func waited(after outcome: RetryPolicy.Outcome, _ environment: inout some CallEnvironment) -> Action {
        if late(settings.remaining(in: environment)) != nil { return end(with: outcome) }
        retries += 1
        return begin(&environment)
    }

    /// Discards a response, in the time that is left before a wait.
    func discard(before delay: Duration, _ environment: some CallEnvironment) -> Action {
        let remaining = settings.remaining(in: environment).map { max($0 - delay, .zero) }
        return .discard(
            upTo: CallMachine.drainedBytes,
            within: min(remaining ?? CallMachine.drainTimeout, CallMachine.drainTimeout)
        )
    }

    mutating func deliver() -> Action {
        state = .ended
        return .deliver(history: challenges.isEmpty ? history : history + challenges)
    }

    /// Ends the call with an outcome whose response was discarded.
    private mutating func end(with outcome: RetryPolicy.Outcome) -> Action {
        switch outcome {
        case .response(let head): end(with: ResponseError.status(head, Data()))
        case .failure(let error): end(with: error)
        }
    }

    mutating func end(with error: any Error) -> Action {
        state = .ended
        guard var named = (error as? TransportError)?.naming(attempts: attempt) else { return .fail(error) }
        if mayHaveBeenProcessed { named.requestMayHaveBeenProcessed = true }
        return .fail(named)
    }
}

extension Error {
    /// Returns the error for a request that follows one on which the server may have acted.
    fileprivate func followingProcessedAttempt() -> any Error {
        guard var error = self as? TransportError else { return self }
        error.requestMayHaveBeenProcessed = true
        return error
    }
}

extension RetryPolicy.Outcome {
    /// Whether the server may have acted on the attempt. Unknown for errors of other layers.
    fileprivate var mayHaveBeenProcessed: Bool {
        switch self {
        case .response: true
        case .failure(let error): (error as? TransportError)?.requestMayHaveBeenProcessed ?? true
        }
    }
}
