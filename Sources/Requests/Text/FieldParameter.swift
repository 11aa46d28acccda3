/// A `name=value` in a field value: a parameter of a media type, disposition, link or challenge, a cache directive, or
/// an attribute of a cookie.
///
/// Reading never fails, because servers send all kinds of mistakes: a malformed parameter is marked, and the caller
/// skips it and uses the others.
///
/// Specification: RFC 9110 §5.6.6.
package struct FieldParameter: Hashable, Sendable {
    /// The name as written. Without `=`, everything up to the separator.
    package let name: String

    /// The value without quotes and escapes. `nil` if there is no `=`.
    package let value: String?

    /// Whether the parameter is written as a sender must write it. An empty one is valid.
    package let isValid: Bool

    /// Whether its quotes are in pairs. If not, it may contain what are other parameters for another reader.
    package let isClosed: Bool

    /// The value, unless the parameter has none or must be skipped. An empty value must be in quotes.
    package var usableValue: String? { ASCII.isToken(name) && (value != "" || isValid) ? value : nil }
}

extension Substring.UTF8View {
    /// Takes parameters up to the end of the value or of the list element. The text before the first separator, such as
    /// the media type, is the first parameter.
    ///
    /// - Parameters:
    ///   - separator: The byte between parameters. Default: `;`.
    ///   - end: The byte after the last parameter, which stays. Default: `nil`, for the end of the value.
    ///   - hasQuotes: Whether quotes have a meaning, which they don't in cookies. Default: `true`.
    package mutating func takeParameters(
        separator: UInt8 = UInt8(ascii: ";"),
        end: UInt8? = nil,
        hasQuotes: Bool = true
    ) -> [FieldParameter] {
        var parameters: [FieldParameter] = []
        while true {
            parameters.append(takeParameter(hasQuotes: hasQuotes) { $0 == separator || $0 == end })
            guard first == separator else { return parameters }
            removeFirst()
        }
    }

    /// Takes a parameter up to a separator, which stays. An unquoted value extends to the separator.
    package mutating func takeParameter(hasQuotes: Bool = true, before isSeparator: (UInt8) -> Bool) -> FieldParameter {
        skipBlanks()
        let start = self
        skip { !isSeparator($0) && $0 != UInt8(ascii: "=") && !(hasQuotes && $0 == UInt8(ascii: "\"")) }
        var next = self
        next.skipBlanks()
        guard next.popFirst() == UInt8(ascii: "=") else {
            let isClosed = skipElement(before: isSeparator)
            let name = Substring(start[..<startIndex]).trimmingFieldWhitespace()
            let isValid = isClosed && (name.isEmpty || ASCII.isToken(name))
            return FieldParameter(name: name, value: nil, isValid: isValid, isClosed: isClosed)
        }
        let name = Substring(start[..<startIndex]).trimmingFieldWhitespace()
        self = next
        skipBlanks()
        let isQuoted = hasQuotes && first == UInt8(ascii: "\"")
        var (value, isClosed) = ("", true)
        if isQuoted { (value, isClosed) = takeQuotedString() } else { value = take { !isSeparator($0) } }
        if !isQuoted { value = value.trimmingFieldWhitespace() }
        let end = startIndex
        isClosed = skipElement(before: isSeparator) && isClosed
        let isAlone = start[end..<startIndex].allSatisfy(\.isFieldWhitespace)
        // White space around `=` isn't valid.
        let isTight = start.starts(with: "\(name)=\(isQuoted ? "\"" : value)".utf8)
        let isValid = isClosed && isAlone && isTight && ASCII.isToken(name) && (isQuoted || ASCII.isToken(value))
        return FieldParameter(name: name, value: value, isValid: isValid, isClosed: isClosed)
    }

    /// Skips bytes and quoted strings up to a separator. Returns whether the last quoted string has an end.
    ///
    /// - Parameter hasEscapes: Whether `\` escapes a character in quotes. Default: `true`.
    fileprivate mutating func skipElement(before isSeparator: (UInt8) -> Bool, hasEscapes: Bool = true) -> Bool {
        var isQuoted = false
        while let byte = first, isQuoted || !isSeparator(byte) {
            removeFirst()
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if isQuoted, hasEscapes, byte == UInt8(ascii: "\\") { _ = popFirst() }
        }
        return !isQuoted
    }
}

extension String {
    /// The elements of a list of tokens.
    package var tokens: [Substring] { split { $0 == "," || $0 == " " || $0 == "\t" } }

    /// Splits a list at the commas outside of quotes.
    ///
    /// - Parameter hasEscapes: Whether `\` escapes a character in quotes. Entity tags have no escapes.
    package func listElements(hasEscapes: Bool) -> [String] {
        guard utf8.contains(UInt8(ascii: ",")) else { return [trimmingFieldWhitespace()] }
        var (rest, elements) = (utf8[...], [String]())
        while true {
            let start = rest
            _ = rest.skipElement(before: { $0 == UInt8(ascii: ",") }, hasEscapes: hasEscapes)
            elements.append(Substring(start[..<rest.startIndex]).trimmingFieldWhitespace())
            guard rest.popFirst() != nil else { return elements }
        }
    }
}

/// Scanning of a field value from its start.
extension Substring.UTF8View {
    /// Takes bytes while a condition holds.
    package mutating func take(while isWanted: (UInt8) -> Bool) -> String {
        let taken = prefix(while: isWanted)
        self = self[taken.endIndex...]
        return String(Substring(taken))
    }

    /// Takes a token. Returns an empty string if there is none (RFC 9110 §5.6.2).
    package mutating func takeToken() -> String {
        take { ASCII.tokenBytes.contains($0) }
    }

    /// Drops bytes while a condition holds.
    package mutating func skip(while isUnwanted: (UInt8) -> Bool) { self = drop(while: isUnwanted) }

    /// Drops spaces and tabs.
    package mutating func skipBlanks() {
        skip { $0.isFieldWhitespace }
    }

    /// Takes a quoted string. The first byte must be its opening quote.
    ///
    /// Specification: RFC 9110 §5.6.4.
    ///
    /// - Returns: The string without quotes and escapes, and whether it had a closing quote. Without one, the string
    ///   extends to the end.
    package mutating func takeQuotedString() -> (text: String, isClosed: Bool) {
        removeFirst()
        var (bytes, isClosed) = ([UInt8](), false)
        while !isClosed, let byte = popFirst() {
            isClosed = byte == UInt8(ascii: "\"")
            guard !isClosed, let content = byte == UInt8(ascii: "\\") ? popFirst() : byte else { continue }
            bytes.append(content)
        }
        return (String(decoding: bytes, as: UTF8.self), isClosed)
    }
}

extension StringProtocol where UTF8View: BidirectionalCollection {
    /// The number that the digits mean. `nil` if there is anything else, even a sign.
    package var digits: Int64? {
        guard !isEmpty, utf8.allSatisfy(\.isDigit) else { return nil }
        // `Int64(_:)` is generic here, and slow.
        return utf8.count > 18 ? Int64(self) : utf8.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    /// Returns the string without spaces and tabs at its start and end (RFC 9110 §5.5).
    package func trimmingFieldWhitespace() -> String {
        let start = utf8.firstIndex { !$0.isFieldWhitespace } ?? endIndex
        let end = utf8.lastIndex { !$0.isFieldWhitespace }.map(utf8.index(after:)) ?? start
        return String(self[start..<end])
    }
}

extension String {
    /// The string in quotes, with `\` and `"` escaped (RFC 9110 §5.6.4).
    package var quotedString: String {
        let escaped = unicodeScalars.reduce(into: "") { text, scalar in
            if scalar == "\"" || scalar == "\\" { text.append("\\") }
            text.unicodeScalars.append(scalar)
        }
        return "\"\(escaped)\""
    }
}
