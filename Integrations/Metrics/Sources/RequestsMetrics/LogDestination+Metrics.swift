import Metrics
import Requests
import RequestsClient

extension LogDestination {
    /// Counters and timers of swift-metrics.
    ///
    /// ```swift
    /// configuration.log = .all(.metrics(), .console)
    /// ```
    ///
    /// | metric | kind | what it measures |
    /// |---|---|---|
    /// | `http.client.call.duration` | timer | a call, to its decoded response or its failure |
    /// | `http.client.attempts` | counter | requests that were sent, for any reason |
    /// | `http.client.retries` | counter | requests that were sent again |
    /// | `http.client.response.bytes` | counter | bytes of response bodies that were read into memory |
    /// | `http.client.first_byte.duration` | timer | the last exchange, until its response began |
    ///
    /// The dimensions are `http.request.method`, `server.address`, `server.port` and `url.template` of the call's
    /// request, also after a redirect. The template is `PreparedRequest.operation`, such as `/users/{}`. The duration of a call also has `http.response.status_code` and `error.type`, which is the
    /// code of one of the library's errors or the type of another error. A metric always has the same dimensions. A
    /// dimension without a value is empty.
    ///
    /// The host is a dimension, so a client that sends to any number of hosts makes any number of metrics.
    ///
    /// - Parameter factory: Makes the metrics. Default: `nil`, the factory of `MetricsSystem`.
    public static func metrics(factory: (any MetricsFactory)? = nil) -> LogDestination {
        LogDestination { event in
            CallMetrics(event, factory ?? MetricsSystem.factory).record(event.kind)
        }
    }
}
