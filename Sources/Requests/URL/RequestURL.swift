/// An absolute `http` or `https` URL that is known to be valid.
///
/// The URL is stored as text, so every transport sends the same bytes. The scheme and host are lowercase, and
/// characters that aren't allowed in a URL are percent-encoded. Existing percent-encoding is kept. A URL with a user
/// name, a password, or a `.` or `..` segment is rejected.
///
/// Specification: RFC 3986 §3.
public struct RequestURL: Sendable {
    /// The whole URL.
    public let text: String

    @usableFromInline let layout: Layout

    /// The names of query items whose values are redacted, in addition to the usual ones.
    package private(set) var sensitiveNames: Set<String>

    /// Parses and normalizes a URL.
    ///
    /// - Throws: ``RequestError`` naming the part that is wrong.
    public init(_ text: String) throws(RequestError) { self = try RequestURL.parse(text) }

    init(text: String, layout: Layout, sensitiveNames: Set<String> = []) {
        self.text = text
        self.layout = layout
        self.sensitiveNames = sensitiveNames
    }

    /// The scheme, host and port. Credentials are valid for one origin (RFC 6454 §4).
    public var origin: Origin {
        Origin(scheme: scheme, host: host, port: Int(layout.port ?? (layout.isSecure ? 443 : 80)))
    }

    /// Whether the URL has the same origin as another one. Faster than comparing ``origin``.
    package func hasOrigin(of other: RequestURL) -> Bool {
        text == other.text || textBeforePath == other.textBeforePath || origin == other.origin
    }

    /// `http` or `https`.
    public var scheme: String { isSecure ? "https" : "http" }

    /// Whether the scheme is `https`.
    @inlinable package var isSecure: Bool { layout.isSecure }

    /// The host. An IPv6 address is in brackets.
    public var host: String { slice(layout.hostStart, layout.hostEnd) }

    /// The host, and the port if the URL contains one, as in the `Host` field (RFC 9110 §7.2).
    public var authority: String { slice(layout.hostStart, layout.pathStart) }

    /// The path, percent-encoded. It may be empty.
    public var path: String { slice(layout.pathStart, layout.pathEnd) }

    /// The query, percent-encoded and without `?`. `nil` if there is none.
    public var query: String? {
        layout.pathEnd == layout.targetEnd ? nil : slice(layout.pathEnd + 1, layout.targetEnd)
    }

    /// The decoded items of the query, in order. A `+` isn't decoded to a space.
    public var queryItems: [URLQueryItem] {
        guard let query, !query.isEmpty else { return [] }
        return query.split(separator: "&", omittingEmptySubsequences: false).map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { PercentEncoding.decoded(String($0)) }
            return URLQueryItem(name: parts[0], value: parts.count == 1 ? nil : parts[1])
        }
    }

    /// The path and query as they are sent. An empty path becomes `/` (RFC 9112 §3.2.1).
    public var target: String {
        let target = slice(layout.pathStart, layout.targetEnd)
        return layout.pathStart == layout.pathEnd ? "/" + target : target
    }

    /// Calls a closure with the target as a C string. Doesn't copy it if the text ends with the target.
    package func withTarget<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        let isEnd = layout.pathStart != layout.pathEnd && Int(layout.targetEnd) == text.utf8.count
        guard isEnd else { return unsafe target.withCString(body) }
        return unsafe text.withCString { unsafe body($0 + Int(layout.pathStart)) }
    }

    /// The scheme and authority.
    package var textBeforePath: Substring {
        text[..<text.utf8.index(text.utf8.startIndex, offsetBy: Int(layout.pathStart))]
    }

    /// The URL as a Foundation value.
    ///
    /// - Throws: ``RequestError/Code/notAFoundationURL``.
    public var url: URL {
        get throws(RequestError) {
            guard let url = URL(string: text) else {
                throw RequestError(
                    code: .notAFoundationURL,
                    subject: description,
                    message: "Foundation can't read \(description) as a URL."
                )
            }
            return url
        }
    }

    /// The name that stands for everything after the origin.
    package static let wholeTarget = "/"

    /// Redacts the values of query items in descriptions and logs.
    package mutating func hideValues(of names: Set<String>) { if !names.isEmpty { sensitiveNames.formUnion(names) } }

    /// Returns the URL, which from now on also hides the values of the query items that another URL hides.
    package func redacting(sameAs other: RequestURL) -> RequestURL {
        var copy = self
        copy.hideValues(of: other.sensitiveNames)
        return copy
    }

    /// Returns the URL with a redacted query item that replaces all items of its name.
    func setting(secret value: String, as name: String) -> RequestURL {
        let others = (query ?? "").split(separator: "&", omittingEmptySubsequences: false).filter { item in
            PercentEncoding.decoded(String(item.prefix { $0 != "=" })) != name
        }
        var bytes = Array(slice(0, layout.pathEnd).utf8)
        bytes.append(UInt8(ascii: "?"))
        for item in others where !(others.count == 1 && item.isEmpty) {
            bytes += Array(item.utf8) + [UInt8(ascii: "&")]
        }
        PercentEncoding.append(name, keeping: PercentEncoding.unreserved, to: &bytes)
        bytes.append(UInt8(ascii: "="))
        PercentEncoding.append(value, keeping: PercentEncoding.unreserved, to: &bytes)
        var layout = layout
        layout.targetEnd = UInt32(clamping: bytes.count)
        bytes += Array(text.utf8.dropFirst(Int(self.layout.targetEnd)))
        var url = RequestURL(text: String(decoding: bytes, as: UTF8.self), layout: layout).redacting(sameAs: self)
        url.hideValues(of: [name])
        return url
    }

    private func slice(_ start: UInt32, _ end: UInt32) -> String {
        let utf8 = text.utf8
        let from = utf8.index(utf8.startIndex, offsetBy: Int(start))
        return String(text[from..<utf8.index(from, offsetBy: Int(end - start))])
    }
}

extension RequestURL {
    /// The origin, if the URL has nothing after it but a slash.
    package static func origin(_ text: String) -> Origin? {
        let url = try? RequestURL(text)
        return url.flatMap { ["", "/"].contains($0.text[$0.textBeforePath.endIndex...]) ? $0.origin : nil }
    }

    /// A scheme, a host and a port.
    public struct Origin: Hashable, Sendable, CustomStringConvertible {
        /// `http` or `https`.
        public let scheme: String
        /// The host, in lowercase.
        public let host: String
        /// The port. The scheme's default if the URL contains none.
        public let port: Int

        /// The origin as the start of a URL, without the scheme's default port.
        public var description: String {
            port == (scheme == "https" ? 443 : 80) ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
        }
    }
}

extension RequestURL: Hashable {
    /// Compares the text.
    public static func == (lhs: RequestURL, rhs: RequestURL) -> Bool { lhs.text == rhs.text }

    /// Hashes the text.
    public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension RequestURL: Redacted {
    /// The URL, cut after 1000 characters. In path parameters, the query and the fragment, the values of credentials
    /// are replaced by `REDACTED`, also within encoded URLs.
    public var description: String {
        // Errors contain descriptions, and a server chooses the URL of a redirect.
        let limit: UInt32 = 1000
        let count = UInt32(clamping: text.utf8.count)
        let shown = redactedText(min(layout.pathEnd, limit), min(count, limit))
        return max(count, UInt32(clamping: shown.utf8.count)) > limit ? shown.prefix(Int(limit)) + "…" : shown
    }

    /// The whole URL, with the values of credentials replaced by `REDACTED`.
    package var redactedText: String { redactedText(layout.pathEnd, UInt32(clamping: text.utf8.count)) }

    private func redactedText(_ pathEnd: UInt32, _ end: UInt32) -> String {
        if sensitiveNames.contains(RequestURL.wholeTarget) { return "\(textBeforePath)/\(Redaction.placeholder)" }
        // A path can have parameters, such as `;jsessionid=`.
        return Redaction.hidingItems(in: slice(0, pathEnd))
            + Redaction.hidingItems(in: slice(pathEnd, end), named: sensitiveNames)
    }
}

extension RequestURL {
    static func parse(_ text: String) throws(RequestError) -> RequestURL {
        let parsed = text.withBytes { bytes in
            var parser = unsafe Parser(bytes)
            return Result { () throws(Fault) in (layout: try parser.parse(), isNormal: parser.isNormal) }
        }
        switch parsed {
        case .failure(let fault): throw .invalidURL(text, fault)
        case .success((let layout, isNormal: true)): return RequestURL(text: text, layout: layout)
        // The normalized URL needs no further normalization, so the recursion ends here.
        case .success((let layout, isNormal: false)): return try parse(normalized(text, layout))
        }
    }

    private static func normalized(_ text: String, _ layout: Layout) -> String {
        func slice(_ start: UInt32, _ end: UInt32) -> Substring.UTF8View {
            text.utf8.dropFirst(Int(start)).prefix(Int(end - start))
        }
        let host = String(slice(layout.hostStart, layout.hostEnd))
        var result = Array("\(layout.isSecure ? "https" : "http")://\(host.flatMap(HostName.ascii) ?? "")".utf8)
        if let port = layout.port { result += Array(":\(port)".utf8) }
        let path = slice(layout.pathStart, layout.pathEnd)
        PercentEncoding.appendEncoded(path, keeping: PercentEncoding.path, to: &result)
        let query = slice(layout.pathEnd, layout.targetEnd)
        PercentEncoding.appendEncoded(query, keeping: PercentEncoding.query, to: &result)
        let fragment = text.utf8.dropFirst(Int(layout.targetEnd))
        if !fragment.isEmpty { result.append(UInt8(ascii: "#")) }
        PercentEncoding.appendEncoded(fragment.dropFirst(), keeping: PercentEncoding.query, to: &result)
        return String(decoding: result, as: UTF8.self)
    }
}

extension RequestError {
    fileprivate static func invalidURL(_ text: String, _ fault: RequestURL.Fault) -> RequestError {
        func slice(_ range: Range<Int>) -> String {
            String(decoding: text.utf8.dropFirst(range.lowerBound).prefix(range.count), as: UTF8.self)
        }
        let url = Redaction.quotedURL(text)
        let (code, subject, message): (Code, String, String)
        switch fault {
        case .missingScheme:
            (code, subject) = (.unsupportedScheme, "")
            message = "The URL \(url) has no scheme. Write an absolute URL that starts with http:// or https://."
        case .unsupportedScheme(let scheme):
            (code, subject) = (.unsupportedScheme, slice(scheme))
            message = "The scheme \(Redaction.quoted(subject)) isn't supported. Use http or https."
        case .missingHost:
            (code, subject) = (.missingHost, url)
            message = "The URL \(url) has no host. Write one after http:// or https://."
        case .invalidHost(let host):
            (code, subject) = (.invalidHost, slice(host))
            // FoundationEssentials has no tables for IDNA.
            let advice = subject.utf8.allSatisfy { $0 < 128 } ? "" : " Write a Unicode name in ASCII, as xn--…"
            message = "The host \(Redaction.quoted(subject)) is neither a DNS name nor an IP address.\(advice)"
        case .invalidPort(let port):
            (code, subject) = (.invalidPort, shownPort(slice(port), in: text))
            message = "The port \(Redaction.quoted(subject)) isn't a number between 0 and 65535."
        case .userInfo(let host):
            (code, subject) = (.userInfo, Redaction.placeholder + slice(host))
            message =
                "The URL contains a user name or password before \(Redaction.quoted(slice(host))). "
                + "Authenticate the request with .basicAuth(username:password:) instead."
        case .dotSegment(let dots, let path):
            return dotSegment(slice(dots), in: slice(path))
        }
        return RequestError(code: code, subject: subject, message: message)
    }

    /// An invalid port is shown only if it can't be a password. In `user:pass/word@host`, the slash ends the authority.
    private static func shownPort(_ port: String, in text: String) -> String {
        let mayBeSecret = text.utf8.contains(UInt8(ascii: "@")) || !port.utf8.allSatisfy(\.isDigit)
        return mayBeSecret ? Redaction.placeholder : port
    }
}
