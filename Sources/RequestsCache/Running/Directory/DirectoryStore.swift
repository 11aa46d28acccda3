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
        private let folder: Folder

        init(_ url: URL, bytes: Int) {
            folder = Folder(url.path, limit: Int64(bytes))
        }

        /// Returns an entry.
        public func entry(_ name: String) throws -> Entry? {
            guard let file = try folder.path(of: name).flatMap({ try EntryFile.open($0) }) else { return nil }
            return Entry(file.response) { range in file.body(range) }
        }

        /// Returns the names of all entries that start with a prefix.
        public func names(startingWith prefix: String) -> [String] { folder.names(startingWith: prefix) }

        /// Begins an entry.
        public func write(_ response: StoredResponse, to name: String) throws -> any CacheWriter {
            guard let path = folder.path(of: name) else { throw StoreError.name }
            return try EntryWriter(folder, path)
        }

        /// Replaces the response of an entry in its file, or removes the file.
        public func update(_ name: String, to response: StoredResponse?) throws {
            guard let path = folder.path(of: name) else { return }
            guard let response else { return File.remove(path) }
            guard let file = try EntryFile.open(path, isChanged: true), file.response.isSame(as: response) else {
                return
            }
            try file.update(to: response)
        }
    }
}

extension CacheStore where Self == HTTPCache.DirectoryStore {
    /// A store in a folder, which forgets the least recently used responses. The folder is created when the first
    /// response is stored.
    ///
    /// - Parameters:
    ///   - url: The folder. Use it for nothing else.
    ///   - bytes: The maximum size of all responses.
    public static func directory(_ url: URL, _ bytes: Int) -> HTTPCache.DirectoryStore {
        HTTPCache.DirectoryStore(url, bytes: bytes)
    }
}
