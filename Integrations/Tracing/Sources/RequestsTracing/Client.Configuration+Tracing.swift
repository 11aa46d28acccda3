import Requests
import RequestsClient
import Tracing

extension Client.Configuration {
    /// Traces every call, and every exchange of a call.
    ///
    /// ```swift
    /// var configuration = Client.Configuration()
    /// configuration.trace()
    /// ```
    ///
    /// A call has a span of the kind `internal`, named `HTTP GET`. It contains a span of the kind `client`, named
    /// `GET`, for each request that is sent: the first one, retries, redirects and authentication. The attributes have
    /// the names of [OpenTelemetry](https://opentelemetry.io/docs/specs/semconv/http/http-spans/). Spans contain no
    /// header fields, bodies or credentials. Of errors that aren't the library's, only the type is recorded.
    ///
    /// Each request carries the context of its span, in the fields that the tracer injects. The spans end when the
    /// head of the response has arrived, because a body may never be read.
    ///
    /// The spans enclose the other middleware of the configuration at the time of the call. A request with
    /// `isIntercepted` set to `false` isn't traced.
    ///
    /// - Parameter tracer: The tracer. Default: `nil`, the tracer of `InstrumentationSystem` at the time of each call.
    public mutating func trace(with tracer: (any Tracer)? = nil) {
        middleware.insert(CallTracing(tracer: tracer), at: 0)
        attemptMiddleware.insert(ExchangeTracing(tracer: tracer), at: 0)
    }
}
