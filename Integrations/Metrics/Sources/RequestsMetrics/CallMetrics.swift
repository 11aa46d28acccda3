import Metrics
import RequestsClient

/// The metrics of calls with the same method, server and operation.
struct CallMetrics {
    private let factory: any MetricsFactory
    private let dimensions: [(String, String)]

    init(_ event: LogDestination.Event, _ factory: any MetricsFactory) {
        self.factory = factory
        dimensions = [
            ("http.request.method", event.method.map(CallMetrics.name) ?? ""),
            ("server.address", event.origin?.address ?? ""),
            ("server.port", event.origin.map { "\($0.port)" } ?? ""),
            ("url.template", event.operation ?? ""),
        ]
    }

    func record(_ kind: LogDestination.Event.Kind) {
        switch kind {
        case .attempt: counter("http.client.attempts").increment()
        case .retrying: counter("http.client.retries").increment()
        case .succeeded(let status, let bytes, let duration, let metrics):
            timer(status: status).record(duration: duration)
            if let bytes { counter("http.client.response.bytes").increment(by: bytes) }
            if let start = metrics?.responseStart {
                Timer(label: "http.client.first_byte.duration", dimensions: dimensions, factory: factory)
                    .record(duration: start)
            }
        case .failed(let code, let status, _, let duration):
            let type = code == ResponseError.Code.status.rawValue ? status.map { "\($0)" } : nil
            timer(status: status, error: type ?? code).record(duration: duration)
        case .canceled(let duration): timer(status: nil, error: "canceled").record(duration: duration)
        case .started, .message: break
        }
    }

    private func counter(_ label: String) -> Counter {
        Counter(label: label, dimensions: dimensions, factory: factory)
    }

    private func timer(status: Int?, error: String = "") -> Timer {
        let outcome = [("http.response.status_code", status.map { "\($0)" } ?? ""), ("error.type", error)]
        return Timer(label: "http.client.call.duration", dimensions: dimensions + outcome, factory: factory)
    }

    /// The methods that OpenTelemetry defines. Others are recorded as `_OTHER`, to bound the number of metrics.
    private static let methods: Set<HTTPMethod> = [
        .connect, .delete, .get, .head, .options, .patch, .post, .put, "QUERY", .trace,
    ]

    private static func name(of method: HTTPMethod) -> String {
        methods.contains(method) ? method.rawValue : "_OTHER"
    }
}

extension RequestURL.Origin {
    /// The host as OpenTelemetry writes it: an IPv6 address without brackets.
    var address: String { host.filter { $0 != "[" && $0 != "]" } }
}
