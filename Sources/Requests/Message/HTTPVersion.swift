/// A version of HTTP.
public struct HTTPVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number before the dot.
    public let major: Int
    /// The number after the dot.
    public let minor: Int

    /// Creates a version.
    public init(major: Int, minor: Int) { (self.major, self.minor) = (major, minor) }

    /// HTTP/1.0 (RFC 1945).
    public static let http1_0 = HTTPVersion(major: 1, minor: 0)
    /// HTTP/1.1 (RFC 9112).
    public static let http1_1 = HTTPVersion(major: 1, minor: 1)
    /// HTTP/2 (RFC 9113).
    public static let http2 = HTTPVersion(major: 2, minor: 0)
    /// HTTP/3 (RFC 9114).
    public static let http3 = HTTPVersion(major: 3, minor: 0)

    /// Whether several requests can share a connection at the same time.
    package var isMultiplexed: Bool { major >= 2 }

    /// Orders by major, then minor number.
    public static func < (lhs: HTTPVersion, rhs: HTTPVersion) -> Bool {
        (lhs.major, lhs.minor) < (rhs.major, rhs.minor)
    }

    /// The version as `HTTP/1.1`, or as `HTTP/2` from version 2 on if the minor number is 0.
    public var description: String { major >= 2 && minor == 0 ? "HTTP/\(major)" : "HTTP/\(major).\(minor)" }
}
