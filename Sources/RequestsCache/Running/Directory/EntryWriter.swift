import RequestsClient
import RequestsSystem

/// Writes the file of an entry under another name, and moves it when it is complete.
actor EntryWriter: CacheWriter {
    private let store: HTTPCache.DirectoryStore
    private let name: String
    private let path: String
    private let temporaryPath: String
    private let file: OpenFile
    private var length: Int64 = 0
    private var checksums = Checksums()

    init(_ store: HTTPCache.DirectoryStore, _ name: String, _ path: String, _ temporaryPath: String) throws {
        file = try OpenFile(temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
        (self.store, self.name, self.path, self.temporaryPath) = (store, name, path, temporaryPath)
    }

    deinit {
        let length = length
        try? FileStatus.remove(temporaryPath)
        store.room.withLock { $0.release(length) }
    }

    func append(_ bytes: Data) throws {
        try store.room.withLock { try $0.reserve(Int64(bytes.count)) }
        length += Int64(bytes.count)
        checksums.add(bytes)
        try file.write(bytes)
    }

    func finish(_ response: HTTPCache.StoredResponse) throws {
        let line = try EntryFile.text(of: .init(name: name, response: response, checksums: checksums.values))
        try store.makeRoom(for: length + Int64(line.count))
        try file.write(line)
        guard unsafe rename(temporaryPath, path) == 0 else { throw POSIXError.last }
    }
}
