extension Substring.UTF8View {
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
