#if canImport(CRequestsCurl)
import Requests
import RequestsClient

/// A parser for chunked bodies and their trailers, which takes pieces of any size.
///
/// libcurl's own parser isn't enough, because it reads `5g` as 5 and doesn't report bytes after the end.
///
/// Specification: RFC 9112 §7.1.
struct ChunkReader {
    @safe enum Part {
        case data(UnsafeRawBufferPointer)
        /// A whole line with its line break, including the empty line after the trailers.
        case trailer([UInt8])
        /// Bytes after the end of the body.
        case surplus
    }

    private enum State { case size, padding, parameters, sizeEnd, data, dataEnd, dataLineEnd, trailers, end }

    /// The maximum number of digits in a chunk's size, the same as libcurl's.
    private static let maximumDigits = 16
    /// The maximum length of a chunk's size line, including extensions, which are ignored.
    private static let maximumLine = 16 << 10

    private var state = State.size
    private var digits = 0
    private var lineLength = 0
    /// The number of bytes that remain in the chunk.
    private var size: UInt64 = 0
    private var trailer: [UInt8] = []

    var isAtEnd: Bool { state == .end }

    /// Removes and returns the next part at the start of the bytes.
    ///
    /// - Returns: The part. `nil` if more bytes are needed.
    mutating func next(in bytes: inout Slice<UnsafeRawBufferPointer>) throws(HeadFault) -> Part? {
        while let byte = unsafe bytes.first {
            switch state {
            case .data: return unsafe .data(takeData(from: &bytes))
            case .trailers:
                unsafe bytes.removeFirst()
                if let line = try appendToTrailer(byte) { return .trailer(line) }
            case .end:
                unsafe bytes = bytes.suffix(0)
                return .surplus
            default:
                unsafe bytes.removeFirst()
                try read(byte)
            }
        }
        return nil
    }

    private mutating func takeData(from bytes: inout Slice<UnsafeRawBufferPointer>) -> UnsafeRawBufferPointer {
        let data = unsafe bytes.prefix(Int(clamping: size))
        unsafe bytes.removeFirst(data.count)
        unsafe size -= UInt64(data.count)
        if size == 0 { state = .dataEnd }
        return unsafe UnsafeRawBufferPointer(rebasing: data)
    }

    private mutating func appendToTrailer(_ byte: UInt8) throws(HeadFault) -> [UInt8]? {
        trailer.append(byte)
        guard trailer.count <= Header.maximumSize else { throw .tooLarge }
        guard byte == UInt8(ascii: "\n") else { return nil }
        defer { trailer = [] }
        if trailer.count == 1 || trailer.count == 2 && trailer.first == UInt8(ascii: "\r") { state = .end }
        return trailer
    }

    private mutating func read(_ byte: UInt8) throws(HeadFault) {
        switch (state, byte) {
        case (.dataEnd, UInt8(ascii: "\r")): state = .dataLineEnd
        case (.dataLineEnd, UInt8(ascii: "\n")): (state, digits, lineLength) = (.size, 0, 0)
        case (.dataEnd, _), (.dataLineEnd, _): throw .malformed("a chunk is longer than its size")
        case (.sizeEnd, UInt8(ascii: "\n")): state = size == 0 ? .trailers : .data
        case (.sizeEnd, _): throw .malformed("a chunk's size line contains a carriage return")
        default:
            lineLength += 1
            guard lineLength <= ChunkReader.maximumLine else {
                throw .malformed("a chunk's size line exceeds \(ChunkReader.maximumLine) bytes")
            }
            try readSize(byte)
        }
    }

    private mutating func readSize(_ byte: UInt8) throws(HeadFault) {
        if state == .size, let digit = byte.hexValue {
            digits += 1
            size = size << 4 | UInt64(digit)
            guard digits <= ChunkReader.maximumDigits else { throw .malformed("a chunk's size is too large") }
            return
        }
        guard digits > 0 else { throw ChunkReader.noSize }
        switch byte {
        case UInt8(ascii: "\r"):
            guard size <= Int64.max else { throw .malformed("a chunk's size is too large") }
            state = .sizeEnd
        case 0, UInt8(ascii: "\n"): throw .malformed("a chunk's size line contains a line feed or NUL")
        case _ where state == .parameters: break
        case UInt8(ascii: ";"): state = .parameters
        case UInt8(ascii: " "), UInt8(ascii: "\t"): state = .padding
        default: throw ChunkReader.noSize
        }
    }

    private static let noSize = HeadFault.malformed("a chunk's size isn't a hexadecimal number")
}
#endif
