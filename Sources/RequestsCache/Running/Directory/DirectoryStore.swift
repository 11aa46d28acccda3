import Requests
import RequestsClient
import RequestsSystem

extension HTTPCache {
    /// A store in a folder, which forgets the least recently used responses.
    ///
    /// Each response is one file, in a folder for each of 256 starts of names. It gets its name when it is complete,
    /// so several processes can use one folder, and what a process that ends leaves half written is removed later. A
    /// damaged file is removed. Only the user can read the files, and their headers contain no credentials.
    public final class DirectoryStore: CacheStore {
        private let path: String
        let room: Locked<Room>

        init(_ url: URL, bytes: Int) {
            path = url.path
            room = Locked(Room(Int64(bytes)))
        }

        /// Returns an entry.
        public func entry(_ name: String) throws -> Entry? {
            guard let file = try path(of: name).flatMap({ try EntryFile.open($0) }) else { return nil }
            return Entry(file.response) { range in file.body(range) }
        }

        /// Returns the names of all entries that start with a prefix.
        public func names(startingWith prefix: String) -> [String] {
            let starts = prefix.utf8.count >= 2 ? [String(prefix.prefix(2))] : starts
            return starts.flatMap(files).filter { $0.hasPrefix(prefix) && !$0.hasPrefix(".") }
        }

        /// Begins an entry.
        public func write(_ response: StoredResponse, to name: String) throws -> any CacheWriter {
            guard let file = path(of: name), let slash = file.lastIndex(of: "/") else { throw POSIXError(.EINVAL) }
            let folder = String(file[..<slash])
            let temporary = "\(folder)/.\(UInt64.random(in: .min ... .max))"
            if let writer = try? EntryWriter(self, file, temporary) { return writer }
            let mode: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
            let url = URL(filePath: folder)
            try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true, attributes: mode)
            unsafe _ = chmod(path, 0o700)
            return try EntryWriter(self, file, temporary)
        }

        /// Replaces the response of an entry in its file, or removes the file.
        public func update(_ name: String, to response: StoredResponse?) throws {
            guard let path = path(of: name) else { return }
            guard let response else { return try FileStatus.remove(path) }
            guard let file = try EntryFile.open(path, O_RDWR), file.response.isSame(as: response) else { return }
            try file.update(to: response)
        }

        /// Returns the path of an entry. `nil` if it isn't a name of an entry.
        private func path(of name: String) -> String? {
            if name == HTTPCache.keyName { return "\(path)/\(name)" }
            let isName = name.utf8.allSatisfy { $0.isDigit || $0 &- 97 < 6 || $0 == 45 || $0 == 46 }
            return isName && name.utf8.count > 2 && name.utf8.prefix(2).allSatisfy { $0 != 45 && $0 != 46 }
                ? "\(path)/\(name.prefix(2))/\(name)" : nil
        }

        private var starts: [String] { files(in: "").filter { $0.utf8.count == 2 } }

        private func files(in folder: String) -> [String] {
            (try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(folder)")) ?? []
        }

        /// Makes room for a complete entry, from the least recently used ones if necessary.
        func makeRoom(for length: Int64) throws {
            switch try room.withLock({ try $0.add(length) }) {
            case .notNow: break
            case .inBackground: Task.detached { [self] in count(adding: length) }
            case .immediately: count(adding: length)
            }
        }

        /// Adds up the sizes of the entries, and removes the least recently used ones if there is too little room.
        ///
        /// - Parameter length: The length of a completed entry, whose file may not be renamed yet.
        private func count(adding length: Int64) {
            let (limit, completed) = room.withLock { ($0.limit, $0.completed) }
            var entries: [(name: String, file: FileStatus)] = []
            let now = Date()
            for start in starts {
                for name in files(in: start) {
                    guard let file = FileStatus("\(path)/\(start)/\(name)"), file.isOwn else { continue }
                    if !name.hasPrefix(".") {
                        entries.append((name, file))
                    } else if now.timeIntervalSince(file.modified) > 3600 {
                        // It belongs to a process that has ended.
                        try? FileStatus.remove("\(path)/\(start)/\(name)")
                    }
                }
            }
            var size = entries.reduce(length) { $0 + $1.file.length }
            if size > limit {
                entries.sort { $0.file.modified < $1.file.modified }
                for (name, file) in entries where size > limit / 8 * 7 {
                    try? FileStatus.remove("\(path)/\(name.prefix(2))/\(name)")
                    size -= file.length
                }
            }
            room.withLock { [size] in $0.note(size, since: completed) }
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
