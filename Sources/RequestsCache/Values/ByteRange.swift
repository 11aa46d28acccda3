import Requests

/// A requested part of a body.
///
/// Specification: RFC 9110 §14.1.2.
enum ByteRange: Hashable {
    /// From a position up to and including another one, or to the end.
    case from(Int64, through: Int64?)
    /// The last bytes.
    case last(Int64)

    /// Returns the ranges that a request asks for, none if it asks for everything.
    ///
    /// - Returns: `nil` for units or syntax that only the server may know.
    static func requested(by header: Header) -> [ByteRange]? {
        guard let value = header[.range] else { return [] }
        let parts = value.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, ASCII.lowercased(parts[0]) == "bytes" else { return nil }
        let elements = parts[1].split(separator: ",").map { $0.trimmingFieldWhitespace() }.filter { !$0.isEmpty }
        let ranges = elements.compactMap(ByteRange.init)
        return ranges.isEmpty || ranges.count < elements.count ? nil : ranges
    }

    private init?(_ text: String) {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        switch (ends[0].digits, ends[1].digits) {
        case (let first?, let last?) where first <= last: self = .from(first, through: last)
        case (let first?, nil) where ends[1].isEmpty: self = .from(first, through: nil)
        case (nil, let count?) where ends[0].isEmpty && count > 0: self = .last(count)
        default: return nil
        }
    }

    /// Returns the positions in a body. `nil` if they aren't in it, or if its length is needed and unknown.
    func resolved(in length: Int64?) -> Range<Int64>? {
        switch self {
        case .from(let first, let last):
            let end = min(length ?? .max, last.map { $0 < .max ? $0 + 1 : $0 } ?? .max)
            return first < end && end < .max ? first..<end : nil
        case .last(let count):
            guard let length, length > 0 else { return nil }
            return max(0, length - count)..<length
        }
    }
}
