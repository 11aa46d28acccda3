/// Something that happened to an exchange, as it is told to ``PreparedRequest/observer``.
///
/// A transport reports what it learns, in this order; URLSession on Linux tells nothing of connections. Numbers of
/// bytes are those of bodies as they are on the wire, before a content coding is undone.
public enum TransportEvent: Sendable {
    /// The host's name has an address, which is connected to next. Not reported for a connection that is kept.
    case resolved(address: String)
    /// The connection stands, a new one or a kept one. Addresses are `host:port`.
    case connected(local: String, remote: String, isReused: Bool)
    /// The connection is secured, with a version such as `TLSv1.3`; `nil` where the transport cannot tell.
    case secured(tlsVersion: String?)
    /// So many bytes of the request's body have been sent; `total` is `nil` while only the source's end will tell.
    case sent(bytes: Int64, total: Int64?)
    /// The whole request has been sent, or the response came before that.
    case requestSent
    /// An informational response came, such as `103 Early Hints` (RFC 9110 §15.2).
    case informational(ResponseHead)
    /// The head of the response came.
    case head(ResponseHead)
    /// So many bytes of the response's body have come; `total` is `nil` while only its end will tell.
    case received(bytes: Int64, total: Int64?)
    /// The exchange is over, whatever became of it.
    case ended(TransferMetrics)
}
