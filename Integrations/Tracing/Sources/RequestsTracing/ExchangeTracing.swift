import RequestsClient
import Tracing

/// Middleware that creates a span for each request that is sent, and adds the span's context to its header.
struct ExchangeTracing: Middleware {
    let tracer: (any Tracer)?

    func intercept(
        _ request: PreparedRequest,
        context: CallContext,
        next: @escaping Next
    ) async throws -> Response<ResponseBody> {
        let tracer = tracer ?? InstrumentationSystem.tracer
        let span = HTTPSpan(tracer.startSpan(request.spanName, ofKind: .client), of: request)
        span.set(resendCount: ExchangeCount.current?.next() ?? context.attempt - 1)
        var request = request
        tracer.inject(span.context, into: &request.header, using: HeaderInjector())
        return try await span.run { [request] in try await next(request) }
    }
}

/// An injector that writes the context of a span into a header.
private struct HeaderInjector: Injector {
    func inject(_ value: String, forKey key: String, into header: inout Header) {
        header.set(Field(name: Field.Name(key), value: value))
    }
}
