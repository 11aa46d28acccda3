/// Everything optional about a call: its limits, redirects and retries, what the transport should do, and its logs.
///
/// `nil` means the setting of the client (`Client.Configuration.options`), and then the default. A request's options
/// take precedence over its client's. A transport rejects an option that it doesn't support with
/// ``TransportError/Code/unsupported``, before it sends anything.
///
/// Options are equal if their values are equal. Conditions that are closures compare by identity, and observers aren't
/// compared.
public struct CallOptions: Hashable, Sendable {
    private struct Values: Hashable {
        var timeouts = Timeouts()
        var redirects: RedirectPolicy?
        var retries: RetryPolicy?
        var maximumBodyBytes: Int?
        var isIntercepted: Bool?
        var isIdempotent: Bool?
        var usesCookies: Bool?
        var cachePolicy: CachePolicy?
        var networkServiceType: NetworkServiceType?
        var allowsCellularAccess: Bool?
        var operation: String?
        var unredactedNames: Set<Field.Name> = []
        var sensitiveQueryNames: Set<String> = []
        var observer = Uncompared<(@Sendable (PreparedRequest.Event) -> Void)?>(value: nil)
    }

    private static let unset = CopyOnWrite(Values())

    /// Most requests leave everything to the client, and share ``unset``.
    private var values = CallOptions.unset

    /// The time limits. A limit that is `nil` is the client's, and then the transport's.
    public var timeouts: Timeouts {
        get { values.value.timeouts }
        set { values.value.timeouts = newValue }
    }

    /// Decides which redirects a client follows. Default: up to 10, and none from `https` to `http`.
    public var redirects: RedirectPolicy? {
        get { values.value.redirects }
        set { values.value.redirects = newValue }
    }

    /// Decides when a client sends the request again. Default: never.
    public var retries: RetryPolicy? {
        get { values.value.retries }
        set { values.value.retries = newValue }
    }

    /// The maximum size of a response body in memory, in bytes. `Int.max` lifts a client's limit. Default: 64 MiB.
    public var maximumBodyBytes: Int? {
        get { values.value.maximumBodyBytes }
        set { values.value.maximumBodyBytes = newValue }
    }

    /// The default of ``maximumBodyBytes``, and of every other limit on a body in memory.
    package static let defaultMaximumBodyBytes = 64 << 20

    /// Whether the client's middleware sees the request. Default: `true`.
    public var isIntercepted: Bool? {
        get { values.value.isIntercepted }
        set { values.value.isIntercepted = newValue }
    }

    /// Whether all attempts get one generated `Idempotency-Key`, so that any method can be retried. Default: `false`.
    public var isIdempotent: Bool? {
        get { values.value.isIdempotent }
        set { values.value.isIdempotent = newValue }
    }

    /// Whether stored cookies are sent, and the cookies of responses are stored. The request's own `Cookie` field is
    /// sent in any case. Default: `true`, for a client with a cookie store.
    public var usesCookies: Bool? {
        get { values.value.usesCookies }
        set { values.value.usesCookies = newValue }
    }

    /// The cache policy. Default: `useProtocolCachePolicy`.
    ///
    /// `reloadIgnoringLocalAndRemoteCacheData` adds `Cache-Control: no-cache`, unless the request has the field (RFC
    /// 9111 §5.2.1.4). Without a cache every request is sent, and `returnCacheDataDontLoad` is rejected.
    public var cachePolicy: CachePolicy? {
        get { values.value.cachePolicy }
        set { values.value.cachePolicy = newValue }
    }

    /// The purpose of the traffic, which decides how the system treats it. Default: `default`.
    ///
    /// libcurl has no service types and rejects any other value.
    public var networkServiceType: NetworkServiceType? {
        get { values.value.networkServiceType }
        set { values.value.networkServiceType = newValue }
    }

    /// Whether the request may use a cellular network. Default: `true`.
    ///
    /// libcurl doesn't know the kind of a network and rejects `false`.
    public var allowsCellularAccess: Bool? {
        get { values.value.allowsCellularAccess }
        set { values.value.allowsCellularAccess = newValue }
    }

    /// The name of the operation in logs, metrics and traces. Default: ``PreparedRequest/template``.
    ///
    /// It should have few values, so it must not contain identifiers.
    public var operation: String? {
        get { values.value.operation }
        set { values.value.operation = newValue }
    }

    /// The header fields whose values are logged although they are sensitive. Default: none.
    public var unredactedNames: Set<Field.Name> {
        get { values.value.unredactedNames }
        set { values.value.unredactedNames = newValue }
    }

    /// The names of further query items whose values are redacted in descriptions and logs. Default: none.
    public var sensitiveQueryNames: Set<String> {
        get { values.value.sensitiveQueryNames }
        set { values.value.sensitiveQueryNames = newValue }
    }

    /// Receives the events of every attempt. Default: `nil`.
    ///
    /// Return quickly: it blocks the transport's thread.
    public var observer: (@Sendable (PreparedRequest.Event) -> Void)? {
        get { values.value.observer.value }
        set { values.value.observer.value = newValue }
    }

    /// Creates options that leave everything to the client.
    ///
    /// - Parameters:
    ///   - timeouts: The time limits. Default: the client's.
    ///   - cachePolicy: How caches may be used. Default: the client's.
    public init(timeouts: Timeouts = Timeouts(), cachePolicy: CachePolicy? = nil) {
        if timeouts != Timeouts() { self.timeouts = timeouts }
        if let cachePolicy { self.cachePolicy = cachePolicy }
    }

    /// Whether neither copy has changed, so that they are equal without a comparison.
    package func isIdentical(to other: CallOptions) -> Bool { values.isShared(with: other.values) }

    /// Returns the options over others: a `nil` option is taken from `others`, and names are added.
    package func merging(_ others: CallOptions) -> CallOptions {
        if values.isShared(with: CallOptions.unset) || isIdentical(to: others) { return others }
        if others.values.isShared(with: CallOptions.unset) { return self }
        var merged = self
        merged.timeouts = timeouts.merging(others.timeouts)
        merged.redirects = redirects ?? others.redirects
        merged.retries = retries ?? others.retries
        merged.maximumBodyBytes = maximumBodyBytes ?? others.maximumBodyBytes
        merged.isIntercepted = isIntercepted ?? others.isIntercepted
        merged.isIdempotent = isIdempotent ?? others.isIdempotent
        merged.usesCookies = usesCookies ?? others.usesCookies
        merged.cachePolicy = cachePolicy ?? others.cachePolicy
        merged.networkServiceType = networkServiceType ?? others.networkServiceType
        merged.allowsCellularAccess = allowsCellularAccess ?? others.allowsCellularAccess
        merged.operation = operation ?? others.operation
        merged.observer = observer ?? others.observer
        merged.unredactedNames.formUnion(others.unredactedNames)
        merged.sensitiveQueryNames.formUnion(others.sensitiveQueryNames)
        return merged
    }

    /// The options that a transport needs. The others stay out of a message, so that it is equal to the request that
    /// was built.
    package var forTransport: CallOptions {
        var options = CallOptions(timeouts: timeouts, cachePolicy: cachePolicy)
        if let networkServiceType { options.networkServiceType = networkServiceType }
        if let allowsCellularAccess { options.allowsCellularAccess = allowsCellularAccess }
        return options
    }
}

/// A value that equality ignores.
private struct Uncompared<Value: Sendable>: Hashable, Sendable {
    var value: Value

    static func == (lhs: Uncompared, rhs: Uncompared) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
}

/// A closure with an identity, so that values that contain it can be compared.
final class Identified<Closure: Sendable>: Hashable, Sendable {
    let call: Closure

    init(_ call: Closure) { self.call = call }

    static func == (lhs: Identified, rhs: Identified) -> Bool { lhs === rhs }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
