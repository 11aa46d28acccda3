import Requests

/// The options that a transport supports. It rejects a request that needs any other.
public struct TransportCapabilities: OptionSet, Sendable {
    /// The members as a bit mask.
    public let rawValue: UInt64

    /// Creates a set from a bit mask.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Streams request bodies from files, streams and sequences.
    public static let streamedRequestBodies = TransportCapabilities(rawValue: 1 << 0)
    /// Stops receiving while the response body isn't read.
    public static let backPressure = TransportCapabilities(rawValue: 1 << 1)
    /// Keeps the order of header fields, and repeated fields separate.
    public static let orderedFields = TransportCapabilities(rawValue: 1 << 2)
    /// Enforces `Timeouts.connect`.
    public static let connectTimeout = TransportCapabilities(rawValue: 1 << 3)
    /// Uses HTTP/2 with servers that support it.
    public static let http2 = TransportCapabilities(rawValue: 1 << 4)
    /// Sets `Response.metrics`, and reports connections to a request's observer.
    public static let metrics = TransportCapabilities(rawValue: 1 << 5)
    /// Supports `CallOptions.networkServiceType` and `CallOptions.allowsCellularAccess`.
    public static let networkServices = TransportCapabilities(rawValue: 1 << 6)
    /// Rejects a certificate that names the host only in its subject (RFC 9110 §4.3.4).
    public static let certificateNames = TransportCapabilities(rawValue: 1 << 7)
    /// Detects that a TLS connection was cut, so that a truncated close-delimited body isn't taken as complete
    /// (RFC 9112 §9.8).
    public static let tlsClosure = TransportCapabilities(rawValue: 1 << 8)
    /// Ends a request while a host name is being resolved, without delaying other requests.
    public static let cancelableNameResolution = TransportCapabilities(rawValue: 1 << 9)
    /// Can reject IP addresses when a connection is opened.
    public static let addressPolicy = TransportCapabilities(rawValue: 1 << 10)
    /// Sends the trailers of a request body.
    public static let requestTrailers = TransportCapabilities(rawValue: 1 << 11)
    /// Cancels a request when its ``CallState`` is canceled.
    package static let callScopes = TransportCapabilities(rawValue: 1 << 63)
}
