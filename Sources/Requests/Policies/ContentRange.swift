/// The part of a file that a response contains.
///
/// Specification: RFC 9110 §14.4.
package struct ContentRange: Equatable {
    /// The positions of the bytes. `nil` if the requested range is unsatisfiable.
    package let bytes: Range<Int64>?
    /// The length of the file. `nil` if the server doesn't know it.
    package let total: Int64?

    package init?(_ text: String?) {
        guard let text, ASCII.equalsIgnoringCase(String(text.prefix(6)), "bytes ") else { return nil }
        let parts = text.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1] == "*" || ContentRange.number(parts[1]) != nil else { return nil }
        total = ContentRange.number(parts[1])
        if parts[0] == "*" {
            bytes = nil
            return
        }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false).map(ContentRange.number)
        guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last, last < total ?? .max else {
            return nil
        }
        bytes = first..<(last + 1)
    }

    private static func number(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy(\.isDigit) ? Int64(text) : nil
    }
}
