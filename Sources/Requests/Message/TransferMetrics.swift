/// What an exchange took: times since the transport began with it, and what it went over.
///
/// What a transport does not know, or what did not happen, is `nil`: on a kept connection nothing is resolved,
/// connected or secured.
public struct TransferMetrics: Hashable, Sendable {
    /// When the host's name had an address.
    public var nameResolved: Duration?
    /// When the connection stood.
    public var connected: Duration?
    /// When the connection was secured.
    public var secured: Duration?
    /// When the request began to be sent.
    public var requestStarted: Duration?
    /// When the first byte of the response came.
    public var responseStarted: Duration?
    /// When the exchange was over; `nil` until then.
    public var ended: Duration?

    /// Whether the connection had served an exchange before.
    public var isConnectionReused: Bool?
    /// The version of HTTP that was spoken.
    public var httpVersion: HTTPVersion?
    /// The version of TLS that was spoken, such as `TLSv1.3`.
    public var tlsVersion: String?
    /// The own end of the connection, as `host:port`.
    public var localAddress: String?
    /// The other end of the connection, as `host:port`; a proxy's where there is one, or the path of a Unix domain socket.
    public var remoteAddress: String?

    /// How many bytes of the request's body were sent.
    public var sentBodyBytes: Int64 = 0
    /// How many bytes of the response's body came, before a content coding was undone.
    public var receivedBodyBytes: Int64 = 0

    /// Creates metrics of which nothing is known.
    public init() {}
}

extension TransferMetrics: CustomStringConvertible {
    /// What is known, in one line: `connected after 0.4 ms, answered after 12 ms, ended after 13 ms, HTTP/1.1 with 127.0.0.1:80`.
    public var description: String {
        let steps = [
            ("resolved", nameResolved), ("connected", connected), ("secured", secured), ("sending", requestStarted),
            ("answered", responseStarted), ("ended", ended),
        ]
        let times = steps.compactMap { step, time in time.map { "\(step) after \($0.atAGlance)" } }
        let version = [httpVersion.map { "\($0)" }, tlsVersion].compactMap(\.self).joined(separator: " over ")
        let connection = [version.isEmpty ? nil : version, remoteAddress].compactMap(\.self).joined(separator: " with ")
        return (times + (connection.isEmpty ? [] : [connection])).joined(separator: ", ")
    }
}
