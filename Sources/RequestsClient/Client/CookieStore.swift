import Requests

/// Stores cookies. Clients that share a store share its cookies.
///
/// ```swift
/// var configuration = Client.Configuration()
/// configuration.cookies = CookieStore()
/// ```
public final class CookieStore: Sendable {
    private let state: Locked<CookieJar>
    private let isPublicSuffix: (@Sendable (String) -> Bool)?

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - jar: The initial cookies. Default: none.
    ///   - isPublicSuffix: Returns whether anyone can register names below a domain, such as `co.uk`. See the list of
    ///     publicsuffix.org. With `nil`, the default, a cookie for a parent domain is stored for the host only.
    public init(_ jar: CookieJar = CookieJar(), isPublicSuffix: (@Sendable (String) -> Bool)? = nil) {
        self.state = Locked(jar)
        self.isPublicSuffix = isPublicSuffix
    }

    /// A copy of the cookies, for example to save them.
    public var jar: CookieJar { state.withLock { $0 } }

    /// Changes the cookies. No change of another thread is lost.
    ///
    /// - Parameter body: Runs while the store is locked, so it must not use the store.
    public func update(_ body: (inout CookieJar) -> Void) { state.withLock { body(&$0) } }

    func field(for url: RequestURL, at now: () -> Date) -> String? {
        state.withLock { $0.field(for: url, now: now) }
    }

    func store(_ header: Header, from url: RequestURL, at now: Date) {
        state.withLock { $0.store(header, from: url, at: now, isPublicSuffix: isPublicSuffix) }
    }
}

extension CookieStore: CustomReflectable {
    /// The cookies without their values.
    public var customMirror: Mirror { Mirror(self, children: ["jar": jar]) }
}
