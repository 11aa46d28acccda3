import Requests
import RequestsClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HTTPCache {
    /// A store in a folder, which forgets the least recently used responses.
    ///
    /// Each response is one file. It appears when it is complete, so a process that ends leaves nothing half written,
    /// and several processes can use one folder. A damaged file is removed. Only the user can read the files, and they
    /// contain no credentials.
    public final class DirectoryStore: CacheStore {
        let folder: Folder

        /// Creates a store. The folder is created when the first response is stored.
        ///
        /// - Parameters:
        ///   - url: The folder. Use it for nothing else.
        ///   - bytes: The maximum size of all responses.
        public init(_ url: URL, bytes: Int) {
            folder = Folder(url.path, limit: Int64(bytes))
        }

        /// Returns an entry.
        public func entry(_ name: String) throws -> Entry? {
            guard let path = folder.path(of: name), let file = try File.reading(path) else { return nil }
            var opened = try OpenEntry(file, path)
            // A second look, because another process may just be updating the response.
            if opened == nil { opened = try OpenEntry(file, path) }
            guard let opened else {
                File.remove(path)
                return nil
            }
            return opened.entry
        }

        /// Returns the names of all entries that start with a prefix.
        public func names(startingWith prefix: String) -> [String] { folder.names(startingWith: prefix) }

        /// Begins an entry.
        public func write(_ response: StoredResponse, to name: String) throws -> any CacheWriter {
            guard let path = folder.path(of: name) else { throw StoreError.name }
            return try EntryWriter(folder, path, response)
        }

        /// Replaces the response of an entry in its file, or removes the file.
        public func update(_ name: String, to response: StoredResponse?) async throws {
            guard let path = folder.path(of: name) else { return }
            guard let response else { return File.remove(path) }
            guard let file = try File.updating(path), let opened = try OpenEntry(file, path),
                opened.response.isSame(as: response)
            else { return }
            if let head = opened.format.head(response.text) { return try file.write(head, at: 0) }
            let writer = try EntryWriter(folder, path, response)
            let body = opened.body(0..<opened.format.bodyLength)
            while let chunk = try await body.nextChunk() { try writer.append(chunk) }
            try writer.finish(response)
        }
    }
}

extension CacheStore where Self == HTTPCache.DirectoryStore {
    /// A store in a folder, which forgets the least recently used responses.
    ///
    /// - Parameters:
    ///   - url: The folder. Use it for nothing else.
    ///   - bytes: The maximum size of all responses.
    public static func directory(_ url: URL, _ bytes: Int) -> HTTPCache.DirectoryStore {
        HTTPCache.DirectoryStore(url, bytes: bytes)
    }
}

/// The file of an entry that is being read.
struct OpenEntry: Sendable {
    let format: EntryFormat
    let response: HTTPCache.StoredResponse
    private let file: File
    private let path: String
    /// The whole body, if it is small.
    private let body: Data?

    private static let readLength = 16 << 10

    /// Reads the start of a file. Returns `nil` if it is damaged.
    init?(_ file: File, _ path: String) throws {
        guard let status = file.status, status.isOwn else { return nil }
        if Int(Date().timeIntervalSince1970) - status.lastUse > 60 { file.touch() }
        var start = try file.read(Int(min(status.length, Int64(OpenEntry.readLength))), at: 0)
        guard var found = EntryFormat.read(start, fileLength: status.length) else { return nil }
        if found.text == nil {
            start = try file.read(found.textEnd, at: 0)
            guard let complete = EntryFormat.read(start, fileLength: status.length) else { return nil }
            found = complete
        }
        guard let text = found.text, let response = HTTPCache.StoredResponse(text: text),
            response.length == found.format.bodyLength
        else { return nil }
        body = Int64(start.count) == status.length ? start.dropFirst(Int(found.format.bodyOffset)) : nil
        if let body {
            var checksum = Checksum()
            checksum.add(body)
            guard checksum.value == found.format.bodyChecksum else { return nil }
        }
        (format, self.response, self.file, self.path) = (found.format, response, file, path)
    }

    var entry: HTTPCache.Entry { HTTPCache.Entry(response) { range in body(range) } }

    func body(_ range: Range<Int64>) -> ResponseBody {
        if let body { return ResponseBody(body.part(range)) }
        let checksum = range == 0..<format.bodyLength ? format.bodyChecksum : nil
        let bytes = (format.bodyOffset + range.lowerBound)..<(format.bodyOffset + range.upperBound)
        return ResponseBody(source: StoredFile(file, bytes, checksum, path))
    }
}
