import Requests
import RequestsClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Writes the file of an entry under another name, and moves it when it is complete.
final class EntryWriter: CacheWriter {
    private struct State {
        var length: Int64 = 0
        var checksum = Checksum()
        var isOpen = true
    }

    private let folder: Folder
    private let path: String
    private let temporaryPath: String
    private let file: File
    private let state = Locked(State())

    init(_ folder: Folder, _ path: String) throws {
        (self.folder, self.path) = (folder, path)
        temporaryPath = Folder.temporaryPath(for: path)
        if let created = try File.creating(temporaryPath) {
            file = created
            return
        }
        folder.make(for: path)
        guard let created = try File.creating(temporaryPath) else { throw HTTPCache.StoreError.folder }
        file = created
    }

    deinit { cancel() }

    func append(_ bytes: Data) throws {
        try folder.reserve(Int64(bytes.count))
        try state.withLock { state in
            // Counted first, so that it is released if it fails.
            state.length += Int64(bytes.count)
            try file.write(bytes, at: state.length - Int64(bytes.count))
            state.checksum.add(bytes)
        }
    }

    func finish(_ response: HTTPCache.StoredResponse) throws {
        try state.withLock { state in
            let line = try EntryFile.line(response, state.checksum.value)
            try folder.add(state.length + Int64(line.count))
            try file.write(line, at: state.length)
            try File.move(temporaryPath, to: path)
            folder.release(state.length)
            state.isOpen = false
        }
    }

    func cancel() {
        state.withLock { state in
            guard state.isOpen else { return }
            state.isOpen = false
            File.remove(temporaryPath)
            folder.release(state.length)
        }
    }
}
