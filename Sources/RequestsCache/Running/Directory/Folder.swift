import Foundation
import Requests
import RequestsClient

/// The folder of a store: one folder for each of 256 starts of names, and the size of all files.
final class Folder: Sendable {
    private struct State {
        /// The size of all files, as far as this process knows.
        var size: Int64 = 0
        /// The bytes written since the files were counted, because other processes write as well.
        var uncounted: Int64 = .max
        var isCounting = false
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
        return starts.flatMap { files(in: $0) }.filter { $0.hasPrefix(prefix) && !$0.hasPrefix(".") }
    }

    private var starts: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.filter { $0.utf8.count == 2 }
    }

    private func files(in start: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(start)")) ?? []
    }

    /// Takes room for bytes that are written next, from the least recently used files if necessary.
    func reserve(_ count: Int64) throws(HTTPCache.StoreError) {
        let (isFull, mustCount) = state.withLock { state in
            state.size += count
            let isFirst = state.uncounted == .max
            state.uncounted = isFirst ? 0 : state.uncounted + count
            let mustCount = !state.isCounting && (isFirst || state.uncounted > limit / 8)
            if mustCount { state.isCounting = true }
            return (state.size > limit, mustCount)
        }
        if isFull {
            makeRoom()
        } else if mustCount {
            // In the background, because it takes a while.
            Task.detached { [self] in makeRoom() }
        }
        guard state.withLock({ $0.size > limit }) else { return }
        release(count)
        throw .full
    }

    func release(_ count: Int64) { state.withLock { $0.size -= count } }

    /// Counts the files, and removes the least recently used ones if they take too much room.
    private func makeRoom() {
        let before = state.withLock { $0.size }
        var files: [(lastUse: Int, length: Int64)] = []
        var size: Int64 = 0
        visit { _, status, isTemporary in
            size += status.length
            if !isTemporary { files.append((status.lastUse, status.length)) }
        }
        let goal = limit - limit / 8
        if size > goal || before > limit {
            files.sort { $0.lastUse < $1.lastUse }
            var excess = size - goal
            // Whole seconds: of several files used in the last one, only as many as necessary.
            var lastUse = Int.min
            for file in files where excess > 0 {
                lastUse = file.lastUse
                excess -= file.length
            }
            excess = size - goal
            visit { path, status, isTemporary in
                guard !isTemporary, status.lastUse <= lastUse, excess > 0 else { return }
                File.remove(path)
                excess -= status.length
                size -= status.length
            }
        }
        state.withLock { state in
            // What was reserved meanwhile may or may not be counted.
            state.size = size + max(0, state.size - before)
            state.uncounted = 0
            state.isCounting = false
        }
    }

    /// Visits all files of this user. Removes abandoned ones.
    private func visit(_ body: (_ path: String, _ status: FileStatus, _ isTemporary: Bool) -> Void) {
        let now = Int(Date().timeIntervalSince1970)
        for start in starts {
            for name in files(in: start) {
                let path = "\(path)/\(start)/\(name)"
                guard let status = File.status(path), status.isOwn else { continue }
                let isTemporary = name.hasPrefix(".")
                if isTemporary, now - status.lastUse > Folder.abandonment {
                    File.remove(path)
                } else {
                    body(path, status, isTemporary)
                }
            }
        }
    }
}
