import Requests
import RequestsClient

/// Continues a distributed trace in every request.
///
/// ```swift
/// let received = TraceContext(head.header)
/// client.configuration.middleware = [TraceMiddleware { received }]
/// ```
///
/// Each call is a new span in the trace of the current context, or the start of a trace. As exchange middleware, each
/// attempt is a span. A request that already contains `traceparent` isn't changed.
///
/// Specification: W3C Trace Context.
public struct TraceMiddleware: Middleware {
    private let current: @Sendable () -> TraceContext?
    private let random: @Sendable () -> UInt64

    /// Creates middleware.
    ///
    /// - Parameters:
    ///   - random: Returns random bits for identifiers. Default: the system's.
    ///   - current: Returns the context of the work that makes the request, for example a task-local value. `nil`
    ///     starts a trace.
    public init(
        random: @escaping @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) },
        current: @escaping @Sendable () -> TraceContext?
    ) {
        self.current = current
        self.random = random
    }

    /// Adds `traceparent` and `tracestate`, and sends the request on.
    public func intercept(
        _ request: PreparedRequest,
        context: CallContext,
        next: @escaping Next
    ) async throws -> Response<ResponseBody> {
        guard !request.header.contains(.traceParent) else { return try await next(request) }
        var request = request
        request.header.set(span())
        return try await next(request)
    }

    private func span() -> TraceContext {
        var generator = Generator(random: random)
        return current()?.child(using: &generator) ?? .root(using: &generator)
    }

    private struct Generator: RandomNumberGenerator {
        let random: @Sendable () -> UInt64

        func next() -> UInt64 { random() }
    }
}
