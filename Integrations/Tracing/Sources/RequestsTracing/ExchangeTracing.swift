import Requests
import RequestsClient
import Tracing

/// Makes a span for each exchange, and adds the span's context to the request.
struct ExchangeTracing: Middleware {
    let tracer: (any Tracer)?

    func intercept(
        _ request: PreparedRequest,
        context: CallContext,
        next: @escaping Next
    ) async throws -> Response<ResponseBody> {
        let tracer = tracer ?? InstrumentationSystem.tracer
        let span = HTTPSpan(tracer.startSpan(request.method.semanticName ?? "HTTP", ofKind: .client), of: request)
        span.set(resendCount: ExchangeCount.current?.next() ?? context.attempt - 1)
        var request = request
        tracer.inject(span.context, into: &request.header, using: HeaderInjector())
        return try await span.run { [request] in try await next(request) }
    }
}

/// Writes the context of a span into a header.
private struct HeaderInjector: Injector {
    func inject(_ value: String, forKey key: String, into header: inout Header) {
        header.set(Field(name: Field.Name(key), value: value))
    }
}
