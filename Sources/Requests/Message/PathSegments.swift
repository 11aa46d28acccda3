/// The rule that keeps a path where it was meant to be.
///
/// Servers resolve `%2E%2E` like `..`, so a dot segment cannot be encoded away: it is refused.
enum PathSegments {
    /// Throws when a segment is `.` or `..`, as it is or encoded.
    static func check(_ path: Substring.UTF8View) throws(InvalidRequestURLError) {
        // A dot segment is a dot, or starts with one; few paths have either, and most are done after one scan.
        guard path.contains(where: { $0 == UInt8(ascii: ".") || $0 == PercentEncoding.percent }) else { return }
        for segment in path.split(separator: UInt8(ascii: "/")) {
            let text = String(Substring(segment))
            if [".", ".."].contains(PercentEncoding.decoded(text)) {
                throw .dotSegment(text, in: String(Substring(path)))
            }
        }
    }
}
