/// How cached responses may be used, with the cases of Foundation's `URLRequest.CachePolicy`.
public enum CachePolicy: CaseIterable, Hashable, Sendable {
    /// As the protocol and the response say.
    case useProtocolCachePolicy
    /// Ignores the local cache.
    case reloadIgnoringLocalCacheData
    /// Uses a cached response of any age, or else sends the request.
    case returnCacheDataElseLoad
    /// Uses a cached response of any age, and never sends the request.
    case returnCacheDataDontLoad
    /// Ignores the local cache, and asks the caches on the way to do the same.
    case reloadIgnoringLocalAndRemoteCacheData
    /// Uses a cached response if the server confirms that it is current.
    case reloadRevalidatingCacheData
}

extension CallOptions {
    /// The purpose of network traffic, which decides how the system treats it, with the cases of Foundation's
    /// `URLRequest.NetworkServiceType`.
    public enum NetworkServiceType: UInt, Hashable, Sendable {
        /// Usual traffic.
        case `default` = 0
        /// Video.
        case video = 2
        /// Traffic that the user doesn't wait for.
        case background = 3
        /// Voice.
        case voice = 4
        /// Traffic that the user waits for.
        case responsiveData = 6
        /// Streamed audio and video.
        case avStreaming = 8
        /// Audio and video that the user interacts with.
        case responsiveAV = 9
        /// The signals of a call.
        case callSignaling = 11
    }

    /// Whether the response must come from a cache, which no transport supports.
    package var requiresCache: Bool { cachePolicy == .returnCacheDataDontLoad }

    /// Whether the request depends on the network service type or excludes cellular networks.
    package var needsNetworkServices: Bool {
        networkServiceType ?? .default != .default || allowsCellularAccess == false
    }

    /// Sets the idle timeout and the cache policy if they are unset and the values aren't Foundation's defaults.
    mutating func fill(idle: TimeInterval, cachePolicy: CachePolicy) {
        if timeouts.idle == nil, idle != Timeouts.defaultIdleInterval { timeouts.idle = Timeouts.duration(idle) }
        if self.cachePolicy == nil, cachePolicy != .useProtocolCachePolicy { self.cachePolicy = cachePolicy }
    }
}

extension Header {
    /// Adds `Cache-Control: no-cache` if the policy bypasses remote caches and the field isn't set (RFC 9111
    /// §5.2.1.4).
    mutating func fill(for policy: CachePolicy?) {
        guard policy == .reloadIgnoringLocalAndRemoteCacheData, !contains(.cacheControl) else { return }
        set(.cacheControl(.noCache))
    }
}

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
