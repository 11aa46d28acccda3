import RequestsClient

/// Middleware that continues a distributed trace in every request, without a tracer.
///
/// ```swift
/// let received = TraceContext(head.header)
/// client.configuration.middleware = [TraceMiddleware { received }]
/// ```
///
/// Each call becomes a new span of the current context's trace, or starts a new trace. As attempt middleware, each
/// attempt becomes a span instead. A request that already contains `traceparent` isn't changed.
///
/// Specification: W3C Trace Context.
public struct TraceMiddleware: Middleware {
    private let current: @Sendable () -> TraceContext?
    private let random: @Sendable () -> UInt64

    /// Creates middleware.
    ///
    /// - Parameters:
    ///   - random: Returns random bits for identifiers. Default: the system's generator.
    ///   - current: Returns the context of the work that sends the request, for example from a task-local value. If it
    ///     is `nil`, a new trace starts.
    public init(
        random: @escaping @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) },
        current: @escaping @Sendable () -> TraceContext?
    ) {
        self.current = current
        self.random = random
    }

    /// Adds `traceparent` and `tracestate` to a request, and passes it on.
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
