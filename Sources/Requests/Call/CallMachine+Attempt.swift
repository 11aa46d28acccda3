/// An attempt: cookies, authentication, and one request or more.
extension CallMachine {
    mutating func begin(_ environment: inout some CallEnvironment) -> Action {
        challenges = []
        attemptMayHaveBeenProcessed = false
        outgoing = request
        resumption?.prepare(&outgoing)
        addCookies(&environment)
        guard !isAway else { return send(&environment) }
        switch settings.authentication.scheme {
        case .inherited: return send(&environment)
        case .immediate(let authenticate):
            do {
                try authenticate(&outgoing)
            } catch {
                return failedAttempt(error, &environment)
            }
            return sendAuthenticated(&environment)
        case .flow:
            if let late = late(settings.remaining(in: environment)) { return failedAttempt(late, &environment) }
            state = .authenticating
            return .authenticate(outgoing)
        }
    }

    /// Authentication may lead to another origin, which must not get the cookies of this one.
    mutating func sendAuthenticated(_ environment: inout some CallEnvironment) -> Action {
        if !outgoing.hasOrigin(of: request), outgoing.header[.cookie] == cookie ?? request.header[.cookie] {
            outgoing.header.set(stored: environment.cookies(for: outgoing.url), own: nil)
        }
        return send(&environment)
    }

    private mutating func send(_ environment: inout some CallEnvironment) -> Action {
        do {
            // Transports validate as well, but a transport that forgets it must not send two requests.
            try outgoing.validate()
        } catch {
            return failedAttempt(error, &environment)
        }
        let remaining = settings.remaining(in: environment)
        if let late = late(remaining) { return failedAttempt(late, &environment) }
        state = .sending
        return .send(outgoing, within: remaining)
    }

    mutating func respond(to head: ResponseHead, _ environment: inout some CallEnvironment) -> Action {
        let isFromStore = head.cacheStatus?.isFromStore ?? false
        if !isFromStore { environment.keepCookies(head.header, from: outgoing.url) }
        if head.statusCode == 417, request.header.contains(.expect), request.body.isReplayable {
            // The server didn't act on it (RFC 9110 §10.1.1).
            request.header.remove(.expect)
            history += challenges + [head]
            state = .discarding(.attempt)
            return discard(before: .zero, environment)
        }
        guard !isAway, !isFromStore, case .flow = settings.authentication.scheme else {
            return conclude(head, &environment)
        }
        // A request without valid credentials was not processed (RFC 9110 §15.5.2).
        if head.statusCode != 401 { attemptMayHaveBeenProcessed = true }
        state = .challenging(head)
        return .challenge(head)
    }

    mutating func follow(
        _ step: AuthenticationProvider.Step,
        _ head: ResponseHead,
        _ environment: inout some CallEnvironment
    ) -> Action {
        guard case .sendAgain(let again) = step, challenges.count + 1 < settings.maximumRoundTrips,
            !attemptMayHaveBeenProcessed || again.isRepeatable
        else { return conclude(head, &environment) }
        guard again.body.isReplayable else {
            return end(
                with: ClientError.bodyNotReplayable("\(head) requires credentials", history: challenges + [head])
            )
        }
        outgoing = again
        challenges.append(head)
        state = .discarding(.resend)
        return discard(before: .zero, environment)
    }

    /// Sends the request again, as an authentication flow wants it.
    mutating func resend(_ environment: inout some CallEnvironment) -> Action {
        // The challenge may have set a cookie. A cookie that the flow has set stays.
        if outgoing.header[.cookie] == cookie ?? request.header[.cookie] { addCookies(&environment) }
        return sendAuthenticated(&environment)
    }

    private mutating func addCookies(_ environment: inout some CallEnvironment) {
        let stored = environment.cookies(for: outgoing.url)
        guard stored != nil || cookie != nil else { return }
        outgoing.header.set(stored: stored, own: request.header[.cookie])
        cookie = outgoing.header[.cookie]
    }

    /// The error if no time is left.
    func late(_ remaining: Duration?) -> TransportError? {
        guard let total = settings.total, let remaining, remaining <= .zero else { return nil }
        return .timedOut(total, outgoing.url)
    }
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
        let names = own.split(separator: ";").map(Header.cookieName)
        let others = stored.split(separator: ";").filter { !names.contains(Header.cookieName($0)) }
        // The subscript keeps the defect of a field that can't be sent.
        self[.cookie] = ([own] + others.map { String($0.drop { $0 == " " }) }).joined(separator: "; ")
    }

    private static func cookieName(_ pair: Substring) -> Substring {
        pair.prefix { $0 != "=" }.drop { $0 == " " }
    }
}

extension Field.Name {
    fileprivate static let expect: Field.Name = "Expect"
}

extension TransportError {
    package static func timedOut(_ total: Duration, _ url: RequestURL) -> TransportError {
        TransportError(
            code: .timedOut(.total),
            message: "\(url): the total timeout of \(total) was reached (timeouts.total)",
            phase: .preparing
        )
    }
}
