/// What a transport can do. What it cannot do it refuses.
public struct TransportCapabilities: OptionSet, Sendable {
    /// The members as bits.
    public let rawValue: UInt64

    /// Creates a set of its bits.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Sends bodies that are not in memory, files, streams and chunks, while they are read.
    public static let streamedRequestBodies = TransportCapabilities(rawValue: 1 << 0)
    /// Stops receiving while nobody reads the response's body.
    public static let backPressure = TransportCapabilities(rawValue: 1 << 1)
    /// Sends and delivers fields in order, repeats apart.
    public static let orderedFields = TransportCapabilities(rawValue: 1 << 2)
    /// Ends an exchange on ``Timeouts/connect``.
    public static let connectTimeout = TransportCapabilities(rawValue: 1 << 3)
    /// Speaks HTTP/2 with servers that offer it.
    public static let http2 = TransportCapabilities(rawValue: 1 << 4)
    /// Tells a request's observer of connections, and measures: ``Response/metrics`` is there.
    public static let metrics = TransportCapabilities(rawValue: 1 << 5)
    /// Honours ``RequestOptions/networkServiceType`` and ``RequestOptions/allowsCellularAccess``.
    public static let networkServices = TransportCapabilities(rawValue: 1 << 6)
}
