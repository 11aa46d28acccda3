/// The rule that keeps a path where it was meant to be.
///
/// Servers resolve `%2E%2E` like `..`, so a dot segment cannot be encoded away: it is refused.
enum PathSegments {
    /// Throws when a segment is `.` or `..`, as it is or encoded.
    static func check(_ path: Substring.UTF8View) throws(InvalidRequestURLError) {
        let dots = path.withContiguousStorageIfAvailable(firstDots) ?? Array(path).withUnsafeBufferPointer(firstDots)
        guard let dots else { return }
        throw .dotSegment(
            String(decoding: path.dropFirst(dots.lowerBound).prefix(dots.count), as: UTF8.self),
            in: String(Substring(path))
        )
    }

    /// Whether a segment is one dot or two, each as it is or encoded.
    static func isDots(_ segment: String) -> Bool {
        var segment = segment
        return segment.withUTF8 { isDots($0[...]) }
    }

    private static func firstDots(in path: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        // A dot segment is a dot, or starts with one; few paths have either, and most are done after one scan.
        guard path.contains(where: { $0 == dot || $0 == PercentEncoding.percent }) else { return nil }
        var rest = path[...]
        while !rest.isEmpty {
            let segment = rest.prefix { $0 != UInt8(ascii: "/") }
            if isDots(segment) { return segment.indices }
            rest = rest[segment.endIndex...].dropFirst()
        }
        return nil
    }

    private static func isDots(_ segment: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        var bytes = segment.makeIterator()
        var count = 0
        while let byte = bytes.next() {
            let isEncoded = byte == PercentEncoding.percent && bytes.next() == UInt8(ascii: "2")
            guard byte == dot || isEncoded && bytes.next().map(ASCII.lowercased) == UInt8(ascii: "e") else {
                return false
            }
            count += 1
        }
        return count == 1 || count == 2
    }

    private static let dot = UInt8(ascii: ".")
}
