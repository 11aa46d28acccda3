import Requests
import RequestsClient
import RequestsSystem

/// The file of an entry: the body, and after it one line with its name and the response.
///
/// The line is JSON, spaces, and a checksum of both. It is the last one, because trailers and lengths are known at the
/// end, and because an update then replaces only the line. Checksums find damage, not forgery.
struct EntryFile: Sendable {
    let response: HTTPCache.StoredResponse
    private let file: OpenFile
    private let path: String
    private let modified: Date
    private let lineLength: Int
    private let line: Line
    /// The whole body, if it is small.
    private let body: Data?

    struct Line: Codable {
        let name: String
        var response: HTTPCache.StoredResponse
        /// The checksums of the body's pieces.
        let checksums: [UInt64]
    }

    /// Opens the file of an entry. Returns `nil` if it doesn't exist. Removes it if it is damaged.
    static func open(_ path: String, _ name: String, _ flags: Int32 = O_RDONLY) throws -> EntryFile? {
        guard let file = try OpenFile.existing(path, flags) else { return nil }
        // Until it is closed, because an update replaces the line that it has read.
        if flags == O_RDWR, flock(file.descriptor, LOCK_EX | LOCK_NB) != 0 { throw POSIXError.last }
        // A second look, because another process may just be updating the line.
        if let entry = try EntryFile(file, path, name) ?? EntryFile(file, path, name) { return entry }
        try? FileStatus.remove(path)
        return nil
    }

    private init?(_ file: OpenFile, _ path: String, _ name: String) throws {
        guard let status = file.status.map(FileStatus.init), status.isOwn else { return nil }
        var (end, start) = (Data(), Data.Index?.none)
        // The line is nearly always in the first piece.
        for count in [8 << 10, 4 << 20] where start == nil {
            end = try file.read(upTo: count, at: max(0, status.length - Int64(count))) ?? Data()
            start = unsafe end.withUnsafeBytes { unsafe $0.lastIndex(of: UInt8(ascii: "\n")) }
        }
        guard let start, let line = EntryFile.read(end[end.index(after: start)...]), line.name == name else {
            return nil
        }
        (self.line, response, lineLength) = (line, line.response, end.endIndex - start)
        guard response.length == status.length - Int64(lineLength),
            Int64(line.checksums.count) == (response.length + Checksums.piece - 1) / Checksums.piece
        else { return nil }
        (self.file, self.path, modified) = (file, path, status.modified)
        // A small body has just been read, so its damage can be a miss.
        body = end.count == status.length ? end[..<start] : nil
        if let body, Checksums(of: body).values != line.checksums { return nil }
    }

    private static func read(_ line: Data) -> Line? {
        let json = line.dropLast(16)
        guard line.suffix(16).elementsEqual(Checksums.text(of: json).utf8) else { return nil }
        return try? JSONDecoder().decode(Line.self, from: json)
    }

    /// Returns the last line of a file, filled up with spaces.
    static func text(of line: Line, atLeast length: Int = 0) throws -> Data {
        var json = try JSONEncoder().encode(line)
        json += Data(repeating: UInt8(ascii: " "), count: max(0, length - json.count - 17))
        return Data("\n".utf8) + json + Data(Checksums.text(of: json).utf8)
    }

    /// Replaces the response.
    func update(to response: HTTPCache.StoredResponse) throws {
        var line = line
        line.response = response
        // In one call, so that a process that ends leaves the old line or the new one.
        let text = try EntryFile.text(of: line, atLeast: lineLength)
        guard lseek(file.descriptor, off_t(self.response.length), SEEK_SET) >= 0 else { throw POSIXError.last }
        try file.write(text)
    }

    /// Returns a part of the body, which is a use of the entry. Each piece is checked before any of its bytes is
    /// returned.
    func body(_ range: Range<Int64>) -> ResponseBody {
        if abs(Date().timeIntervalSince(modified)) > 60 { _ = futimens(file.descriptor, nil) }
        if let body { return ResponseBody(body.part(range)) }
        let position = Locked(range.lowerBound)
        return ResponseBody(
            AsyncThrowingStream { @concurrent in
                try position.withLock { position in
                    guard position < range.upperBound else { return nil }
                    let piece = try piece(at: position).prefix(Int(clamping: range.upperBound - position))
                    position += Int64(piece.count)
                    return piece
                }
            }
        )
    }

    /// Returns the bytes from a position to the end of its piece.
    private func piece(at position: Int64) throws -> Data {
        let number = position / Checksums.piece
        let start = number * Checksums.piece
        let length = Int(clamping: min(Checksums.piece, response.length - start))
        let bytes = try file.read(upTo: length, at: start) ?? Data()
        guard Checksums(of: bytes).values == [line.checksums[Int(clamping: number)]] else {
            try? FileStatus.remove(path)
            let message = "\(response.url): the stored body is damaged and was removed; send the request again"
            throw TransportError(code: .damaged, message: message, phase: .receiving)
        }
        return bytes.dropFirst(Int(clamping: position - start))
    }
}
