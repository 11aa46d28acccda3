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
    private let capacity: Int
    private let file: File
    private let state = Locked(State())

    init(_ folder: Folder, _ path: String, _ response: HTTPCache.StoredResponse) throws {
        self.folder = folder
        self.path = path
        capacity = EntryFormat.capacity(for: response.text)
        temporaryPath = Folder.temporaryPath(for: path)
        var created = try File.creating(temporaryPath)
        if created == nil {
            folder.make(for: path)
            created = try File.creating(temporaryPath)
        }
        guard let created else { throw HTTPCache.StoreError.folder }
        file = created
        do {
            try folder.reserve(Int64(EntryFormat.preambleLength + capacity))
        } catch {
            File.remove(temporaryPath)
            throw error
        }
    }

    deinit { drop() }

    func append(_ bytes: Data) throws {
        try folder.reserve(Int64(bytes.count))
        try state.withLock { state in
            let offset = Int64(EntryFormat.preambleLength + capacity) + state.length
            // Counted first, so that it is released if it fails.
            state.length += Int64(bytes.count)
            try file.write(bytes, at: offset)
            state.checksum.add(bytes)
        }
    }

    func finish(_ response: HTTPCache.StoredResponse) throws {
        try state.withLock { state in
            let format = EntryFormat(
                capacity: capacity,
                bodyLength: state.length,
                bodyChecksum: state.checksum.value
            )
            guard let head = format.head(response.text) else { throw HTTPCache.StoreError.full }
            if state.length == 0 { try file.write(Data([0]), at: format.bodyOffset - 1) }
            try file.write(head, at: 0)
            folder.add(format.fileLength)
            try File.move(temporaryPath, to: path)
            state.isOpen = false
            folder.release(format.fileLength)
        }
    }

    func cancel() { drop() }

    private func drop() {
        let length = state.withLock { state -> Int64? in
            defer { state.isOpen = false }
            return state.isOpen ? state.length : nil
        }
        guard let length else { return }
        File.remove(temporaryPath)
        folder.release(Int64(EntryFormat.preambleLength + capacity) + length)
    }
}
