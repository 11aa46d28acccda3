/// How a cache contributed to a response.
///
/// ```swift
/// // Prints "hit, age 12 s: max-age=60".
/// if let status = response.head.cacheStatus { print(status) }
/// ```
public struct CacheStatus: Hashable, Sendable, CustomStringConvertible {
    /// Where a response comes from.
    public enum Kind: String, Hashable, Sendable {
        /// The response was stored, and no request was sent.
        case hit
        /// The response was stored, and the server confirmed that it is current (RFC 9111 §4.3).
        case revalidated
        /// The response was stored and is out of date (RFC 9111 §4.2.4).
        case stale
        /// The response came from the server.
        case miss
    }

    /// Where the response comes from.
    public var kind: Kind

    /// The time since the server created or confirmed the response, in seconds (RFC 9111 §4.2.3). `nil` for a response
    /// of the server.
    public var age: Int64?

    /// The rule that the cache followed, such as `max-age=60`. Contains no secrets.
    public var reason: String

    /// Creates a status.
    public init(_ kind: Kind, age: Int64? = nil, reason: String) {
        self.kind = kind
        self.age = age
        self.reason = reason
    }

    /// Whether no request was sent for the response, so that it sets no cookies and renews no credentials.
    package var isFromStore: Bool { kind == .hit || kind == .stale }

    /// The status in one line.
    public var description: String { "\(kind)\(age.map { ", age \($0) s" } ?? ""): \(reason)" }
}
