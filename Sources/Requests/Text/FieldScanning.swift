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
    package mutating func skip(while isUnwanted: (UInt8) -> Bool) {
        self = drop(while: isUnwanted)
    }

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
    package var digits: Int64? { utf8.allSatisfy(\.isDigit) ? Int64(self) : nil }

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
