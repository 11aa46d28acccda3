import Requests
import RequestsClient

/// The parts of a body. Those of a stream are kept until the server has them, so that they can be sent again.
struct UploadParts {
    private let body: RequestBody
    private let isDivisible: Bool
    private var reader: RequestBody.Reader?
    /// The bytes that were read of a stream, from ``start`` on.
    private var kept = Data()
    private var start: Int64 = 0
    private var isAtEnd = false

    init(_ body: RequestBody) { (self.body, isDivisible) = (body, body.divisibleLength != nil) }

    /// Returns a part of the body, and where the body ends, if that is known now.
    ///
    /// - Parameter range: A range that starts at the server's offset.
    /// - Returns: `nil` if the bytes aren't available any more.
    mutating func part(_ range: Range<Int64>) async throws -> (RequestBody, end: Int64?)? {
        if isDivisible { return (range.isEmpty ? .data(Data()) : body.part(range), body.length) }
        if range.lowerBound < start {
            guard body.isReplayable else { return nil }
            (reader, kept, start, isAtEnd) = (nil, Data(), 0, false)
        }
        let reader = try reader ?? body.makeReader()
        self.reader = reader
        // One byte more than the part shows whether it is the last one.
        while !isAtEnd, start + Int64(kept.count) <= range.upperBound {
            drop(before: range.lowerBound)
            guard let chunk = try await reader.next() else {
                isAtEnd = true
                break
            }
            kept += chunk
        }
        drop(before: range.lowerBound)
        guard start == range.lowerBound else { return isAtEnd ? (.none, end: start) : nil }
        let part = Data(kept.prefix(Int(clamping: range.upperBound - range.lowerBound)))
        return (.data(part), isAtEnd ? start + Int64(kept.count) : nil)
    }

    private mutating func drop(before offset: Int64) {
        let count = min(Int(clamping: offset - start), kept.count)
        guard count > 0 else { return }
        kept = Data(kept.dropFirst(count))
        start += Int64(count)
    }
}
