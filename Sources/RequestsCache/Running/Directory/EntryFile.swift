import Requests
import RequestsClient
import RequestsSystem

/// The file of an entry: the body, and after it one line with the response.
///
/// The line is JSON, spaces, and a checksum of both. It is the last one, because trailers and lengths are known at the
/// end, and because an update then replaces only the line. Checksums find damage, not forgery.
struct EntryFile: Sendable {
    let response: HTTPCache.StoredResponse
    private let file: OpenFile
    private let path: String
    private let modified: Date
    private let lineLength: Int
    private let checksum: UInt64
    /// The whole body, if it is small.
    private let body: Data?

    private struct Line: Codable {
        let response: HTTPCache.StoredResponse
        /// The checksum of the body.
        let checksum: UInt64
    }

    /// Opens the file of an entry. Returns `nil` if it doesn't exist. Removes it if it is damaged.
    static func open(_ path: String, _ flags: Int32 = O_RDONLY) throws -> EntryFile? {
        do {
            let file = try OpenFile(path, flags | O_NOFOLLOW)
            // Until it is closed, because an update replaces the line that it has read.
            if flags == O_RDWR { _ = flock(file.descriptor, LOCK_EX) }
            // A second look, because another process may just be updating the line.
            if let entry = try EntryFile(file, path) ?? EntryFile(file, path) { return entry }
            try? FileStatus.remove(path)
        } catch let error as POSIXError where error.code == .ENOENT {}
        return nil
    }

    private init?(_ file: OpenFile, _ path: String) throws {
        guard let status = file.status.map(FileStatus.init), status.isOwn else { return nil }
        var (end, start) = (Data(), Data.Index?.none)
        // The line is nearly always in the first piece.
        for count in [8 << 10, 4 << 20] where start == nil {
            end = try file.read(upTo: count, at: max(0, status.length - Int64(count))) ?? Data()
            start = unsafe end.withUnsafeBytes { unsafe $0.lastIndex(of: UInt8(ascii: "\n")) }
        }
        guard let start, let line = EntryFile.read(end[end.index(after: start)...]) else { return nil }
        lineLength = end.endIndex - start
        (response, checksum) = (line.response, line.checksum)
        body = end.count == status.length ? end[..<start] : nil
        guard response.length == status.length - Int64(lineLength),
            body.map({ Checksum($0).value == line.checksum }) ?? true
        else { return nil }
        (self.file, self.path, modified) = (file, path, status.modified)
    }

    private static func read(_ line: Data) -> Line? {
        let json = line.dropLast(16)
        guard line.suffix(16).elementsEqual(Checksum(json).text.utf8) else { return nil }
        return try? JSONDecoder().decode(Line.self, from: json)
    }

    /// Returns the last line of a file, of at least a length.
    ///
    /// - Parameter checksum: The checksum of the body.
    static func line(_ response: HTTPCache.StoredResponse, _ checksum: UInt64, atLeast length: Int = 0) throws -> Data {
        var line = try JSONEncoder().encode(Line(response: response, checksum: checksum))
        line += Data(repeating: UInt8(ascii: " "), count: max(0, length - line.count - 17))
        return Data("\n".utf8) + line + Data(Checksum(line).text.utf8)
    }

    /// Replaces the response.
    func update(to response: HTTPCache.StoredResponse) throws {
        // In one call, so that a process that ends leaves the old line or the new one.
        let line = try EntryFile.line(response, checksum, atLeast: lineLength)
        guard lseek(file.descriptor, off_t(self.response.length), SEEK_SET) >= 0 else { throw POSIXError.last }
        try file.write(line)
    }

    /// Returns a part of the body, which is a use of the entry.
    func body(_ range: Range<Int64>) -> ResponseBody {
        if Date().timeIntervalSince(modified) > 60 { _ = futimens(file.descriptor, nil) }
        if let body { return ResponseBody(body.part(range)) }
        let expected = range == 0..<response.length ? checksum : nil
        let state = Locked((rest: range, checksum: Checksum()))
        return ResponseBody(
            AsyncThrowingStream { @concurrent [file, path, response] in
                try state.withLock { state in
                    if let chunk = try file.read(upTo: min(64 << 10, state.rest.count), at: state.rest.lowerBound) {
                        if expected != nil { state.checksum.add(chunk) }
                        state.rest = (state.rest.lowerBound + Int64(chunk.count))..<state.rest.upperBound
                        return chunk
                    }
                    if state.rest.isEmpty, state.checksum.value == expected ?? state.checksum.value { return nil }
                    try? FileStatus.remove(path)
                    throw TransportError(
                        code: .truncated,
                        message: "\(response.url): the stored body is damaged and was removed; send the request again",
                        phase: .receiving
                    )
                }
            }
        )
    }
}

/// A checksum of bytes that arrive in pieces (FNV-1a).
struct Checksum {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    init(_ bytes: Data = Data()) { add(bytes) }

    mutating func add(_ bytes: Data) {
        let start = value
        value = unsafe bytes.withUnsafeBytes { bytes in
            unsafe bytes.reduce(start) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        }
    }

    /// 16 hexadecimal digits.
    var text: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
