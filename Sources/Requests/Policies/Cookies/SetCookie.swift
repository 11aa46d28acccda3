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
        // Without a name, the server would read the value as a name.
        if name.isEmpty { return !hasPrefix("__secure-") && !hasPrefix("__host-") }
        if hasPrefix("__secure-") { return isSecure }
        return !hasPrefix("__host-") || isSecure && domain.isEmpty && hasPath && path == "/"
    }
}
