import Foundation

/// An absolute `http` or `https` URL, valid by construction.
///
/// It is kept as text and is the same on every transport. Scheme and host are in lower case, everything not allowed
/// in a URL is percent-encoded, what was encoded stays. There is no user info in it and no `.` or `..` segment.
///
/// Specification: RFC 3986 §3.
public struct RequestURL: Sendable {
    /// The whole URL.
    public let text: String

    let layout: Layout

    /// The names of query items whose values are hidden, beyond those that always are.
    package private(set) var sensitiveNames: Set<String>

    /// Reads a URL.
    ///
    /// - Throws: What is wrong with which part.
    public init(_ text: String) throws(InvalidRequestURLError) {
        self = try RequestURL.parse(text)
    }

    init(text: String, layout: Layout, sensitiveNames: Set<String> = []) {
        self.text = text
        self.layout = layout
        self.sensitiveNames = sensitiveNames
    }

    /// The scheme, host and port, which together decide what a credential is for (RFC 6454 §4).
    public var origin: Origin {
        Origin(scheme: scheme, host: host, port: Int(layout.port ?? (layout.isSecure ? 443 : 80)))
    }

    /// `http` or `https`.
    public var scheme: String { isSecure ? "https" : "http" }

    /// Whether the scheme is `https`.
    package var isSecure: Bool { layout.isSecure }

    /// The host, an IPv6 address in brackets.
    public var host: String { slice(layout.hostStart, layout.hostEnd) }

    /// Host and, where one is written, port: what the `Host` field says (RFC 9110 §7.2).
    public var authority: String { slice(layout.hostStart, layout.pathStart) }

    /// The path, percent-encoded; empty where there is none.
    public var path: String { slice(layout.pathStart, layout.pathEnd) }

    /// The query, percent-encoded and without `?`; `nil` where there is none.
    public var query: String? {
        layout.pathEnd == layout.targetEnd ? nil : slice(layout.pathEnd + 1, layout.targetEnd)
    }

    /// The items of the query, decoded, in order; none where there is no query. `+` is a `+`, and no space.
    public var queryItems: [URLQueryItem] {
        guard let query, !query.isEmpty else { return [] }
        return query.split(separator: "&", omittingEmptySubsequences: false).map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { PercentEncoding.decoded(String($0)) }
            return URLQueryItem(name: parts[0], value: parts.count == 1 ? nil : parts[1])
        }
    }

    /// Path and query as they are sent; `/` where there is no path (RFC 9112 §3.2.1).
    public var target: String {
        let target = slice(layout.pathStart, layout.targetEnd)
        return layout.pathStart == layout.pathEnd ? "/" + target : target
    }

    /// Calls with the target as a C string, without a copy where the text ends with it.
    package func withTarget<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        let isEnd = layout.pathStart != layout.pathEnd && Int(layout.targetEnd) == text.utf8.count
        return isEnd ? text.withCString { body($0 + Int(layout.pathStart)) } : target.withCString(body)
    }

    /// Scheme and authority as they are written.
    package var textBeforePath: Substring {
        text[..<text.utf8.index(text.utf8.startIndex, offsetBy: Int(layout.pathStart))]
    }

    /// The URL as a Foundation value.
    ///
    /// - Throws: ``InvalidRequestURLError/Code/notAFoundationURL``.
    public var url: URL {
        get throws(InvalidRequestURLError) {
            guard let url = URL(string: text) else {
                throw InvalidRequestURLError(
                    code: .notAFoundationURL,
                    culprit: description,
                    message: "Foundation does not read \(description) as a URL"
                )
            }
            return url
        }
    }

    /// Hides the values of query items in descriptions and logs.
    mutating func hideValues(of names: Set<String>) {
        guard !names.isEmpty else { return }
        sensitiveNames.formUnion(names)
    }

    /// Returns the URL, with what this one hides hidden there too.
    func hidingAlso(whatIsHiddenIn other: RequestURL) -> RequestURL { hidingAlso(other.sensitiveNames) }

    /// Returns the URL, with the values of query items hidden.
    func hidingAlso(_ names: Set<String>) -> RequestURL {
        var copy = self
        copy.hideValues(of: names)
        return copy
    }

    /// Returns the URL with a query item in place of those of its name, its value hidden in descriptions.
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
        var url = RequestURL(text: String(decoding: bytes, as: UTF8.self), layout: layout).hidingAlso(
            whatIsHiddenIn: self
        )
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
    /// Scheme, host and port.
    public struct Origin: Hashable, Sendable, CustomStringConvertible {
        /// `http` or `https`.
        public let scheme: String
        /// The host, in lower case.
        public let host: String
        /// The port, the scheme's own where none is written.
        public let port: Int

        /// The origin as the start of a URL, a port that is the scheme's own left out.
        public var description: String {
            port == (scheme == "https" ? 443 : 80) ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
        }
    }

    /// Where the parts are, as offsets of bytes. The host starts after `://`, the path after the authority.
    struct Layout: Sendable {
        var isSecure: Bool
        var port: UInt16?
        var hostStart: UInt32
        var hostEnd: UInt32
        var pathStart: UInt32
        var pathEnd: UInt32
        /// The end of the query, or of the path where there is no query.
        var targetEnd: UInt32
    }
}

extension RequestURL: Hashable {
    /// Compares the text.
    public static func == (lhs: RequestURL, rhs: RequestURL) -> Bool { lhs.text == rhs.text }

    /// Hashes the text.
    public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension RequestURL: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The URL, with the values of query items that carry credentials replaced by `<redacted>`, in the fragment too.
    public var description: String {
        let query = query.map { "?" + redacted($0) } ?? ""
        let fragment = fragment.map { "#" + redacted($0) } ?? ""
        return slice(0, layout.pathEnd) + query + fragment
    }

    private func redacted(_ items: String) -> String {
        Redaction.hidingItems(in: items, named: sensitiveNames)
    }

    /// The same as ``description``: a debugger's output ends up in logs too.
    public var debugDescription: String { description }

    /// The URL as ``description`` shows it, so that what is dumped shows no credentials.
    public var customMirror: Mirror { Mirror(self, children: ["text": description]) }
}
