extension RequestURL {
    /// Resolves an absolute or relative reference, such as the value of `Location`.
    ///
    /// Dot segments are resolved, including percent-encoded ones, because servers treat them alike. Query items that
    /// are redacted in this URL are redacted in the result, because servers repeat them.
    ///
    /// - Parameter reference: The reference. An empty one is this URL without its fragment.
    /// - Throws: ``RequestError`` if the resolved URL isn't valid.
    ///
    /// Specification: RFC 3986 §5.2 and §5.3.
    public func resolving(_ reference: String) throws(RequestError) -> RequestURL {
        try resolved(reference).redacting(sameAs: self)
    }

    private func resolved(_ reference: String) throws(RequestError) -> RequestURL {
        let parts = URLReference(reference)
        if let scheme = parts.scheme {
            // A URL without an authority isn't an HTTP URL. This throws the right error.
            guard let authority = parts.authority else { return try RequestURL(reference) }
            return try RequestURL("\(scheme)://\(authority)\(parts.resolvedPath)\(parts.tail)")
        }
        if let authority = parts.authority {
            return try RequestURL("\(scheme)://\(authority)\(parts.resolvedPath)\(parts.tail)")
        }
        guard parts.path.isEmpty else {
            let merged = parts.path.utf8.first == UInt8(ascii: "/") ? String(parts.path) : directory + parts.path
            let resolved = URLReference.removingDotSegments(merged[...])
            return try RequestURL("\(textBeforePath)\(resolved)\(parts.tail)")
        }
        let query = parts.query.map { "?" + $0 } ?? self.query.map { "?" + $0 } ?? ""
        return try RequestURL("\(textBeforePath)\(path)\(query)\(parts.fragment.map { "#" + $0 } ?? "")")
    }

    /// The path up to its last slash, to which a relative path is appended (RFC 3986 §5.2.3).
    private var directory: String {
        let path = path
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "/" }
        return String(path[...slash])
    }

    /// The text after `#`. `nil` if there is no fragment.
    package var fragment: String? {
        guard let hash = text.utf8.firstIndex(of: UInt8(ascii: "#")) else { return nil }
        return String(text[text.utf8.index(after: hash)...])
    }

    /// The URL without its fragment.
    var textBeforeFragment: Substring { text.utf8.firstIndex(of: UInt8(ascii: "#")).map { text[..<$0] } ?? text[...] }

    /// Returns the URL with a fragment, unless it already has one (RFC 9110 §10.2.2).
    func inheriting(fragment: String?) -> RequestURL {
        guard let fragment, self.fragment == nil, let inherited = try? RequestURL("\(text)#\(fragment)") else {
            return self
        }
        return inherited
    }
}

/// The five parts of a URL or a relative reference (RFC 3986 §4.1, appendix B).
private struct URLReference {
    private(set) var scheme: Substring?
    private(set) var authority: Substring?
    private(set) var path: Substring
    private(set) var query: Substring?
    private(set) var fragment: Substring?

    init(_ text: String) {
        // Works on bytes because a delimiter and a combining mark are one `Character`.
        var rest = text[...]
        fragment = URLReference.cut(&rest, at: UInt8(ascii: "#"))
        query = URLReference.cut(&rest, at: UInt8(ascii: "?"))
        if let colon = rest.utf8.firstIndex(of: UInt8(ascii: ":")), URLReference.isScheme(rest[..<colon]) {
            scheme = rest[..<colon]
            rest = rest[rest.utf8.index(after: colon)...]
        }
        if rest.utf8.starts(with: "//".utf8) {
            let afterSlashes = rest.utf8.dropFirst(2)
            let end = afterSlashes.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            authority = rest[afterSlashes.startIndex..<end]
            rest = rest[end...]
        }
        path = rest
    }

    /// The query and fragment, including `?` and `#`.
    var tail: String { (query.map { "?" + $0 } ?? "") + (fragment.map { "#" + $0 } ?? "") }

    var resolvedPath: String { URLReference.removingDotSegments(path) }

    private static func cut(_ text: inout Substring, at mark: UInt8) -> Substring? {
        guard let index = text.utf8.firstIndex(of: mark) else { return nil }
        defer { text = text[..<index] }
        return text[text.utf8.index(after: index)...]
    }

    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, letters.contains(first) else { return false }
        return text.utf8.allSatisfy(schemeBytes.contains)
    }

    private static let letters = UInt8(ascii: "A")...UInt8(ascii: "z")
    private static let schemeBytes = ByteSet(alphanumericsAnd: "+-.")

    /// Returns the path without `.` and `..` segments. Segments above the root are ignored (RFC 3986 §5.2.4).
    static func removingDotSegments(_ path: Substring) -> String {
        guard path.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == PercentEncoding.percent }) else {
            return String(path)
        }
        let segments = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        var kept: [Substring] = []
        for (position, segment) in segments.enumerated() {
            let isLast = position == segments.count - 1
            let text = Substring(segment)
            switch PercentEncoding.decoded(String(text)) {
            case ".": if isLast { kept.append("") }
            case "..":
                // The first element is the empty string before the root's slash.
                if kept.count > 1 { kept.removeLast() }
                if isLast { kept.append("") }
            default: kept.append(text)
            }
        }
        return kept.joined(separator: "/")
    }
}
