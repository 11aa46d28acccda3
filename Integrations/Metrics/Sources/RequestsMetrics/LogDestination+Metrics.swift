import Metrics
import RequestsClient

extension LogDestination {
    /// A destination that records calls in counters and timers of swift-metrics.
    ///
    /// ```swift
    /// configuration.log = .all(.metrics(), .console)
    /// ```
    ///
    /// | metric | kind | what it measures |
    /// |---|---|---|
    /// | `http.client.call.duration` | timer | a call, to its decoded response or its failure |
    /// | `http.client.attempts` | counter | attempts to send a request, for any reason, even without a connection |
    /// | `http.client.retries` | counter | retries |
    /// | `http.client.response.bytes` | counter | bytes of response bodies that were read into memory |
    /// | `http.client.first_byte.duration` | timer | the last exchange, until its response began |
    ///
    /// The dimensions are `http.request.method`, `server.address`, `server.port` and `url.template`, taken from the
    /// call's first request even after a redirect. The template is `PreparedRequest.operation`, such as `/users/{}`.
    /// The duration also has `http.response.status_code` and `error.type`, which is the status that wasn't accepted,
    /// the code of this library's errors, or the type of other errors. A metric always has the same dimensions, and one
    /// without a value is empty.
    ///
    /// The host is a dimension, so a client that sends to many hosts creates as many metrics.
    ///
    /// - Parameter factory: Creates the metrics. Default: `nil`, the factory of `MetricsSystem`.
    public static func metrics(factory: (any MetricsFactory)? = nil) -> LogDestination {
        LogDestination { event in
            CallMetrics(event, factory ?? MetricsSystem.factory).record(event.kind)
        }
    }
}
