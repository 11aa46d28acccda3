import Requests

extension Range<Int64> {
    /// Returns the positions in a body that a request asks for, none if it asks for everything.
    ///
    /// Specification: RFC 9110 §14.1.2.
    ///
    /// - Parameter length: The length of the body. `nil` if it's unknown.
    /// - Returns: The positions. They are empty if they aren't in the body, or depend on its unknown length. `nil` for
    ///   units or syntax that only the server may know.
    static func requested(by header: Header, in length: Int64?) -> [Range]? {
        guard let value = header[.range] else { return [] }
        let parts = value.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, ASCII.lowercased(parts[0]) == "bytes" else { return nil }
        let elements = parts[1].split(separator: ",").map { $0.trimmingFieldWhitespace() }.filter { !$0.isEmpty }
        let ranges = elements.compactMap { Range($0, in: length) }
        return ranges.isEmpty || ranges.count < elements.count ? nil : ranges
    }

    private init?(_ text: String, in length: Int64?) {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        let (first, end): (Int64, Int64)
        switch (ends[0].digits, ends[1].digits) {
        case (let start?, let last?) where start <= last: (first, end) = (start, last < .max ? last + 1 : .max)
        case (let start?, nil) where ends[1].isEmpty: (first, end) = (start, .max)
        // The last bytes.
        case (nil, let count?) where ends[0].isEmpty && count > 0:
            end = Swift.max(0, length ?? 0)
            first = Swift.max(0, end - count)
        default: return nil
        }
        let known = Swift.min(end, length ?? .max)
        self = first < known && known < .max ? first..<known : 0..<0
    }
}
