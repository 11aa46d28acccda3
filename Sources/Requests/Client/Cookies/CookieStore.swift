import Foundation

/// Holds the cookies of all clients that it is given to.
///
/// ```swift
/// var configuration = Client.Configuration()
/// configuration.cookies = CookieStore()
/// ```
public final class CookieStore: Sendable {
    private let state: Guarded<CookieJar>
    private let isPublicSuffix: (@Sendable (String) -> Bool)?

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - jar: The cookies to begin with; none by default.
    ///   - isPublicSuffix: Whether anybody can have names below a domain, such as `co.uk`; publicsuffix.org has a list.
    ///     Without an answer, with `nil`, a cookie for another domain than the host itself is kept for the host alone.
    public init(_ jar: CookieJar = CookieJar(), isPublicSuffix: (@Sendable (String) -> Bool)? = nil) {
        self.state = Guarded(jar)
        self.isPublicSuffix = isPublicSuffix
    }

    /// The cookies: to be looked at, saved, replaced.
    public var jar: CookieJar {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// Changes the cookies while nobody else does.
    public func change(_ body: (inout CookieJar) -> Void) {
        state.withLock { body(&$0) }
    }

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
