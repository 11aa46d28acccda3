import Foundation
import Requests

/// An earlier head. Servers repeat themselves, and the same bytes needn't be parsed again.
final class KnownHead {
    let lines: HeadLines
    let version: HTTPVersion
    let statusCode: Int
    /// The fields of the lines between the first and the last.
    let header: Header

    init(_ lines: HeadLines, version: HTTPVersion, statusCode: Int, header: Header) {
        self.lines = lines
        self.version = version
        self.statusCode = statusCode
        self.header = header
    }

    /// Whether the line with a number is the empty one at the end.
    func isEnd(_ number: Int) -> Bool { number == lines.count - 1 }
}

/// The lines of a head, unchanged and with their ends.
struct HeadLines {
    /// Larger heads aren't worth the memory.
    private static let maximumSize = 1 << 10

    private var bytes: [UInt8] = []
    private var ends: [Int] = []

    init() {}

    /// Copies the first lines of another head.
    init(_ count: Int, of other: HeadLines) {
        bytes.reserveCapacity(HeadLines.maximumSize / 2)
        ends.reserveCapacity(16)
        ends += other.ends.prefix(count)
        bytes += other.bytes.prefix(ends.last ?? 0)
    }

    var count: Int { ends.count }

    /// Appends a line if there is room.
    mutating func append(_ line: UnsafeRawBufferPointer) {
        guard bytes.count + line.count <= HeadLines.maximumSize else { return }
        bytes += line
        ends.append(bytes.count)
    }

    /// Whether a line equals the one with a number, starting at 0.
    func has(_ line: UnsafeRawBufferPointer, at number: Int) -> Bool {
        guard number < ends.count else { return false }
        let start = number > 0 ? ends[number - 1] : 0
        let count = line.count
        guard start + count == ends[number] else { return false }
        return bytes.withUnsafeBytes { bytes in
            guard let known = bytes.baseAddress, let line = line.baseAddress else { return false }
            return memcmp(known + start, line, count) == 0
        }
    }
}
