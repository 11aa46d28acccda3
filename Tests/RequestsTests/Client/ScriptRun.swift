import RequestsTesting

/// One call over a script of replies, and what it violates.
struct ScriptRun {
    /// A request and its reply.
    struct Step {
        let sent: ScriptedTransport.Sent
        let reply: ScriptReply
        /// Whether the deadline came before the reply.
        let isLate: Bool

        var mayHaveBeenProcessed: Bool { isLate || reply.mayHaveBeenProcessed }
    }

    private static let replyTime = Duration.seconds(1)
    /// More than any limit allows. A call that doesn't end by itself ends here.
    private static let maximumRequests = 100

    let settings: ScriptSettings
    let trace: [Step]
    private let waits: [ScriptedClock.Wait]
    private let time: Duration
    private let error: (any Error)?

    /// - Parameter script: The replies, of which the last one is repeated.
    init(_ settings: ScriptSettings, _ script: [ScriptReply]) async throws {
        let clock = ScriptedClock(oversleeping: settings.oversleeping)
        let reply: @Sendable (Int) -> ScriptReply = { script[min($0, script.count - 1)] }
        let transport = ScriptedTransport(on: clock) { index in
            guard index < Self.maximumRequests else { return nil }
            return .init(respond: { try reply(index).respond(to: $0) }, duration: Self.replyTime)
        }
        let client = transport.client { settings.configure(&$0) }
        let request = try settings.request()
        error = await failure { _ = try await client.send(request) }
        self.settings = settings
        trace = transport.sent.enumerated().map { index, sent in
            Step(sent: sent, reply: reply(index), isLate: sent.remaining.map { $0 <= Self.replyTime } ?? false)
        }
        (waits, time) = (clock.allWaits, clock.elapsed)
    }

    /// The error, as a violation shows it.
    var outcome: String { errorCode(error) ?? "success" }

    /// The first invariant that the call violates.
    var violation: String? {
        leak ?? repetition ?? lateness ?? excess ?? wrongError ?? wrongClaim
    }

    /// Secrets contain the origin that they are for. Cookies are for a host, and with `Secure` not for `http`
    /// (RFC 6265bis §5.8.3).
    private var leak: String? {
        for step in trace {
            let origin = step.sent.request.url.origin
            if origin.scheme == "http", !settings.allowsDowngrade { return "sent without encryption" }
            if origin != trace[0].sent.request.url.origin, step.sent.request.body.length != 0 {
                return "a body was sent to another origin"
            }
            for field in step.sent.request.header {
                for secret in field.value.components(separatedBy: "secret-").dropFirst() {
                    let isOwn = "secret-\(secret)".hasPrefix(ScriptSettings.secret(of: origin))
                    let isCookie = field.name == .cookie && secret.hasPrefix("http//\(origin.host)")
                    if !isOwn, !isCookie { return "\(field.name) of another origin was sent to \(origin)" }
                }
            }
        }
        return nil
    }

    /// Only a challenge, a refused expectation, a redirect, or a retry leads to another request.
    private var repetition: String? {
        for (step, next) in zip(trace, trace.dropFirst()) {
            let isRepeatable = step.sent.request.method == .get || step.sent.request.header.contains(.idempotencyKey)
            switch step.reply {
            case _ where step.isLate: return "sent after the deadline"
            case .challenge where settings.authentication == .none: return "a challenge was answered without a flow"
            case .challenge, .expectation:
                if next.sent.body != step.sent.body { return "another body was sent" }
            case _ where step.reply.isRedirect: break
            case _ where !step.reply.isRetried: return "sent after \(step.reply.rawValue)"
            case _ where !isRepeatable && step.mayHaveBeenProcessed: return "an unsafe request was repeated"
            default:
                if next.sent.body != step.sent.body { return "another body was sent" }
                if next.sent.request.url != step.sent.request.url { return "a retry went to another URL" }
            }
        }
        return nil
    }

    /// No wait reaches the deadline, and no request is sent after it.
    private var lateness: String? {
        for wait in waits where settings.total.map({ wait.start + wait.duration >= $0 }) ?? false {
            return "a wait beyond the deadline"
        }
        for step in trace where step.sent.remaining != settings.total.map({ $0 - step.sent.time }) {
            return "sent with another time than what is left"
        }
        for step in trace where step.sent.remaining ?? .seconds(1) <= .zero { return "sent after the deadline" }
        let retries = zip(trace, trace.dropFirst()).filter { step, _ in step.reply.isRetried }
        let delays = retries.map { $0.0.reply == .unavailableUntil ? Duration.seconds(2) : .seconds(1) }
        // The last wait can have been too long.
        return waits.map(\.duration).starts(with: delays) && waits.count - delays.count <= 1 ? nil : "wrong waits"
    }

    private var excess: String? {
        if trace.count >= Self.maximumRequests { return "a call without an end" }
        var (redirects, retries, requests, expectations) = (0, 0, 1, 0)
        for step in trace.dropLast() {
            if step.reply.isRedirect {
                redirects += 1
                (retries, requests) = (0, 1)
            } else if step.reply.isRetried {
                retries += 1
                requests = 1
            } else if step.reply == .expectation {
                expectations += 1
                requests = 1
            } else {
                requests += 1
            }
            if redirects > ScriptSettings.redirectLimit { return "too many redirects" }
            if retries > settings.retryLimit { return "too many retries" }
            if requests > 5 { return "too many challenges" }
            if expectations > 1 { return "an expectation was repeated" }
        }
        return nil
    }

    /// The caller gets the last real error. A timeout is one if it kept a request from being sent or from its response.
    private var wrongError: String? {
        guard let last = trace.last else { return "nothing was sent" }
        let code = errorCode(error)
        if last.isLate { return code == "timedOut(total)" ? nil : "not the timeout" }
        if code == last.reply.code { return nil }
        let isOver = settings.total.map { time >= $0 } ?? false
        if code == "timedOut(total)", isOver, !last.reply.isRetried { return nil }
        guard last.reply.isRedirect else { return "not the last error" }
        let isRefused = code == "refusedDowngrade" && last.reply == .unencrypted && !settings.allowsDowngrade
        let isBodyRefused = code == "crossOriginBody" && last.sent.request.body.length != 0
        return isRefused || isBodyRefused || code == "redirectLimit" ? nil : "not the last error"
    }

    private var wrongClaim: String? {
        guard let error = error as? TransportError else { return nil }
        let mayHaveBeen = trace.contains { $0.mayHaveBeenProcessed }
        return error.requestMayHaveBeenProcessed == mayHaveBeen ? nil : "a wrong claim about earlier requests"
    }
}
