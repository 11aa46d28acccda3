import Requests
import RequestsClient
import RequestsTesting

/// Cases about servers that break the rules of HTTP/2 (RFC 9113, RFC 7541).
extension TransportConformance.Case {
    static let hostileHTTP2: [Self] = hostileExchanges.map(\.conformanceCase)

    private static let hostileExchanges: [TransportConformance.HostileExchange] =
        TransportConformance.HostileExchange.resets + TransportConformance.HostileExchange.goAways
        + TransportConformance.HostileExchange.states + TransportConformance.HostileExchange.malformedFrames
        + TransportConformance.HostileExchange.settings + TransportConformance.HostileExchange.windows
        + TransportConformance.HostileExchange.paddings + TransportConformance.HostileExchange.pushes
        + TransportConformance.HostileExchange.fieldBlocks + TransportConformance.HostileExchange.heads
        + TransportConformance.HostileExchange.floods + TransportConformance.HostileExchange.earlyResponses

    /// Returns the case of a hostile HTTP/2 server whose name is `http2.` and this suffix:
    /// `.http2("reset.inBody.cancel")`.
    ///
    /// - Precondition: A case with this name exists.
    public static func http2(_ name: String) -> Self {
        guard let found = hostileHTTP2.first(where: { $0.name == "http2.\(name)" }) else {
            preconditionFailure("there is no case http2.\(name); use a name in TransportConformance.Case.all")
        }
        return found
    }
}
