extension CookieJar {
    /// A stored cookie.
    ///
    /// Specification: RFC 6265bis §5.7.
    public struct Cookie: Codable, Sendable {
        /// Which cross-site requests contain a cookie. A client sends it with all of its requests, which have no site.
        public enum SameSite: String, Codable, Sendable {
            /// All cross-site requests.
            case none
            /// Top-level navigation only.
            case lax
            /// No cross-site requests.
            case strict
        }

        /// The name. Empty if the server sent only a value.
        public let name: String

        /// The value as the server wrote it.
        public let value: String

        /// The host of the cookie, in lowercase.
        public let domain: String

        /// Whether the cookie is sent to this host only, and not to its subdomains.
        public let isHostOnly: Bool

        /// The path of the cookie. It is also sent to paths below.
        public let path: String

        /// Whether the cookie is sent over secure connections only.
        public let isSecure: Bool

        /// Whether the cookie is hidden from scripts. Stored only, because a client runs no scripts.
        public let isHTTPOnly: Bool

        /// Which cross-site requests contain the cookie. `nil` if the server didn't specify it.
        public let sameSite: SameSite?

        /// When the cookie expires. `nil` for a session cookie.
        public let expires: Date?

        /// When the cookie was first set.
        public internal(set) var created: Date

        /// When the cookie was last sent or set.
        public internal(set) var lastAccess: Date

        /// - Parameter now: The current date.
        /// - Parameter index: The position in the response, which makes ``created`` unique within it.
        init(_ fields: SetCookie, domain: String, isHostOnly: Bool, path: String, now: Date, index: Int) {
            self.name = fields.name
            self.value = fields.value
            self.domain = domain
            self.isHostOnly = isHostOnly
            self.path = path
            self.isSecure = fields.isSecure
            self.isHTTPOnly = fields.isHTTPOnly
            self.sameSite = fields.sameSite
            self.expires = fields.expires
            self.created = now + Double(index) * 0.000_001
            self.lastAccess = now
        }

        /// The cookie as sent in a `Cookie` field.
        var pair: String { name.isEmpty ? value : "\(name)=\(value)" }

        func isExpired(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }

        /// Whether another cookie replaces this one.
        func isReplaced(by other: Cookie) -> Bool {
            name.utf8.elementsEqual(other.name.utf8) && domain == other.domain && isHostOnly == other.isHostOnly
                && path == other.path
        }

        /// Whether a path is the cookie's path or below it (RFC 6265bis §5.1.4).
        static func path(_ path: String, matches cookiePath: String) -> Bool {
            guard path.utf8.starts(with: cookiePath.utf8) else { return false }
            return path.utf8.count == cookiePath.utf8.count || cookiePath.utf8.last == UInt8(ascii: "/")
                || path.utf8.dropFirst(cookiePath.utf8.count).first == UInt8(ascii: "/")
        }

        /// Whether a host is a domain or one of its subdomains (RFC 6265bis §5.1.3).
        static func host(_ host: String, matches domain: String) -> Bool {
            if host.utf8.elementsEqual(domain.utf8) { return true }
            return host.utf8.suffix(domain.utf8.count).elementsEqual(domain.utf8)
                && host.utf8.dropLast(domain.utf8.count).last == UInt8(ascii: ".") && !isAddress(host)
        }

        /// An address is in brackets or ends in a number, unlike a name (WHATWG URL, “ends in a number”).
        private static func isAddress(_ host: String) -> Bool {
            let label = host.utf8.split(separator: UInt8(ascii: ".")).last
            return host.utf8.first == UInt8(ascii: "[") || label?.allSatisfy(\.isDigit) ?? false
        }
    }
}

extension CookieJar.Cookie: Hashable {
    /// Compares everything but ``lastAccess``, which changes whenever a cookie is sent.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.isReplaced(by: rhs) && lhs.value.utf8.elementsEqual(rhs.value.utf8) && lhs.isSecure == rhs.isSecure
            && lhs.isHTTPOnly == rhs.isHTTPOnly && lhs.sameSite == rhs.sameSite && lhs.expires == rhs.expires
            && lhs.created == rhs.created
    }

    /// Hashes the name, the domain, the path and the creation date.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(domain)
        hasher.combine(path)
        hasher.combine(created)
    }
}

extension CookieJar.Cookie: Redacted {
    /// The name, the domain and the path, never the value.
    public var description: String { "\(name)=\(Redaction.placeholder); Domain=\(domain); Path=\(path)" }
}

/// A parsed `Set-Cookie` field.
///
/// Specification: RFC 6265bis §5.6.
struct SetCookie {
    private(set) var name: String
    private(set) var value: String
    private(set) var expires: Date?
    /// The domain in lowercase, without a leading dot. Empty if there is none.
    private(set) var domain = ""
    /// `nil` if there is no valid path, so that the default is used.
    private(set) var path: String?
    private(set) var hasPath = false
    private(set) var isSecure = false
    private(set) var isHTTPOnly = false
    private(set) var sameSite: CookieJar.Cookie.SameSite?

    /// - Parameter now: The current date, from which `Max-Age` counts.
    init?(_ text: String, now: Date) {
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else { return nil }
        var rest = text.utf8[...]
        let all = rest.takeParameters(hasQuotes: false)
        let pair = all[0]
        // Without `=`, everything is the value.
        name = pair.value == nil ? "" : pair.name
        value = pair.value ?? pair.name
        guard name.utf8.count + value.utf8.count <= 4096, !(name.isEmpty && value.isEmpty) else { return nil }

        var maxAge: Date?
        for attribute in all.dropFirst() {
            let text = attribute.value ?? ""
            guard text.utf8.count <= 1024 else { continue }
            switch ASCII.lowercased(attribute.name) {
            case "expires":
                expires = HTTPDate.parse(cookieDate: text).map { min($0, now + SetCookie.longest) } ?? expires
            case "max-age": maxAge = SetCookie.expiry(ofMaxAge: text, now: now) ?? maxAge
            case "domain":
                domain = ASCII.lowercased(text.utf8.first == UInt8(ascii: ".") ? text.dropFirst() : text[...])
            case "path":
                path = text.utf8.first == UInt8(ascii: "/") ? text : nil
                hasPath = true
            case "secure": isSecure = true
            case "httponly": isHTTPOnly = true
            case "samesite": sameSite = CookieJar.Cookie.SameSite(rawValue: ASCII.lowercased(text))
            default: break
            }
        }
        expires = maxAge ?? expires
    }

    /// The maximum lifetime of a cookie: 400 days (RFC 6265bis §5.5).
    private static let longest: TimeInterval = 400 * 86_400

    /// Returns the date of a `Max-Age`. `nil` if it isn't a number of seconds.
    private static func expiry(ofMaxAge text: String, now: Date) -> Date? {
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.dropFirst() : text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy(\.isDigit) else { return nil }
        guard digits.utf8.count == text.utf8.count, let seconds = Double(digits), seconds > 0 else {
            return .distantPast
        }
        return now + min(seconds, longest)
    }
}

extension SetCookie {
    /// Returns the path of a cookie without one: the URL's path up to its last slash (RFC 6265bis §5.1.4).
    static func defaultPath(of url: RequestURL) -> String {
        let path = url.path
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// Whether the cookie meets the requirements of its name's prefix (RFC 6265bis §4.1.3, §5.7).
    func satisfiesPrefix(path: String) -> Bool {
        func hasPrefix(_ prefix: String) -> Bool {
            let text = name.isEmpty ? value : name
            return text.utf8.prefix(prefix.utf8.count).map(ASCII.lowercased).elementsEqual(prefix.utf8)
        }
        let isHost = hasPrefix("__host-")
        let isHTTP = hasPrefix("__http-") || hasPrefix("__host-http-")
        guard isHost || isHTTP || hasPrefix("__secure-") else { return true }
        // Without a name, the server would read the value as a name.
        return !name.isEmpty && isSecure && (!isHTTP || isHTTPOnly)
            && (!isHost || domain.isEmpty && hasPath && path == "/")
    }
}
