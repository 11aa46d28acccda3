import RequestsClient
import RequestsSystem

/// Writes the file of an entry under another name, and moves it when it is complete.
final class EntryWriter: CacheWriter {
    private struct State {
        var length: Int64 = 0
        var checksum = Checksum()
        var isOpen = true
    }

    private let store: HTTPCache.DirectoryStore
    private let path: String
    private let temporaryPath: String
    private let file: OpenFile
    private let state = Locked(State())

    init(_ store: HTTPCache.DirectoryStore, _ path: String, _ temporaryPath: String) throws {
        file = try OpenFile(temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
        (self.store, self.path, self.temporaryPath) = (store, path, temporaryPath)
    }

    deinit { cancel() }

    func append(_ bytes: Data) throws {
        try store.room.withLock { try $0.reserve(Int64(bytes.count)) }
        try state.withLock { state in
            state.length += Int64(bytes.count)
            state.checksum.add(bytes)
            try file.write(bytes)
        }
    }

    func finish(_ response: HTTPCache.StoredResponse) throws {
        try state.withLock { state in
            let line = try EntryFile.line(response, state.checksum.value)
            try store.makeRoom(for: state.length + Int64(line.count))
            try file.write(line)
            guard unsafe rename(temporaryPath, path) == 0 else { throw POSIXError.last }
            state.isOpen = false
            store.room.withLock { [length = state.length] in $0.release(length) }
        }
    }

    func cancel() {
        state.withLock { state in
            guard state.isOpen else { return }
            state.isOpen = false
            try? FileStatus.remove(temporaryPath)
            store.room.withLock { [length = state.length] in $0.release(length) }
        }
    }
}
