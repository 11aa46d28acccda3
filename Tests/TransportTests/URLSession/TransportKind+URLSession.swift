#if FullFoundation
import RequestsURLSession

extension TransportKind {
    static let ofFoundation = [TransportKind(name: "urlSession") { URLSessionTransport() }]
}
#endif
