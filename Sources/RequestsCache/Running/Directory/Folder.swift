import Requests
import RequestsClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The folder of a store: one folder for each of 256 starts of names, and the size of all files.
final class Folder: Sendable {
    private struct State {
        /// The size of all entries, as far as this process knows.
        var size: Int64 = 0
        /// The size of the bodies that this process is writing.
        var pending: Int64 = 0
        /// The bytes that may be written before the files are counted, because other processes write as well.
        var uncounted: Int64 = 0
    }

    private let path: String
    private let limit: Int64
    private let state = Locked(State())

    /// After this time a file under a temporary name belongs to a process that has ended.
    private static let abandonment = 3600

    init(_ path: String, limit: Int64) {
        self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        self.limit = limit
    }

    /// Returns the path of an entry. `nil` if it isn't a name of an entry.
    func path(of name: String) -> String? {
        if name == HTTPCache.keyName { return "\(path)/\(name)" }
        let isName = name.utf8.allSatisfy { $0.isDigit || $0 &- 97 < 6 || $0 == 45 || $0 == 46 }
        return isName && name.utf8.count > 2 && name.utf8.prefix(2).allSatisfy { $0 != 45 && $0 != 46 }
            ? "\(path)/\(name.prefix(2))/\(name)" : nil
    }

    static func temporaryPath(for path: String) -> String {
        let folder = path.prefix(through: path.lastIndex(of: "/") ?? path.startIndex)
        return "\(folder).\(String(UInt64.random(in: .min ... .max), radix: 16))"
    }

    /// Makes the folder of an entry.
    func make(for entryPath: String) {
        guard let slash = entryPath.lastIndex(of: "/") else { return }
        File.makeFolder(String(entryPath[..<slash]))
        File.protectFolder(path)
    }

    func names(startingWith prefix: String) -> [String] {
        let starts = prefix.utf8.count >= 2 ? [String(prefix.prefix(2))] : starts
        return starts.flatMap { File.names(in: "\(path)/\($0)") }.filter { $0.hasPrefix(prefix) && !$0.hasPrefix(".") }
    }

    private var starts: [String] { File.names(in: path).filter { $0.utf8.count == 2 } }

    /// Takes room for bytes that are written next.
    ///
    /// A body that doesn't fit must not remove the ones that do, so they make room only when it is complete.
    func reserve(_ count: Int64) throws(HTTPCache.StoreError) {
        let isReserved = state.withLock { state in
            guard state.pending + count <= limit else { return false }
            state.pending += count
            return true
        }
        guard isReserved else { throw .full }
    }

    func release(_ count: Int64) { state.withLock { $0.pending -= count } }

    /// Makes room for a complete entry, from the least recently used ones if necessary.
    func add(_ length: Int64) throws(HTTPCache.StoreError) {
        guard length <= limit else { throw .full }
        let (isFull, mustCount) = state.withLock { state in
            state.size += length
            state.uncounted -= length
            let mustCount = state.uncounted < 0
            if mustCount { state.uncounted = limit / 8 }
            return (state.size > limit, mustCount)
        }
        if isFull {
            makeRoom(for: length)
        } else if mustCount {
            // In the background, because it takes a while.
            Task.detached { [self] in makeRoom(for: 0) }
        }
    }

    /// Counts the entries, and removes the least recently used ones if there is too little room.
    private func makeRoom(for length: Int64) {
        let before = state.withLock { $0.size }
        var files: [(name: String, status: FileStatus)] = []
        visit { files.append(($0, $1)) }
        var size = files.reduce(length) { $0 + $1.status.length }
        if size > limit - limit / 8 || before > limit {
            files.sort { $0.status.lastUse < $1.status.lastUse }
            for (name, status) in files where size > limit - limit / 8 {
                File.remove("\(path)/\(name.prefix(2))/\(name)")
                size -= status.length
            }
        }
        // Entries that were added meanwhile may or may not be counted.
        state.withLock { $0.size = size + max(0, $0.size - before) }
    }

    /// Visits the files of this user's entries. Removes abandoned temporary files.
    private func visit(_ body: (_ name: String, _ status: FileStatus) -> Void) {
        let now = Int(Date().timeIntervalSince1970)
        for start in starts {
            for name in File.names(in: "\(path)/\(start)") {
                let path = "\(path)/\(start)/\(name)"
                guard let status = File.status(path), status.isOwn else { continue }
                if !name.hasPrefix(".") {
                    body(name, status)
                } else if now - status.lastUse > Folder.abandonment {
                    File.remove(path)
                }
            }
        }
    }
}
