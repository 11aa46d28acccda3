import Requests

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The layout of a file: a preamble, the response as text with room to grow, and the body.
///
/// The room allows to update the response without copying the body. Checksums find damage, not forgery.
struct EntryFormat {
    /// The room for the text.
    var capacity: Int
    var bodyLength: Int64
    var bodyChecksum: UInt64

    static let preambleLength = 40
    private static let magic: UInt64 = 0x3145_4843_4143_5152

    /// The room that a text gets, so that later texts fit.
    static func capacity(for text: String) -> Int { (text.utf8.count + 768) / 512 * 512 }

    var bodyOffset: Int64 { Int64(EntryFormat.preambleLength + capacity) }

    var fileLength: Int64 { bodyOffset + bodyLength }

    /// Returns the preamble and the text. `nil` if there is no room for the text.
    func head(_ text: String) -> Data? {
        let text = Data(text.utf8)
        guard text.count <= capacity else { return nil }
        let numbers = [
            EntryFormat.magic, UInt64(capacity) << 32 | UInt64(text.count), UInt64(bodyLength), bodyChecksum,
        ]
        var data = Data(capacity: EntryFormat.preambleLength + text.count)
        for number in numbers { data.append(number) }
        var checksum = Checksum()
        checksum.add(data)
        checksum.add(text)
        data.append(checksum.value)
        data.append(text)
        return data
    }

    /// Reads the start of a file.
    ///
    /// - Parameters:
    ///   - start: The first bytes of the file.
    ///   - fileLength: The length of the file.
    /// - Returns: `nil` if the file is damaged. The text is `nil` if it needs more bytes.
    static func read(_ start: Data, fileLength: Int64) -> (format: EntryFormat, text: String?, textEnd: Int)? {
        guard start.count >= preambleLength, start.number(at: 0) == magic else { return nil }
        let lengths = start.number(at: 8)
        let (capacity, textLength) = (Int(lengths >> 32), Int(lengths & 0xFFFF_FFFF))
        guard textLength <= capacity, let bodyLength = Int64(exactly: start.number(at: 16)), bodyLength >= 0,
            fileLength - Int64(preambleLength + capacity) == bodyLength
        else { return nil }
        let format = EntryFormat(capacity: capacity, bodyLength: bodyLength, bodyChecksum: start.number(at: 24))
        let end = preambleLength + textLength
        guard start.count >= end else { return (format, nil, end) }
        var checksum = Checksum()
        checksum.add(start.prefix(32))
        let text = start.dropFirst(preambleLength).prefix(textLength)
        checksum.add(text)
        guard checksum.value == start.number(at: 32) else { return nil }
        return (format, String(decoding: text, as: UTF8.self), end)
    }
}

/// A checksum of bytes that arrive in pieces (FNV-1a).
struct Checksum {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ bytes: Data) {
        let start = value
        value = unsafe bytes.withUnsafeBytes { bytes in
            unsafe bytes.reduce(start) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        }
    }
}

extension Data {
    fileprivate mutating func append(_ number: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) { append(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    /// The number at an offset, which must be in the data.
    fileprivate func number(at offset: Int) -> UInt64 {
        dropFirst(offset).prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
