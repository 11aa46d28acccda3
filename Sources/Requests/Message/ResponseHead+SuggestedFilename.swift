extension ResponseHead {
    /// The file name that the server suggests for the body. `nil` if it suggests none, or no valid one.
    ///
    /// A usable `filename*` in UTF-8 or ISO-8859-1 wins over `filename`. Only the last path component is used, without
    /// control characters and characters that change the direction of the text, so appending it to a directory's URL is
    /// safe. The name may exist already, be hidden, or look executable.
    ///
    /// ```swift
    /// let name = response.head.suggestedFilename ?? "download"
    /// ```
    ///
    /// Specification: RFC 6266 §4.3, §5, RFC 8187 §3.2.
    public var suggestedFilename: String? {
        guard var text = header.single("Content-Disposition")?.utf8[...] else { return nil }
        let parameters = text.takeParameters()
        guard parameters[0].value == nil, parameters[0].name.utf8.first.map(ASCII.tokenBytes.contains) == true else {
            return nil
        }
        let values = { (name: String) in
            parameters.lazy.filter { ASCII.equalsIgnoringCase($0.name, name) }.compactMap(\.value)
        }
        return values("filename*").compactMap(Disposition.decoded).compactMap(Disposition.lastComponent).first
            ?? values("filename").compactMap(Disposition.lastComponent).first
    }
}

/// The file name in `Content-Disposition`.
private enum Disposition {
    /// Decodes `charset'language'text`. Returns `nil` if the value is malformed or the charset isn't supported.
    static func decoded(_ value: String) -> String? {
        let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let bytes = PercentEncoding.decodedBytes(String(parts[2]))
        return switch ASCII.lowercased(parts[0]) {
        case "utf-8": String(validating: bytes, as: UTF8.self)
        case "iso-8859-1": String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        default: nil
        }
    }

    /// Returns the last component, safe as a file name in any directory. `nil` if nothing is left.
    static func lastComponent(of text: String) -> String? {
        let scalars = text.unicodeScalars
        let start = scalars.lastIndex { $0 == "/" || $0 == "\\" }.map(scalars.index(after:)) ?? scalars.startIndex
        let shown = scalars[start...].filter {
            $0.properties.generalCategory != .control && !$0.properties.isBidiControl
        }
        guard let first = shown.firstIndex(where: { !$0.isSpace }), let last = shown.lastIndex(where: { !$0.isSpace })
        else { return nil }
        let name = String(String.UnicodeScalarView(shown[first...last]))
        return [".", ".."].contains(name) ? nil : name
    }
}

extension Unicode.Scalar {
    fileprivate var isSpace: Bool { properties.generalCategory == .spaceSeparator }
}
