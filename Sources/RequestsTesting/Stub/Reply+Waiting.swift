import Requests
import RequestsClient

extension StubTransport.Reply {
    /// No response. The request fails with its total or idle timeout (default: 60 seconds), measured by the stub's
    /// clock.
    public static let never = Self.reply(200).delayed(by: Timeouts.unlimited)

    /// Returns the reply with an informational response before it, such as `103 Early Hints` (RFC 9110 §15.2).
    ///
    /// Only the request's observer receives the informational response.
    ///
    /// - Parameters:
    ///   - statusCode: The status code, from 100 to 199 except 101.
    ///   - header: The header. Default: empty.
    public func preceded(by statusCode: Int, header: Header = .empty) -> Self {
        Self(matching: { match in
            let head = try ResponseHead(statusCode: statusCode, header: header, url: match.request.url)
            match.context.observer?(.informational(head))
            return try await respond(match)
        })
    }

    /// Returns the reply with a delay before it.
    ///
    /// A delay that isn't shorter than the request's total or idle timeout (default: 60 seconds) makes the request time
    /// out.
    ///
    /// - Parameters:
    ///   - delay: The delay.
    ///   - clock: The clock that measures the delay. Default: `nil`, which means the stub's clock.
    public func delayed(by delay: Duration, on clock: (any Clock<Duration>)? = nil) -> Self {
        Self(matching: { match in
            try await match.request.wait(for: delay, match.context, on: clock ?? match.clock)
            return try await respond(match)
        })
    }
}

extension PreparedRequest {
    /// Waits for a delay, or throws when the request's total or idle timeout ends first.
    func wait(for delay: Duration, _ context: SendContext, on clock: any Clock<Duration>) async throws {
        guard delay > .zero else { return }
        let deadlines = ExchangeTimers(options.timeouts, context.deadline, start: 0)
        guard let end = deadlines.next, .nanoseconds(end) <= delay, let limit = deadlines.reached(at: end) else {
            return try await clock.sleep(for: delay)
        }
        try await clock.sleep(for: .nanoseconds(end))
        let reason = TransportError.reason(limit, of: options.timeouts, total: context.deadline.total)
        throw TransportError(.timedOut(limit), of: self, reason, phase: .receiving)
    }
}
