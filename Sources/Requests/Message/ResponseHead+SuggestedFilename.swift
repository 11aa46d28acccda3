import Foundation

extension ResponseHead {
    /// The name that the server suggests for a file of the body; `nil` where it suggests none that can be a name.
    ///
    /// A `filename*` in UTF-8 or ISO-8859-1 wins over `filename`. It is the last component of what the server says,
    /// without control characters and those that turn the direction of the text, so that it stays in the folder that
    /// you append it to. It may be the name of a file that is there, start with a dot, or end like a program's.
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

/// How the value of `Content-Disposition` is read.
private enum Disposition {
    /// The parameters by their names in lower case. Of repeats the first counts, and what is no parameter is passed over.
    static func parameters(of text: String) -> [String: String] {
        var parameters: [String: String] = [:]
        var rest = text.utf8[...]
        rest.skipBlanks()
        guard !rest.takeToken().isEmpty else { return [:] }
        while true {
            // What follows a value before the next `;` belongs to nothing.
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

    /// A quoted string, or all before the next `;`: many servers write spaces without quotes.
    private static func takeValue(_ rest: inout Substring.UTF8View) -> String {
        if rest.first == UInt8(ascii: "\"") { return rest.takeQuotedString().text }
        return rest.take { $0 != UInt8(ascii: ";") }
    }

    /// A value with a charset, `charset'language'text`; `nil` where it is none, or the charset is another.
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

    /// What can be a name in any folder; `nil` where nothing of the text can.
    static func lastComponent(of text: String) -> String? {
        let scalars = text.unicodeScalars
        let start = scalars.lastIndex { $0 == "/" || $0 == "\\" }.map(scalars.index(after:)) ?? scalars.startIndex
        let shown = scalars[start...].filter {
            $0.properties.generalCategory != .control && !$0.properties.isBidiControl
        }
        let name = String(shown).trimmingCharacters(in: .whitespaces)
        return ["", ".", ".."].contains(name) ? nil : name
    }
}
