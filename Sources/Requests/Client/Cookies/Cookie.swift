import Foundation

/// A cookie as it is kept: what a server set, and for whom.
///
/// Specification: RFC 6265bis §5.7.
public struct Cookie: Hashable, Codable, Sendable {
    /// Which requests of other sites a cookie goes along with. It is kept; a client has no site of its own.
    public enum SameSite: String, Codable, Sendable {
        /// With all.
        case none
        /// With those of a top-level navigation.
        case lax
        /// With none.
        case strict
    }

    /// The name; empty where the server gave a value alone.
    public let name: String

    /// The value, as the server wrote it.
    public let value: String

    /// The host that the cookie is for, in lower case.
    public let domain: String

    /// Whether it is for that host alone, and not for those below it.
    public let isHostOnly: Bool

    /// The path that it is for, and for those below it.
    public let path: String

    /// Whether it goes over `https` alone.
    public let isSecure: Bool

    /// Whether it is hidden from scripts. It is kept; a client has none.
    public let isHTTPOnly: Bool

    /// Which requests of other sites it goes along with; `nil` where the server did not say.
    public let sameSite: SameSite?

    /// When it expires; `nil` where it lasts as long as the session.
    public let expires: Date?

    /// When it was set the first time.
    public internal(set) var created: Date

    /// When it was sent the last time, or set.
    public internal(set) var lastAccess: Date

    init(_ fields: SetCookie, domain: String, isHostOnly: Bool, path: String, now: Date) {
        self.name = fields.name
        self.value = fields.value
        self.domain = domain
        self.isHostOnly = isHostOnly
        self.path = path
        self.isSecure = fields.isSecure
        self.isHTTPOnly = fields.isHTTPOnly
        self.sameSite = fields.sameSite
        self.expires = fields.expires
        self.created = now
        self.lastAccess = now
    }

    /// The cookie as it is sent.
    var pair: String { name.isEmpty ? value : "\(name)=\(value)" }

    func isExpired(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }

    /// Whether another cookie takes this one's place.
    func isReplaced(by other: Cookie) -> Bool {
        name.utf8.elementsEqual(other.name.utf8) && domain == other.domain && isHostOnly == other.isHostOnly
            && path == other.path
    }

    /// Whether a path is this one or below it (RFC 6265bis §5.1.4).
    static func path(_ path: String, matches cookiePath: String) -> Bool {
        guard path.utf8.starts(with: cookiePath.utf8) else { return false }
        return path.utf8.count == cookiePath.utf8.count || cookiePath.utf8.last == UInt8(ascii: "/")
            || path.utf8.dropFirst(cookiePath.utf8.count).first == UInt8(ascii: "/")
    }

    /// Whether a host is a domain or below it (RFC 6265bis §5.1.3).
    static func host(_ host: String, matches domain: String) -> Bool {
        if host.utf8.elementsEqual(domain.utf8) { return true }
        return host.utf8.suffix(domain.utf8.count).elementsEqual(domain.utf8)
            && host.utf8.dropLast(domain.utf8.count).last == UInt8(ascii: ".") && !isAddress(host)
    }

    /// An address is in brackets, or ends in a number, which no name does (WHATWG URL, “ends in a number”).
    private static func isAddress(_ host: String) -> Bool {
        let label = host.utf8.split(separator: UInt8(ascii: ".")).last
        return host.utf8.first == UInt8(ascii: "[") || label?.allSatisfy(\.isDigit) ?? false
    }
}

extension Cookie: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Name, domain and path, never the value.
    public var description: String { "\(name)=\(Redaction.placeholder); Domain=\(domain); Path=\(path)" }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// Name, domain and path, never the value.
    public var customMirror: Mirror { Mirror(self, children: ["name": name, "domain": domain, "path": path]) }
}
