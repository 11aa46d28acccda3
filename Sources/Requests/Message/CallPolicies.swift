/// What a client does around a request: redirects, retries, middleware, and limits.
///
/// `nil` means the client's setting.
public struct CallPolicies: Hashable, Sendable {
    /// Which redirects are followed.
    public var redirects: RedirectPolicy?

    /// When the request is sent again.
    public var retries: RetryPolicy?

    /// Whether the client's middleware sees the request. Default: `nil`, the same as `true`.
    public var isIntercepted: Bool?

    /// The maximum size of a response body that is read into memory, in bytes. `Int.max` lifts the client's limit.
    public var maximumBodyBytes: Int?

    /// The header fields whose values are logged although they are sensitive. Default: none.
    public var unredactedNames: Set<Field.Name> = []

    /// The names of further query items whose values are redacted in descriptions and logs. Default: none.
    public var sensitiveQueryNames: Set<String> = []

    /// Creates policies that leave everything to the client.
    public init() {}
}

/// A closure with an identity, so that values that contain it can be compared.
final class Identified<Closure: Sendable>: Hashable, Sendable {
    let call: Closure

    init(_ call: Closure) {
        self.call = call
    }

    static func == (lhs: Identified, rhs: Identified) -> Bool { lhs === rhs }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
