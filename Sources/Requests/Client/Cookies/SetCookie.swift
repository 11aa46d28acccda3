import Foundation

/// A `Set-Cookie` field, read.
///
/// Specification: RFC 6265bis §5.6.
struct SetCookie {
    private(set) var name: String
    private(set) var value: String
    private(set) var expires: Date?
    /// As it was written, without a dot at its start, in lower case; empty where there is none.
    private(set) var domain = ""
    /// `nil` where there is none that counts: the default is used.
    private(set) var path: String?
    private(set) var hasPath = false
    private(set) var isSecure = false
    private(set) var isHTTPOnly = false
    private(set) var sameSite: Cookie.SameSite?

    /// - Parameter now: What `Max-Age` counts from.
    init?(_ text: String, now: Date) {
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else { return nil }
        var parts = text.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)[...]
        guard let pair = parts.popFirst().map(SetCookie.split) else { return nil }
        // Without `=` all of it is the value.
        name = pair.value == nil ? "" : pair.name
        value = pair.value ?? pair.name
        guard name.utf8.count + value.utf8.count <= 4096, !(name.isEmpty && value.isEmpty) else { return nil }

        var maxAge: Date?
        for part in parts {
            let attribute = SetCookie.split(part)
            let text = attribute.value ?? ""
            guard text.utf8.count <= 1024 else { continue }
            switch ASCII.lowercased(attribute.name) {
            case "expires": expires = HTTPDate.parse(text).map { min($0, now + SetCookie.longest) } ?? expires
            case "max-age": maxAge = SetCookie.expiry(ofMaxAge: text, now: now) ?? maxAge
            case "domain":
                domain = ASCII.lowercased(text.utf8.first == UInt8(ascii: ".") ? text.dropFirst() : text[...])
            case "path":
                path = text.utf8.first == UInt8(ascii: "/") ? text : nil
                hasPath = true
            case "secure": isSecure = true
            case "httponly": isHTTPOnly = true
            case "samesite": sameSite = Cookie.SameSite(rawValue: ASCII.lowercased(text))
            default: break
            }
        }
        expires = maxAge ?? expires
    }

    /// However long a server wants: 400 days (RFC 6265bis §5.5).
    private static let longest: TimeInterval = 400 * 86_400

    /// `nil` where the text is no number of seconds.
    private static func expiry(ofMaxAge text: String, now: Date) -> Date? {
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.dropFirst() : text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy(\.isDigit) else { return nil }
        guard digits.utf8.count == text.utf8.count, let seconds = Double(digits), seconds > 0 else {
            return .distantPast
        }
        return now + min(seconds, longest)
    }

    private static func split(_ part: Substring.UTF8View) -> (name: String, value: String?) {
        guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else { return (trimmed(part), nil) }
        return (trimmed(part[..<equals]), trimmed(part[equals...].dropFirst()))
    }

    private static func trimmed(_ text: Substring.UTF8View) -> String {
        let start = text.drop(while: \.isFieldWhitespace)
        let end = start.lastIndex { !$0.isFieldWhitespace }.map(start.index(after:)) ?? start.startIndex
        return String(Substring(start[..<end]))
    }
}

extension SetCookie {
    /// The path for a cookie that names none: that of the URL up to its last slash (RFC 6265bis §5.1.4).
    static func defaultPath(of url: RequestURL) -> String {
        let path = url.path
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// Whether the cookie keeps what its name promises (RFC 6265bis §4.1.3, §5.7).
    func keepsPromise(path: String) -> Bool {
        func promises(_ prefix: String) -> Bool {
            let text = name.isEmpty ? value : name
            return text.utf8.prefix(prefix.utf8.count).map(ASCII.lowercased).elementsEqual(prefix.utf8)
        }
        // A name hidden in the value would be read as one where the cookie comes back.
        if name.isEmpty { return !promises("__secure-") && !promises("__host-") }
        if promises("__secure-") { return isSecure }
        return !promises("__host-") || isSecure && domain.isEmpty && hasPath && path == "/"
    }
}
