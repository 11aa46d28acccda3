import RequestsClient
import Tracing

extension Client.Configuration {
    /// Traces every call, and every request that is sent for it.
    ///
    /// ```swift
    /// var configuration = Client.Configuration()
    /// configuration.trace()
    /// ```
    ///
    /// Each call has a span of the kind `internal`, named after the method and the operation, such as `GET /users/{}`.
    /// It contains a span of the kind `client` for each request that is sent, including retries, redirects and
    /// authentication, which has the same name, or only the method's after a redirect. The attributes have the names of
    /// [OpenTelemetry](https://opentelemetry.io/docs/specs/semconv/http/http-spans/).
    /// Spans contain no header fields, bodies or credentials. Only the type is recorded of errors that aren't this
    /// library's.
    ///
    /// Each request contains the context of its span in the fields that the tracer injects. A request's span ends when
    /// the head of the response has arrived, because the body may never be read.
    ///
    /// The spans enclose the middleware that the configuration already contains. A request with `isIntercepted` set to
    /// `false` isn't traced.
    ///
    /// - Parameter tracer: The tracer. Default: `nil`, the tracer of `InstrumentationSystem` at the time of each call.
    public mutating func trace(with tracer: (any Tracer)? = nil) {
        middleware.insert(CallTracing(tracer: tracer), at: 0)
        attemptMiddleware.insert(ExchangeTracing(tracer: tracer), at: 0)
    }
}
