import Requests

/// A requested part of a body.
///
/// Specification: RFC 9110 §14.1.2.
enum ByteRange: Hashable {
    /// From a position up to and including another one, or to the end.
    case from(Int64, through: Int64?)
    /// The last bytes.
    case last(Int64)

    /// The `Range` field of a request.
    enum Requested {
        /// The request asks for everything.
        case none
        case one(ByteRange)
        case several
        /// Units or syntax that only the server may know.
        case unknown
    }

    static func requested(by header: Header) -> Requested {
        guard let value = header[.range] else { return .none }
        let parts = value.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, ASCII.lowercased(parts[0]) == "bytes" else { return .unknown }
        let elements = parts[1].split(separator: ",").map { $0.trimmingFieldWhitespace() }.filter { !$0.isEmpty }
        let ranges = elements.compactMap(ByteRange.init)
        guard let first = ranges.first, ranges.count == elements.count else { return .unknown }
        return ranges.count == 1 ? .one(first) : .several
    }

    private init?(_ text: String) {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy(\.isDigit) }) else { return nil }
        switch (Int64(ends[0]), Int64(ends[1])) {
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
            guard let end = length ?? last.map({ $0 < .max ? $0 + 1 : $0 }), first < end else { return nil }
            return first..<min(end, last.map { $0 < .max ? $0 + 1 : $0 } ?? end)
        case .last(let count):
            guard let length, length > 0 else { return nil }
            return max(0, length - count)..<length
        }
    }
}
