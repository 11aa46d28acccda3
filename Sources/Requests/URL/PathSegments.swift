/// The rule against dot segments.
///
/// Servers resolve `%2E%2E` like `..`, so encoding a dot segment doesn't help: it is an error.
enum PathSegments {
    /// Throws if a segment is `.` or `..`, encoded or not.
    static func check(_ path: String) throws(RequestError) {
        guard let dots = path.withBytes({ unsafe firstDots(in: $0) }) else { return }
        throw .dotSegment(String(decoding: Array(path.utf8)[dots], as: UTF8.self), in: path)
    }

    /// Whether a segment is one or two dots, each encoded or not.
    static func isDots(_ segment: String) -> Bool {
        segment.withBytes { unsafe isDots($0[...]) }
    }

    /// The first segment that is `.` or `..`.
    static func firstDots(in path: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        var start = 0
        while start < path.count {
            let end = unsafe UnsafeRawBufferPointer(path).firstIndex(of: slash, in: start..<path.count) ?? path.count
            // Checks the rest only if the segment starts like a dot.
            let first = unsafe path[start]
            if first == dot || first == PercentEncoding.percent, unsafe isDots(path[start..<end]) { return start..<end }
            start = end + 1
        }
        return nil
    }

    private static func isDots(_ segment: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        var bytes = unsafe segment.makeIterator()
        var count = 0
        while let byte = unsafe bytes.next() {
            let isEncoded = unsafe byte == PercentEncoding.percent && bytes.next() == UInt8(ascii: "2")
            guard unsafe byte == dot || isEncoded && bytes.next().map(ASCII.lowercased) == UInt8(ascii: "e") else {
                return false
            }
            count += 1
        }
        return count == 1 || count == 2
    }

    private static var dot: UInt8 { UInt8(ascii: ".") }
    private static var slash: UInt8 { UInt8(ascii: "/") }
}

extension RequestError {
    static func dotSegment(_ segment: String, in path: String) -> RequestError {
        RequestError(
            code: .dotSegment,
            subject: segment,
            message: "The path \(Redaction.quoted(path)) contains the dot segment \(Redaction.quoted(segment)). "
                + "Remove it. Encoding it doesn't help."
        )
    }
}
