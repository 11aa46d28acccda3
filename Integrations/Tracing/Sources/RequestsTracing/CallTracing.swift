import Requests
import RequestsClient
import Synchronization
import Tracing

/// Makes a span for each call.
///
/// The kind is `internal`, because OpenTelemetry reserves `client` for the requests that are sent.
struct CallTracing: Middleware {
    let tracer: (any Tracer)?

    func intercept(
        _ request: PreparedRequest,
        context: CallContext,
        next: @escaping Next
    ) async throws -> Response<ResponseBody> {
        let tracer = tracer ?? InstrumentationSystem.tracer
        let method = request.method.semanticName
        let name = [method ?? "HTTP", request.operation].compactMap(\.self).joined(separator: " ")
        let span = HTTPSpan(tracer.startSpan(name, ofKind: .internal), of: request)
        return try await ExchangeCount.$current.withValue(ExchangeCount()) {
            try await span.run { try await next(request) }
        }
    }
}

/// The number of exchanges that a call has made so far.
final class ExchangeCount: Sendable {
    /// The count of the call that this task belongs to. `nil` outside a call.
    @TaskLocal static var current: ExchangeCount?

    private let count = Atomic(0)

    /// Counts an exchange.
    ///
    /// - Returns: The number of earlier exchanges.
    func next() -> Int { count.add(1, ordering: .relaxed).oldValue }
}
