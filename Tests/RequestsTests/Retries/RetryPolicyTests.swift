import RequestsConformance
import RequestsTestSupport
import RequestsTesting
import Testing

@Suite("Retry policy", .timeLimit(.minutes(5)))
struct RetryPolicyTests {
    private let policy = RetryPolicy.fixed(.seconds(1), limit: 3)

    private func request(_ method: HTTPMethod = .get, key: Bool = false) throws -> PreparedRequest {
        try PreparedRequest(
            method: method,
            url: RequestURL("https://h"),
            header: key ? [Field(name: "idempotency-key", value: "1")] : []
        )
    }

    private func head(_ status: Int, retryAfter: String? = nil) throws -> ResponseHead {
        let header = Header(retryAfter.map { [Field(name: "Retry-After", value: $0)] } ?? [])
        return try ResponseHead(statusCode: status, header: header, url: RequestURL("https://h"))
    }

    private func step(
        _ policy: RetryPolicy? = nil,
        after outcome: RetryPolicy.Outcome,
        to request: PreparedRequest,
        retries: Int = 0,
        random: Double = 0.5
    ) -> RetryPolicy.Step {
        // 2026-01-01T00:00:00Z
        (policy ?? self.policy).step(
            after: outcome,
            to: request,
            retries: retries,
            date: { Date(timeIntervalSince1970: 1_767_225_600) },
            random: { random }
        )
    }

    @Test(
        "The statuses 408, 429, 500, 502, 503 and 504 are retried",
        arguments: [
            (200, false), (301, false), (400, false), (401, false), (404, false), (408, true), (409, false),
            (425, false), (429, true), (500, true), (501, false), (502, true), (503, true), (504, true), (505, false),
        ]
    )
    func statuses(status: Int, isRetried: Bool) throws {
        let step = step(after: .response(try head(status)), to: try request())
        #expect(step == (isRetried ? .retry(after: .seconds(1)) : .giveUp))
    }

    @Test(
        "Idempotent methods and requests with an idempotency key are retried",
        arguments: [
            (HTTPMethod.get, true), (.head, true), (.options, true), (.trace, true), (.put, true), (.delete, true),
            (.post, false), (.patch, false), (.connect, false), ("get", false),
        ]
    )
    func methods(method: HTTPMethod, isRetried: Bool) throws {
        let outcome = RetryPolicy.Outcome.response(try head(503))
        #expect(step(after: outcome, to: try request(method)) == (isRetried ? .retry(after: .seconds(1)) : .giveUp))
        #expect(step(after: outcome, to: try request(method, key: true)) == .retry(after: .seconds(1)))
    }

    @Test(
        "Connection errors are retried",
        arguments: [
            (TransportError.Code.nameNotResolved, true), (.cannotConnect, true), (.timedOut(.connect), true),
            (.timedOut(.idle), true), (.timedOut(.total), false), (.tlsUntrusted, false), (.tlsFailed, false),
            (.pinMismatch, false), (.closed, true), (.truncated, true), (.malformed, false), (.decoding, false),
            (.tooLarge, false), (.sourceFailed, false), (.proxy, false), (.unsupported, false), (.shutdown, false),
        ]
    )
    func codes(code: TransportError.Code, isRetried: Bool) throws {
        let outcome = RetryPolicy.Outcome.failure(TransportError(code: code, message: "", phase: .sending))
        #expect(step(after: outcome, to: try request()) == (isRetried ? .retry(after: .seconds(1)) : .giveUp))
    }

    @Test(
        "A POST is retried only if the server didn't process it",
        arguments: [
            (TransportError.Phase.preparing, true), (.connecting, true), (.sending, false), (.receiving, false),
        ]
    )
    func phases(phase: TransportError.Phase, isRetried: Bool) throws {
        let outcome = RetryPolicy.Outcome.failure(TransportError(code: .closed, message: "", phase: phase))
        #expect(step(after: outcome, to: try request(.post)) == (isRetried ? .retry(after: .seconds(1)) : .giveUp))
    }

    @Test("Cancellations are never retried, and errors of other layers only by a condition")
    func otherErrors() throws {
        #expect(step(after: .failure(CancellationError()), to: try request()) == .giveUp)
        #expect(step(after: .failure(CocoaError(.fileNoSuchFile)), to: try request()) == .giveUp)
        let always = policy.retrying { _, _ in true }
        #expect(step(always, after: .failure(CancellationError()), to: try request()) == .giveUp)
        let other = RetryPolicy.Outcome.failure(CocoaError(.fileNoSuchFile))
        #expect(step(always, after: other, to: try request(.post)) == .retry(after: .seconds(1)))
    }

    @Test("A body that can be read only once is never sent again, whatever the condition")
    func oneShot() throws {
        var request = try request(.put)
        request.body = .oneShot(Data([1]))
        #expect(step(after: .response(try head(503)), to: request) == .giveUp)
        #expect(step(policy.retrying { _, _ in true }, after: .response(try head(503)), to: request) == .giveUp)
        request.body = .data(Data([1]))
        #expect(step(after: .response(try head(503)), to: request) == .retry(after: .seconds(1)))
    }

    @Test("The limit counts retries, not attempts", arguments: [(0, true), (2, true), (3, false), (4, false)])
    func limit(retries: Int, isRetried: Bool) throws {
        let step = step(after: .response(try head(503)), to: try request(), retries: retries)
        #expect((step == .giveUp) == !isRetried)
    }

    @Test("`.never` doesn't retry")
    func never() throws {
        #expect(step(.never, after: .response(try head(503)), to: try request()) == .giveUp)
    }

    @Test(
        "The exponential limit doubles with each retry up to the maximum",
        arguments: [(0, 0.5), (1, 1), (2, 2), (3, 4), (4, 5), (5, 5), (500, 5), (100_000, 5)]
    )
    func exponential(retries: Int, seconds: Double) throws {
        let policy = RetryPolicy.exponential(limit: .max, initial: .seconds(1), maximum: .seconds(10))
        let step = step(policy, after: .response(try head(503)), to: try request(), retries: retries)
        #expect(step == .retry(after: .seconds(seconds)))
    }

    @Test(
        "Full jitter multiplies the longest wait by the random number",
        arguments: [(0.0, 0.0), (0.25, 1), (0.999, 3.996), (1, 4), (7, 4), (-1, 0), (.nan, 0)]
    )
    func jitter(random: Double, seconds: Double) throws {
        let policy = RetryPolicy.exponential(initial: .seconds(4), maximum: .seconds(10))
        let step = step(policy, after: .response(try head(503)), to: try request(), random: random)
        guard case .retry(let delay) = step else {
            Issue.record("gave up")
            return
        }
        #expect(abs(delay / .seconds(1) - seconds) < 1e-9)
    }

    @Test(
        "Extreme durations don't trap",
        arguments: [Duration.seconds(Int64.max), .seconds(Int64.min), .zero, .seconds(-1)]
    )
    func extremes(duration: Duration) throws {
        let outcome = RetryPolicy.Outcome.response(try head(503))
        let century = 100.0 * 366 * 86_400
        for policy in [.fixed(duration), RetryPolicy.exponential(limit: .max, initial: duration, maximum: duration)] {
            for retries in [0, 2, 2000] where retries < policy.limit {
                guard case .retry(let delay) = step(policy, after: outcome, to: try request(), retries: retries) else {
                    Issue.record("gave up")
                    continue
                }
                #expect((0...century).contains(delay / .seconds(1)))
            }
        }
    }

    @Test(
        "The wait is Retry-After in seconds or until a date",
        arguments: [
            ("0", 0), ("7", 7), ("60", 60), ("007", 7), ("Thu, 01 Jan 2026 00:00:30 GMT", 30),
            ("Thursday, 01-Jan-26 00:00:30 GMT", 30), ("Thu Jan  1 00:00:30 2026", 30),
            ("Wed, 31 Dec 2025 23:59:59 GMT", 0), ("2.0", 2), ("2.", 2), ("2, 2", 2),
            ("Thu, 01 Jan 2026 00:00:30 GMT, Thu, 01 Jan 2026 00:00:30 GMT", 30),
        ]
    )
    func retryAfter(text: String, seconds: Int64) throws {
        let outcome = RetryPolicy.Outcome.response(try head(429, retryAfter: text))
        #expect(step(after: outcome, to: try request()) == .retry(after: .seconds(seconds)))
    }

    @Test(
        "A Retry-After longer than the maximum isn't retried",
        arguments: ["61", "Thu, 01 Jan 2026 00:01:01 GMT", "9999999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"]
    )
    func longRetryAfter(text: String) throws {
        let outcome = RetryPolicy.Outcome.response(try head(503, retryAfter: text))
        #expect(step(after: outcome, to: try request()) == .giveUp)
        var patient = policy
        patient.maximumRetryAfter = .seconds(Int64.max)
        #expect(step(patient, after: outcome, to: try request()) != .giveUp)
    }

    @Test(
        "An invalid Retry-After is ignored",
        arguments: ["", "soon", "-1", ".", "1.2.3", "1e2", "inf", "1, 2", "Thu, 41 Jan 2026"]
    )
    func invalidRetryAfter(text: String) throws {
        let outcome = RetryPolicy.Outcome.response(try head(503, retryAfter: text))
        #expect(step(after: outcome, to: try request()) == .retry(after: .seconds(1)))
    }

    @Test("A fraction of a second counts, and repeated Retry-After fields count only if they are equal")
    func unusualRetryAfter() throws {
        let half = RetryPolicy.Outcome.response(try head(503, retryAfter: "1.5"))
        #expect(step(after: half, to: try request()) == .retry(after: .milliseconds(1500)))
        var head = try head(503, retryAfter: "7")
        head.header.add(Field(name: .retryAfter, value: "7"))
        #expect(step(after: .response(head), to: try request()) == .retry(after: .seconds(7)))
        head.header.add(Field(name: .retryAfter, value: "8"))
        #expect(step(after: .response(head), to: try request()) == .retry(after: .seconds(1)))
    }

    @Test(
        "A custom wait applies without Retry-After, and the backoff without both",
        arguments: [
            ("30", nil, 30), ("60", nil, 60), ("61", nil, nil), ("1e300", nil, nil), ("-5", nil, 0), ("30", "7", 7),
            ("30", "soon", 30), ("soon", nil, 1), (nil, nil, 1), ("7", "61", nil),
        ] as [(String?, String?, Int64?)]
    )
    func serverDelay(text: String?, retryAfter: String?, seconds: Int64?) throws {
        let policy = policy.retrying(after: { head in
            head.header["X-Reset"].flatMap { Double($0) }.map { .seconds(min($0, 1e15)) }
        })
        var head = try head(429, retryAfter: retryAfter)
        if let text { head.header.set(Field(name: "X-Reset", value: text)) }
        let step = step(policy, after: .response(head), to: try request())
        #expect(step == (seconds.map { .retry(after: .seconds($0)) } ?? .giveUp))
    }

    @Test("The custom wait isn't called if there is no retry", arguments: [(404, 0), (503, 3)])
    func unasked(status: Int, retries: Int) throws {
        let asked = Recorder<Void>()
        let policy = policy.retrying(after: { _ in
            asked.record()
            return .zero
        })
        #expect(step(policy, after: .response(try head(status)), to: try request(), retries: retries) == .giveUp)
        let failure = RetryPolicy.Outcome.failure(TransportError(code: .closed, message: "", phase: .sending))
        #expect(step(policy, after: failure, to: try request()) == .retry(after: .seconds(1)))
        #expect(asked.count == 0)
    }

    @Test("Statuses, codes and the condition can be replaced")
    func own() throws {
        var policy = policy
        policy.statuses = [418]
        policy.codes = [.tooLarge]
        #expect(step(policy, after: .response(try head(418)), to: try request()) != .giveUp)
        #expect(step(policy, after: .response(try head(503)), to: try request()) == .giveUp)
        let tooLarge = RetryPolicy.Outcome.failure(TransportError(code: .tooLarge, message: "", phase: .receiving))
        #expect(step(policy, after: tooLarge, to: try request()) != .giveUp)
        let conditional = policy.retrying { outcome, request in
            if case .response(let head) = outcome { head.statusCode == 404 && request.method == .post } else { false }
        }
        #expect(step(conditional, after: .response(try head(404)), to: try request(.post)) != .giveUp)
        #expect(step(conditional, after: .response(try head(418)), to: try request(.post)) == .giveUp)
        #expect(step(conditional, after: .response(try head(404)), to: try request(.post), retries: 3) == .giveUp)
    }

    @Test("An unprocessed status is retried for any method, and no other status is")
    func unprocessed() throws {
        var policy = policy
        policy.unprocessedStatuses = [425, 429]
        for status in [425, 429] {
            let busy = RetryPolicy.Outcome.response(try head(status, retryAfter: "7"))
            #expect(step(policy, after: busy, to: try request(.post)) == .retry(after: .seconds(7)))
            #expect(step(policy, after: busy, to: try request(.post), retries: 3) == .giveUp)
            #expect(policy.mayRetry(status))
        }
        #expect(step(policy, after: .response(try head(503)), to: try request(.post)) == .giveUp)
        #expect(policy != self.policy)
        #expect(policy.summary.contains("unprocessedStatuses [425, 429]"))
    }

    @Test("Policies are equal by their settings, and conditions are compared by identity")
    func equality() {
        #expect(RetryPolicy.exponential() == .exponential(limit: 3, initial: .milliseconds(500), maximum: .seconds(20)))
        #expect(RetryPolicy.exponential() != .exponential(limit: 4))
        #expect(RetryPolicy.fixed(.seconds(1)) != .fixed(.seconds(2)))
        let conditional = policy.retrying { _, _ in true }
        #expect(conditional == conditional)
        #expect(conditional != policy.retrying { _, _ in true })
        let waiting = policy.retrying { _ in .zero }
        #expect(waiting == waiting)
        #expect(waiting != policy.retrying { _ in .zero })
    }

    @Test("A caller is told that a response would be retried only if the policy does that")
    func hints() throws {
        #expect(try policy.retriesIfSafe(head(503)))
        #expect(try !policy.retriesIfSafe(head(404)))
        #expect(try !RetryPolicy.fixed(.seconds(1), limit: 0).retriesIfSafe(head(503)))
        #expect(try !policy.retrying { _, _ in true }.retriesIfSafe(head(503)))
    }
}
