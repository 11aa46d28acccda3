/// The measurements of an attempt: times since its start, the connection, and sizes.
///
/// A value is `nil` if the transport doesn't know it or if it didn't happen: a reused connection has no times for DNS,
/// connecting and TLS.
public struct TransferMetrics: Hashable, Sendable {
    /// When the host's name was resolved.
    public var domainLookupEnd: Duration?
    /// When the connection was established.
    public var connectEnd: Duration?
    /// When the TLS handshake was finished.
    public var tlsEnd: Duration?
    /// When the transport started to send the request.
    public var requestStart: Duration?
    /// When the first byte of the response arrived.
    public var responseStart: Duration?
    /// When the attempt ended.
    public var responseEnd: Duration?

    /// Whether the connection was used before.
    public var isConnectionReused: Bool?
    /// The version of HTTP.
    public var httpVersion: HTTPVersion?
    /// The version of TLS, such as `TLSv1.3`.
    public var tlsVersion: String?
    /// The local end of the connection, as `host:port`.
    public var localAddress: String?
    /// The remote end of the connection, or of the connection to the proxy, as `host:port` or the path of a socket.
    public var remoteAddress: String?

    /// The number of bytes of the request body that were sent.
    public var sentBodyBytes: Int64 = 0
    /// The number of bytes of the response body that arrived, before its content encoding was decoded.
    public var receivedBodyBytes: Int64 = 0

    /// Creates metrics without values.
    public init() {}

    /// A response is copied many times, and these values fill 232 bytes.
    @usableFromInline package typealias Boxed = CopyOnWrite<TransferMetrics>
}

extension TransferMetrics: CustomStringConvertible {
    /// The known values in one line: `connected after 0.4 ms, response after 12 ms, ended after 13 ms, HTTP/1.1 with
    /// 127.0.0.1:80`.
    public var description: String {
        let steps = [
            ("resolved", domainLookupEnd), ("connected", connectEnd), ("TLS", tlsEnd), ("request", requestStart),
            ("response", responseStart), ("ended", responseEnd),
        ]
        let times = steps.compactMap { step, time in time.map { "\(step) after \($0.shortDescription)" } }
        let version = [httpVersion.map { "\($0)" }, tlsVersion].compactMap(\.self).joined(separator: " over ")
        let connection = [version.isEmpty ? nil : version, remoteAddress].compactMap(\.self).joined(separator: " with ")
        return (times + (connection.isEmpty ? [] : [connection])).joined(separator: ", ")
    }
}

extension Duration {
    /// The duration in seconds, milliseconds or microseconds, with two significant digits.
    package var shortDescription: String {
        let milliseconds = self / .milliseconds(1)
        if 0 < milliseconds, milliseconds < 0.0995 { return "\(Duration.rounded(milliseconds * 1000)) µs" }
        if milliseconds < 999.5 { return "\(Duration.rounded(milliseconds)) ms" }
        return "\(Duration.rounded(milliseconds / 1000)) s"
    }

    private static func rounded(_ number: Double) -> String {
        let tenths = (number * 10).rounded()
        guard tenths < 100, tenths.truncatingRemainder(dividingBy: 10) != 0 else {
            return Int64(exactly: number.rounded()).map { "\($0)" } ?? "\(number)"
        }
        return "\(tenths / 10)"
    }
}
