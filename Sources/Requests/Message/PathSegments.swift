/// The rule that keeps a path where it was meant to be.
///
/// Servers resolve `%2E%2E` like `..`, so a dot segment cannot be encoded away: it is refused.
enum PathSegments {
    /// Throws when a segment is `.` or `..`, as it is or encoded.
    static func check(_ path: Substring.UTF8View) throws(InvalidRequestURLError) {
        // A dot segment is a dot, or starts with one; few paths have either, and most are done after one scan.
        guard path.contains(where: { $0 == UInt8(ascii: ".") || $0 == PercentEncoding.percent }) else { return }
        var rest = path
        while !rest.isEmpty {
            let segment = rest.prefix { $0 != UInt8(ascii: "/") }
            if isDots(segment) { throw .dotSegment(String(Substring(segment)), in: String(Substring(path))) }
            rest = rest[segment.endIndex...].dropFirst()
        }
    }

    /// Whether a segment is one dot or two, each as it is or encoded.
    private static func isDots(_ segment: Substring.UTF8View) -> Bool {
        var bytes = segment.makeIterator()
        var count = 0
        while let byte = bytes.next() {
            let isEncoded = byte == PercentEncoding.percent && bytes.next() == UInt8(ascii: "2")
            guard byte == UInt8(ascii: ".") || isEncoded && bytes.next().map(ASCII.lowercased) == UInt8(ascii: "e")
            else {
                return false
            }
            count += 1
        }
        return count == 1 || count == 2
    }
}
