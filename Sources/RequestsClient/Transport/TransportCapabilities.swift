import Requests

/// The options that a transport supports. It rejects a request that needs any other.
public struct TransportCapabilities: OptionSet, Sendable {
    /// The members as a bit mask.
    public let rawValue: UInt64

    /// Creates a set from a bit mask.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

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
    /// Uses HTTP/3 with servers that support it.
    public static let http3 = TransportCapabilities(rawValue: 1 << 12)
}

extension PreparedRequest {
    /// Checks that the request is valid and that a transport with these capabilities supports it.
    ///
    /// Also rejects what no transport supports: the method `CONNECT`, a body with `HEAD`, a response from the cache
    /// only, a header field of more than 300,000 bytes, and a header of more than 1,000,000 bytes.
    ///
    /// - Throws: `RequestError` as `validate()` does, or `TransportError.Code.unsupported`, naming the option.
    public func validate(for capabilities: TransportCapabilities) throws {
        try validate()
        let reason = unsupportedOption(for: capabilities) ?? excessiveSize
        if let reason { throw TransportError.unsupported(reason) }
    }

    /// Why the transport doesn't support the request, and what to do.
    private func unsupportedOption(for capabilities: TransportCapabilities) -> String? {
        if method == .connect { return "the method CONNECT isn't supported" }
        if method == .head, !body.isNone { return "the method HEAD doesn't allow a body; remove it" }
        if options.requiresCache {
            return "transports have no cache, so returnCacheDataDontLoad isn't supported; use another cachePolicy"
        }
        if options.timeouts.connect != nil, !capabilities.contains(.connectTimeout) {
            return "this transport doesn't support the connect timeout; use the idle or the total timeout"
        }
        if !capabilities.contains(.streamedRequestBodies), !body.isNone, body.data == nil {
            return "this transport only sends bodies in memory; use Data instead of files and streams, "
                + "or another transport"
        }
        if !capabilities.contains(.requestTrailers), body.trailers != nil {
            return "this transport doesn't support request trailers; send the fields in the header, or use another one"
        }
        if !capabilities.contains(.networkServices), options.needsNetworkServices {
            return "this transport doesn't support networkServiceType and allowsCellularAccess; leave both options nil"
        }
        return nil
    }

    private static let maximumField = 300_000
    private static let maximumHeader = 1_000_000

    /// libcurl 8.14 to 8.21 leaves out a field of more than 307,200 bytes, and every version limits the whole header.
    private var excessiveSize: String? {
        var total = 0
        for field in header {
            let size = field.name.rawValue.utf8.count + field.value.utf8.count
            guard size <= PreparedRequest.maximumField else {
                return "the header field \(field.name) has \(size) bytes; send large values in the body"
            }
            total += size
        }
        guard total > PreparedRequest.maximumHeader else { return nil }
        return "the header has \(total) bytes; send large values in the body"
    }
}
