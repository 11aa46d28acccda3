extension PreparedRequest {
    /// An event of an attempt, for ``CallOptions/observer``.
    ///
    /// A transport reports the events that it knows in this order. URLSession on Linux reports none about connections.
    /// Byte counts are measured on the wire, before a content encoding is decoded.
    ///
    /// Return from the observer quickly: it blocks the transport's thread.
    public enum Event: Sendable {
        /// The host's name was resolved. Not reported for a reused connection.
        case resolved(address: String)
        /// The connection is established or reused. Addresses are `host:port`.
        case connected(local: String, remote: String, isReused: Bool)
        /// The TLS handshake is finished, with a version such as `TLSv1.3`. `nil` if the transport doesn't know it.
        case secured(tlsVersion: String?)
        /// The number of bytes of the request body that were sent. `total` is `nil` if the length is unknown.
        case sent(bytes: Int64, total: Int64?)
        /// The whole request was sent, or the response arrived before that.
        case requestSent
        /// An informational response arrived, such as `103 Early Hints` (RFC 9110 §15.2).
        case informational(ResponseHead)
        /// The head of the response arrived.
        case head(ResponseHead)
        /// The number of bytes of the response body that arrived. `total` is `nil` if the length is unknown.
        case received(bytes: Int64, total: Int64?)
        /// The attempt ended, successfully or not.
        case ended(TransferMetrics)
    }
}
