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
        guard parts.count == 2, parts[1] == "*" || parts[1].digits != nil else { return nil }
        total = parts[1].digits
        if parts[0] == "*" {
            bytes = nil
            return
        }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false).map(\.digits)
        guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last, last < total ?? .max else {
            return nil
        }
        bytes = first..<(last + 1)
    }
}
