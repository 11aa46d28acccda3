extension ResponseHead {
    /// The file name that the server suggests for the body. `nil` if it suggests none, or no valid one.
    ///
    /// A `filename*` in UTF-8 or ISO-8859-1 wins over `filename`. Only the last path component is used, without control
    /// characters and characters that change the direction of the text, so appending it to a directory's URL is safe.
    /// The name may exist already, be hidden, or look executable.
    ///
    /// ```swift
    /// let name = response.head.suggestedFilename ?? "download"
    /// ```
    ///
    /// Specification: RFC 6266 §4.3, §5, RFC 8187 §3.2.
    public var suggestedFilename: String? {
        guard let text = header[values: "Content-Disposition"].first else { return nil }
        let parameters = Disposition.parameters(of: text)
        let name = parameters["filename*"].flatMap(Disposition.decoded) ?? parameters["filename"]
        return name.flatMap(Disposition.lastComponent)
    }
}

/// Reads the value of `Content-Disposition`.
private enum Disposition {
    /// Returns the parameters by their lowercase names. The first of repeated ones counts. Skips malformed ones.
    static func parameters(of text: String) -> [String: String] {
        var parameters: [String: String] = [:]
        var rest = text.utf8[...]
        rest.skipBlanks()
        guard !rest.takeToken().isEmpty else { return [:] }
        while true {
            // Skips anything between a value and the next `;`.
            rest.skip { $0 != UInt8(ascii: ";") }
            guard rest.popFirst() != nil else { return parameters }
            rest.skipBlanks()
            let name = ASCII.lowercased(rest.takeToken())
            rest.skipBlanks()
            guard !name.isEmpty, rest.first == UInt8(ascii: "=") else { continue }
            rest.removeFirst()
            rest.skipBlanks()
            let value = takeValue(&rest)
            if parameters[name] == nil { parameters[name] = value }
        }
    }

    /// Reads a quoted string, or everything up to the next `;`, because many servers write spaces without quotes.
    private static func takeValue(_ rest: inout Substring.UTF8View) -> String {
        if rest.first == UInt8(ascii: "\"") { return rest.takeQuotedString().text }
        return rest.take { $0 != UInt8(ascii: ";") }
    }

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
