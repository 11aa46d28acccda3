/// Cookies, as a value that can be saved and loaded.
///
/// Specification: RFC 6265bis §5.
public struct CookieJar: Hashable, Codable, Sendable {
    private var cookiesByDomain: [String: [Cookie]] = [:]

    /// The maximum number of cookies for a domain. The least recently used ones are evicted.
    static let maximumPerDomain = 50
    /// The maximum number of cookies.
    static let maximumInAll = 3000
    /// The maximum number of `Set-Cookie` fields that are read from a response.
    static let maximumPerReply = 50
    /// The maximum size of a `Cookie` field, in bytes.
    static let maximumFieldSize = 8 << 10

    /// Creates an empty jar.
    public init() {}

    /// All cookies, including expired ones.
    public var cookies: [Cookie] { cookiesByDomain.values.flatMap { $0 } }

    /// Whether there are no cookies.
    public var isEmpty: Bool { cookiesByDomain.isEmpty }

    /// Removes all cookies.
    public mutating func removeAll() { cookiesByDomain = [:] }

    /// Removes the cookies that satisfy a condition.
    public mutating func removeAll(where isUnwanted: (Cookie) -> Bool) {
        cookiesByDomain = cookiesByDomain.compactMapValues { cookies in
            let kept = cookies.filter { !isUnwanted($0) }
            return kept.isEmpty ? nil : kept
        }
    }

    /// Returns the jar without session cookies, to save it.
    public func persistent() -> CookieJar {
        var copy = self
        copy.removeAll { $0.expires == nil }
        return copy
    }

    /// Stores the cookies of a response.
    ///
    /// - Parameters:
    ///   - header: The response's header.
    ///   - url: The URL that was requested.
    ///   - now: The current date.
    ///   - isPublicSuffix: Returns whether anyone can register names below a domain, such as `co.uk`. With `nil`, the
    ///     default, a cookie for a parent domain is stored for the host only.
    public mutating func store(
        _ header: Header,
        from url: RequestURL,
        at now: Date,
        isPublicSuffix: ((String) -> Bool)? = nil
    ) {
        for (index, value) in header[values: .setCookie].prefix(CookieJar.maximumPerReply).enumerated() {
            guard let fields = SetCookie(value, now: now),
                let cookie = cookie(fields, index, from: url, at: now, isPublicSuffix: isPublicSuffix)
            else { continue }
            insert(cookie, at: now)
        }
    }

    /// Returns the value of a request's `Cookie` field. `nil` if there are no cookies to send.
    ///
    /// At most 8 KiB. Cookies with longer paths come first.
    ///
    /// - Parameters:
    ///   - url: The request's URL.
    ///   - now: The current date.
    public mutating func field(for url: RequestURL, at now: Date) -> String? {
        field(for: url, now: { now })
    }

    /// - Parameter now: Returns the current date. Not called if the host has no cookies, which is the usual case.
    package mutating func field(for url: RequestURL, now: () -> Date) -> String? {
        guard !isEmpty else { return nil }
        var domain = url.host
        var found: [Cookie] = []
        while true {
            if cookiesByDomain[domain] != nil { found += use(cookiesOf: domain, for: url, at: now()) }
            guard let dot = domain.utf8.firstIndex(of: UInt8(ascii: ".")) else { break }
            domain = String(domain[domain.utf8.index(after: dot)...])
        }
        guard !found.isEmpty else { return nil }
        found.sort {
            let (left, right) = ($0.path.utf8.count, $1.path.utf8.count)
            return left == right ? $0.created < $1.created : left > right
        }
        return CookieJar.joined(found)
    }

    /// - Parameter domain: The URL's host or one of its parent domains.
    private mutating func use(cookiesOf domain: String, for url: RequestURL, at now: Date) -> [Cookie] {
        let host = url.host
        let path = url.path.isEmpty ? "/" : url.path
        let isSecure = url.isTrustworthy
        var found: [Cookie] = []
        for (index, cookie) in (cookiesByDomain[domain] ?? []).enumerated() {
            guard cookie.isHostOnly ? host == domain : Cookie.host(host, matches: domain),
                isSecure || !cookie.isSecure, Cookie.path(path, matches: cookie.path), !cookie.isExpired(at: now)
            else { continue }
            cookiesByDomain[domain]?[index].lastAccess = now
            found.append(cookie)
        }
        return found
    }

    private static func joined(_ cookies: [Cookie]) -> String? {
        var field = ""
        for pair in cookies.map(\.pair) {
            let separator = field.isEmpty ? "" : "; "
            guard field.utf8.count + separator.utf8.count + pair.utf8.count <= maximumFieldSize else { break }
            field += separator + pair
        }
        return field.isEmpty ? nil : field
    }
}

extension CookieJar {
    /// Returns the cookie of a `Set-Cookie` field. `nil` if the server isn't allowed to set it (RFC 6265bis §5.7).
    private func cookie(
        _ fields: SetCookie,
        _ index: Int,
        from url: RequestURL,
        at now: Date,
        isPublicSuffix: ((String) -> Bool)?
    ) -> Cookie? {
        let host = url.host
        var (domain, isHostOnly) = (host, true)
        if !fields.domain.isEmpty {
            guard Cookie.host(host, matches: fields.domain) else { return nil }
            if let isPublicSuffix {
                let isPublic = isPublicSuffix(fields.domain)
                guard !isPublic || fields.domain == host else { return nil }
                (domain, isHostOnly) = (fields.domain, isPublic)
            } else {
                isHostOnly = fields.domain != host
            }
        }
        let isSecureOrigin = url.isTrustworthy
        let path = fields.path ?? SetCookie.defaultPath(of: url)
        guard isSecureOrigin || !fields.isSecure, fields.sameSite != Cookie.SameSite.none || fields.isSecure,
            fields.satisfiesPrefix(path: path)
        else { return nil }
        let cookie = Cookie(fields, domain: domain, isHostOnly: isHostOnly, path: path, now: now, index: index)
        return isSecureOrigin || fields.isSecure || !hidesSecureCookie(cookie, at: now) ? cookie : nil
    }

    /// Whether a cookie from an insecure connection would hide a secure one.
    private func hidesSecureCookie(_ cookie: Cookie, at now: Date) -> Bool {
        cookiesByDomain.contains { domain, cookies in
            (Cookie.host(domain, matches: cookie.domain) || Cookie.host(cookie.domain, matches: domain))
                && cookies.contains {
                    $0.isSecure && !$0.isExpired(at: now) && $0.name.utf8.elementsEqual(cookie.name.utf8)
                        && Cookie.path(cookie.path, matches: $0.path)
                }
        }
    }

    private mutating func insert(_ cookie: Cookie, at now: Date) {
        var cookie = cookie
        var cookies = cookiesByDomain[cookie.domain] ?? []
        if let index = cookies.firstIndex(where: { $0.isReplaced(by: cookie) }) {
            cookie.created = cookies[index].created
            cookies[index] = cookie
        } else {
            cookies.append(cookie)
        }
        cookies.removeAll { $0.isExpired(at: now) }
        if cookies.count > CookieJar.maximumPerDomain {
            CookieJar.evict(from: &cookies)
        }
        cookiesByDomain[cookie.domain] = cookies.isEmpty ? nil : cookies
        while cookiesByDomain.values.reduce(0, { $0 + $1.count }) > CookieJar.maximumInAll { evictOldest(at: now) }
    }

    /// Removes the least recently used cookie, preferably one that isn't secure.
    private static func evict(from cookies: inout [Cookie]) {
        let candidates = cookies.contains { !$0.isSecure } ? cookies.filter { !$0.isSecure } : cookies
        guard let oldest = candidates.min(by: { $0.lastAccess < $1.lastAccess }) else { return }
        cookies.removeAll { $0.isReplaced(by: oldest) }
    }

    private mutating func evictOldest(at now: Date) {
        let all = cookies
        if all.contains(where: { $0.isExpired(at: now) }) { return removeAll { $0.isExpired(at: now) } }
        guard let oldest = all.min(by: { $0.lastAccess < $1.lastAccess }) else { return }
        removeAll { $0.isReplaced(by: oldest) }
    }
}

extension CookieJar: Redacted {
    /// The number of cookies.
    public var description: String { "\(cookies.count) cookies" }

    /// The cookies without their values.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: cookies) }
}

extension RequestURL {
    /// Whether the connection is safe from eavesdropping: TLS or a loopback host. A proxy or address override of the
    /// transport isn't considered.
    ///
    /// Specification: W3C Secure Contexts §3.1.
    fileprivate var isTrustworthy: Bool {
        isSecure || host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]" || isLoopbackAddress
    }

    private var isLoopbackAddress: Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
