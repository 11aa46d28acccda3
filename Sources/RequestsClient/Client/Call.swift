import Requests

/// One call from its request to its response, in the order in which things happen: cookies, authentication, sending,
/// retries, redirects, and the body up to the commit point.
///
/// The policies decide as values (`RetryPolicy.step`, `AuthenticationFlow`, `Resumption`, and `RedirectPolicy.step`,
/// which also removes credentials and refuses bodies). Only this code decides when to wait and send.
struct Call {
    private let runner: CallRunner
    private let call: PreparedCall
    private let sharedSettings: CopyOnWrite<CallSettings>
    private var settings: CallSettings { _read { yield sharedSettings.value } }
    /// The first request, or that of the last redirect, before stored cookies and credentials are added.
    private var request: PreparedRequest
    /// The request that was sent last.
    private var outgoing: PreparedRequest
    /// The `Cookie` fields of this attempt that contain stored cookies. Any other field was set by a flow.
    private var storedFields: [String?] = []
    private var redirects: [ResponseHead] = []
    /// The responses that were handled: redirects, refused expectations and their challenges, but no retried ones.
    private var history: [ResponseHead] = []
    /// The responses of this attempt that asked for credentials.
    private var challenges: [ResponseHead] = []
    private var seen: [ResponseHead] { history.isEmpty ? challenges : history + challenges }
    /// The number of retries since the last redirect.
    private var retries = 0
    /// The `CallState.unproven` when this attempt began.
    private var unprovenBefore = 0
    /// Where the journey began. Once it has left this origin, no request gets credentials, whoever moved it.
    private let home: PreparedRequest
    private var isAway = false
    /// The received part of a download. `nil` for other calls.
    private var resumption: Resumption?

    /// - Parameter request: The request, as the call middleware passed it on.
    init(_ request: PreparedRequest, of call: PreparedCall, _ runner: CallRunner) throws {
        var request = request
        sharedSettings = try call.settings(for: &request, runner)
        (self.call, self.runner, self.request, outgoing, home) = (call, runner, request, request, request)
        if call.settings.commit == .file { resumption = call.sink?.resumption() ?? Resumption(canResume: false) }
    }

    /// Sends the request until there is a response to deliver.
    mutating func run() async throws -> Response<ResponseBody> {
        while true {
            let response: Response<ResponseBody>
            do {
                response = try await attempt()
            } catch {
                try await retry(after: error)
                continue
            }
            let head = response.head
            if refusesExpectation(head) {
                // The server didn't act on it (RFC 9110 §10.1.1).
                request.header.remove("Expect")
                history = seen + [head]
                try await discard(response)
                continue
            }
            if settings.retries.limit > 0, !settings.retries.accepts(head), let delay = delay(after: .response(head)) {
                try await wait(delay, since: .response(head), discarding: response)
                continue
            }
            // `nil` sends again: a redirect, or a download that starts over.
            let commit: CallSettings.Commit?
            do {
                commit = try follow(head) ? nil : try commitPoint(of: response)
            } catch {
                response.content.cancel()
                throw error
            }
            guard let commit else {
                try await discard(response)
                continue
            }
            do {
                if let received = try await receive(response, commit) { return received }
            } catch {
                // Frees the connection before the wait.
                response.content.cancel()
                // A file that can't be written now can't be written by a retry, either.
                guard commit != .file || error is TransportError else { throw error }
                try await retry(after: error)
            }
        }
    }

    // MARK: Sending

    /// An attempt: cookies, authentication, and one request or more.
    private mutating func attempt() async throws -> Response<ResponseBody> {
        (challenges, unprovenBefore, storedFields) = ([], call.state.unproven, [])
        outgoing = request
        resumption?.prepare(&outgoing)
        addCookies()
        if !request.hasOrigin(of: home) { isAway = true }
        let identity = settings.authentication.identity
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
                throw Call.unsent(error)
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
            let context = SendContext(remaining: remaining, attempt: retries + 1, observer: call.observer(of: outgoing))
            var response =
                runner.isAlone(settings)
                ? try await runner.transmit(outgoing, context, call, sharedSettings)
                : try await runner.send(outgoing, context, isAway ? nil : identity, call, sharedSettings)
            received(&response.head)
            // Something other than authentication moved the request, so no later request gets credentials.
            if !response.head.url.hasOrigin(of: outgoing.url) { isAway = true }
            guard flow != nil, !isAway, try await prepareAnswer(to: response, by: &flow) else { return response }
        }
    }

    private func received(_ head: inout ResponseHead) {
        // The transport doesn't know which query items of the request's URL are secret.
        if !outgoing.url.sensitiveNames.isEmpty { head.url = head.url.redacting(sameAs: outgoing.url) }
        call.logger?.receives(head)
        guard settings.usesCookies, !head.isFromStore, let cookies = runner.configuration.cookies,
            head.header.contains(.setCookie)
        else { return }
        // Attempt middleware may have moved the request.
        let url = head.url.hasOrigin(of: outgoing.url) ? outgoing.url : head.url
        cookies.store(head.header, from: url, at: runner.configuration.date())
    }

    /// Lets a flow answer a response. Returns `true` if ``outgoing`` is now the request to send next.
    @inline(never)  // It would enlarge the frame of every attempt.
    private mutating func prepareAnswer(
        to response: Response<ResponseBody>,
        by flow: inout (any AuthenticationFlow)?
    ) async throws -> Bool {
        let head = response.head
        guard flow != nil, !head.isFromStore, !refusesExpectation(head) else { return false }
        do {
            guard challenges.count + 1 < 5, case .sendAgain(let again)? = try await flow?.next(after: head),
                !call.state.mayHaveBeenProcessed(since: unprovenBefore) || again.isRepeatable
            else { return false }
            guard again.body.isReplayable else {
                throw ClientError.bodyNotReplayable("\(head) requires credentials", history: seen + [head])
            }
            outgoing = again
        } catch {
            response.content.cancel()
            throw Call.unsent(error)
        }
        challenges.append(head)
        try await discard(response)
        // The challenge may have set or deleted a cookie. A cookie that the flow has set stays.
        if hasOwnCookies { addCookies() }
        keepCookiesAtOrigin()
        return true
    }

    /// Returns an error of a flow. What became of a token's request says nothing about the call's.
    private static func unsent(_ error: any Error) -> any Error {
        guard var known = error as? TransportError else { return error }
        known.requestMayHaveBeenProcessed = false
        return known
    }

    private mutating func addCookies() {
        let stored = storedCookies
        guard stored != nil || !storedFields.isEmpty else { return }
        outgoing.header.set(stored: stored, own: request.header[.cookie])
        storedFields.append(outgoing.header[.cookie])
    }

    /// Whether no flow has set the cookies of ``outgoing``, which may come from an earlier request of this attempt.
    private var hasOwnCookies: Bool {
        let field = outgoing.header[.cookie]
        return field == request.header[.cookie] || storedFields.contains(field)
    }

    /// Authentication may lead to another origin, which must not get the cookies of this one.
    private mutating func keepCookiesAtOrigin() {
        guard !outgoing.hasOrigin(of: request), hasOwnCookies else { return }
        outgoing.header.set(stored: storedCookies, own: nil)
        storedFields.append(outgoing.header[.cookie])
    }

    private var storedCookies: String? {
        guard settings.usesCookies else { return nil }
        return runner.configuration.cookies?.field(for: outgoing.url, at: runner.configuration.date)
    }

    // MARK: After a response

    private func refusesExpectation(_ head: ResponseHead) -> Bool {
        head.statusCode == 417 && request.header.contains("Expect") && request.body.isReplayable
    }

    /// Makes the request of a redirect. Returns `false` if the response is the final one.
    private mutating func follow(_ head: ResponseHead) throws -> Bool {
        guard RedirectPolicy.redirects(head.statusCode) else { return false }
        switch settings.redirects.step(after: head, to: request, history: redirects) {
        case .deliver: return false
        case .stop(let error): throw error
        case .follow(let next):
            // Authentication may have moved the request.
            if !head.url.hasOrigin(of: home.url) { isAway = true }
            redirects.append(head)
            history = seen + [head]
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
        if !seen.isEmpty { response.history = seen + response.history }
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
        case .fault(let reason)?: throw brokenFile(outgoing.url, reason)
        case .part(let isSmall)?:
            guard request.isRepeatable, request.body.isReplayable else {
                throw brokenFile(outgoing.url, "is a part, and its request can't be repeated")
            }
            // A part of any size that ends too late isn't the reason why the file is incomplete.
            _ = try call.state.deadline.remaining(before: outgoing)
            guard isSmall else { return false }
            throw TransportError(
                code: .truncated,
                message: "\(outgoing.url) sends parts of less than 64 KiB; download the file without resume",
                phase: .receiving
            )
        }
    }

    /// - Parameter reason: The rest of a sentence about the file, without its period.
    private func brokenFile(_ url: RequestURL, _ reason: String, _ last: [ResponseHead] = []) -> ClientError {
        ClientError(code: .downloadFailed, message: "The file of \(url) \(reason).", history: seen + last)
    }

    // MARK: Retries

    /// The wait before the next attempt. `nil` if the outcome stays.
    private mutating func delay(after outcome: RetryPolicy.Outcome) -> Duration? {
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

    /// Waits before the next attempt, or throws the error if there is none.
    private mutating func retry(after error: any Error) async throws {
        // The policy must know whether this attempt may have been processed. `failure(_:)` says so of the whole call.
        let outcome = RetryPolicy.Outcome.failure(call.state.claiming(error, since: unprovenBefore))
        guard (error as? ClientError)?.code != .bodyNotReplayable, let delay = delay(after: outcome) else {
            throw failure(outcome)
        }
        try await wait(delay, since: outcome)
    }

    /// - Parameter response: The response that is retried.
    private mutating func wait(
        _ delay: Duration,
        since outcome: RetryPolicy.Outcome,
        discarding response: Response<ResponseBody>? = nil
    ) async throws {
        // Discarding the response, or the wait, can take too long. The outcome says more than a timeout then.
        call.state.waits(after: failure(outcome))
        if let response { try await discard(response, before: delay) }
        if let remaining = call.state.deadline.remaining, delay >= remaining { throw failure(outcome) }
        call.logger?.retries(after: delay, outcome)
        try await CallRunner.wait(for: delay, on: runner.configuration.clock)
        if let remaining = call.state.deadline.remaining, remaining <= .zero { throw failure(outcome) }
        // Afterwards, so that a timer that fires meanwhile reports the outcome, too.
        call.state.waits(after: nil)
        retries += 1
    }

    private func failure(_ outcome: RetryPolicy.Outcome) -> any Error {
        switch outcome {
        case .response(let head): ResponseError.status(head, Data())
        case .failure(let error as TransportError): call.state.claiming(error.naming(attempts: retries + 1))
        case .failure(let error): error
        }
    }

    /// Drains a body that isn't needed, so that its connection can be reused, but leaves time for a wait. Throws if the
    /// call has ended.
    private func discard(_ response: Response<ResponseBody>, before delay: Duration = .zero) async throws {
        let limit = Response<ResponseBody>.drainTimeout
        await response.discard(
            within: min(call.state.deadline.remaining.map { max($0 - delay, .zero) } ?? limit, limit),
            of: request.method,
            on: runner.configuration.drainingClock
        )
        if let reason = call.state.reason { throw reason }
        try Task.checkCancellation()
    }
}

extension ResponseHead {
    fileprivate var isFromStore: Bool { cacheStatus?.isFromStore ?? false }
}

extension Header {
    /// Sets `Cookie`.
    ///
    /// - Parameters:
    ///   - stored: The stored cookies.
    ///   - own: The request's own field, which wins over a stored cookie of the same name.
    fileprivate mutating func set(stored: String?, own: String?) {
        guard let stored else { return self[.cookie] = own }
        guard let own else { return self[.cookie] = stored }
        func name(_ pair: Substring) -> Substring { pair.prefix { $0 != "=" }.drop { $0 == " " } }
        let names = own.split(separator: ";").map(name)
        let others = stored.split(separator: ";").filter { !names.contains(name($0)) }
        // The subscript keeps the defect of a field that can't be sent.
        self[.cookie] = ([own] + others.map { String($0.drop { $0 == " " }) }).joined(separator: "; ")
    }
}
