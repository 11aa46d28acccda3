import RequestsClient
import Synchronization
import Tracing

/// Middleware that creates a span for each call.
///
/// The kind is `internal`, because OpenTelemetry reserves `client` for the individual requests that are sent.
struct CallTracing: Middleware {
    let tracer: (any Tracer)?

    func intercept(
        _ request: PreparedRequest,
        context: CallContext,
        next: @escaping Next
    ) async throws -> Response<ResponseBody> {
        let tracer = tracer ?? InstrumentationSystem.tracer
        let span = HTTPSpan(tracer.startSpan(request.spanName, ofKind: .internal), of: request)
        return try await ExchangeCount.$current.withValue(ExchangeCount()) {
            try await span.run { try await next(request) }
        }
    }
}

/// A counter for the requests that a call has sent so far.
final class ExchangeCount: Sendable {
    /// The counter of the current task's call. `nil` outside a call.
    @TaskLocal static var current: ExchangeCount?

    private let count = Atomic(0)

    /// Increments the counter.
    ///
    /// - Returns: The number of earlier requests.
    func next() -> Int { count.add(1, ordering: .relaxed).oldValue }
}
