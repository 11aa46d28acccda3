/// Reading the value of a field from its front.
extension Substring.UTF8View {
    /// Takes the bytes for which a condition holds.
    mutating func take(while isWanted: (UInt8) -> Bool) -> String {
        let taken = prefix(while: isWanted)
        self = self[taken.endIndex...]
        return String(Substring(taken))
    }

    /// Takes a token; an empty text where there is none (RFC 9110 §5.6.2).
    mutating func takeToken() -> String {
        take { ASCII.tokenBytes.contains($0) }
    }

    /// Drops the bytes for which a condition holds.
    mutating func skip(while isUnwanted: (UInt8) -> Bool) {
        self = drop(while: isUnwanted)
    }

    /// Drops spaces and tabs.
    mutating func skipBlanks() {
        skip { $0.isFieldWhitespace }
    }

    /// Takes a quoted string from the front, which has to be its opening quote.
    ///
    /// Specification: RFC 9110 §5.6.4.
    ///
    /// - Returns: What is between the quotes, escapes undone, and whether the closing quote was there: what lacks it is
    ///   all the rest.
    mutating func takeQuotedString() -> (text: String, isClosed: Bool) {
        removeFirst()
        var bytes: [UInt8] = []
        while let byte = popFirst() {
            if byte == UInt8(ascii: "\"") { return (String(decoding: bytes, as: UTF8.self), true) }
            if byte != UInt8(ascii: "\\") {
                bytes.append(byte)
            } else if let escaped = popFirst() {
                bytes.append(escaped)
            }
        }
        return (String(decoding: bytes, as: UTF8.self), false)
    }
}

extension String {
    /// The text in quotes, `\` and `"` escaped (RFC 9110 §5.6.4).
    var quotedString: String {
        let escaped = unicodeScalars.reduce(into: "") { text, scalar in
            if scalar == "\"" || scalar == "\\" { text.append("\\") }
            text.unicodeScalars.append(scalar)
        }
        return "\"\(escaped)\""
    }
}
