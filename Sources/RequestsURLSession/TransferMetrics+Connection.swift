#if FullFoundation
import Requests

extension TransferMetrics {
    /// Stores what URLSession reports about a connection.
    ///
    /// - Parameters:
    ///   - protocolName: The protocol's name by ALPN, such as `h2`.
    ///   - tlsVersion: The version of TLS as on the wire, such as `0x0304` for TLS 1.3.
    mutating func setConnection(
        protocolName: String?,
        tlsVersion: UInt16?,
        local: (host: String?, port: Int?),
        remote: (host: String?, port: Int?)
    ) {
        httpVersion =
            ["http/1.0": .http1_0, "http/1.1": .http1_1, "h2": .http2, "h2c": .http2, "h3": .http3][protocolName ?? ""]
        // As OpenSSL names them.
        self.tlsVersion = [0x0301: "TLSv1", 0x0302: "TLSv1.1", 0x0303: "TLSv1.2", 0x0304: "TLSv1.3"][tlsVersion ?? 0]
        func text(_ end: (host: String?, port: Int?)) -> String? {
            end.host.map { "\($0.contains(":") ? "[\($0)]" : $0):\(end.port ?? 0)" }
        }
        (localAddress, remoteAddress) = (text(local), text(remote))
    }
}
#endif
