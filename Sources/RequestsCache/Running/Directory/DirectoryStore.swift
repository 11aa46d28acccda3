import Requests
import RequestsClient
import RequestsSystem

extension HTTPCache {
    /// A store in a folder, which forgets the least recently used responses.
    ///
    /// Each response is one file, in a folder for each of 256 starts of names. It gets its name when it is complete,
    /// so several processes can use one folder, and what a process that ends leaves half written is removed later. A
    /// damaged file is removed, and other files are left alone. Only the user can read the files, and their headers
    /// contain no credentials. A folder that belongs to another user, or that others can change, isn't used.
    public final class DirectoryStore: CacheStore {
        private let path: String
        let room: Locked<CacheSpace>

        init(_ url: URL, bytes: Int) {
            path = url.path
            room = Locked(CacheSpace(Int64(bytes)))
        }

        /// Returns the key, which is in a file.
        public func key() throws -> Data {
            try makeFolder(path)
            let (file, new) = ("\(path)/requests-key", "\(path)/\(DirectoryStore.temporaryName())")
            while true {
                if let stored = try OpenFile.existing(file) {
                    if let key = try stored.read(upTo: 33), key.count == 32 { return key }
                    try FileStatus.remove(file)
                }
                defer { try? FileStatus.remove(new) }
                try OpenFile(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW).write(HTTPCache.randomKey())
                // Another process may have stored its key at the same time. The first one counts.
                guard unsafe link(new, file) == 0 || errno == EEXIST else { throw POSIXError.last }
            }
        }

        /// Returns an entry.
        public func entry(_ name: String) throws -> Entry? {
            let path = try path(of: name)
            guard try FileStatus.isSafeFolder(self.path), let file = try EntryFile.open(path, name) else { return nil }
            return Entry(file.response) { range in file.body(range) }
        }

        /// Returns the names of all entries that start with a prefix.
        public func names(startingWith prefix: String) throws -> [String] {
            guard try FileStatus.isSafeFolder(path) else { return [] }
            let starts = prefix.utf8.count >= 2 ? [String(prefix.prefix(2))] : try starts
            return try starts.flatMap { start in
                try files(in: start).filter { $0.hasPrefix(start) && $0.hasPrefix(prefix) && DirectoryStore.isName($0) }
            }
        }

        /// Begins an entry.
        public func write(_ response: StoredResponse, to name: String) throws -> any CacheWriter {
            let (file, folder) = (try path(of: name), "\(path)/\(name.prefix(2))")
            try makeFolder(folder)
            return try EntryWriter(self, name, file, "\(folder)/\(DirectoryStore.temporaryName())")
        }

        /// Replaces the response of an entry in its file, or removes the file.
        public func update(_ name: String, to response: StoredResponse?) throws {
            let path = try path(of: name)
            guard let response else { return try FileStatus.remove(path) }
            guard try FileStatus.isSafeFolder(self.path), let file = try EntryFile.open(path, name, O_RDWR),
                file.response.isSame(as: response)
            else { return }
            try file.update(to: response)
        }

        /// The size of all entries in bytes.
        public var size: Int64 { entries().reduce(0) { $0 + $1.file.length } }

        // MARK: Files

        /// Returns the path of an entry.
        private func path(of name: String) throws -> String {
            guard DirectoryStore.isName(name) else { throw POSIXError(.EINVAL) }
            return "\(path)/\(name.prefix(2))/\(name)"
        }

        private static func isName(_ name: String) -> Bool {
            let isHexadecimal = { (byte: UInt8) in byte.isDigit || byte &- 97 < 6 }
            let parts = name.utf8.split(separator: 46, omittingEmptySubsequences: false)
            return parts.count == 2 && parts[1].allSatisfy(\.isDigit) && name.utf8.prefix(2).allSatisfy(isHexadecimal)
                && parts[0].count >= 2 && parts[0].allSatisfy { isHexadecimal($0) || $0 == 45 } && !parts[1].isEmpty
        }

        private static let temporaryPrefix = ".requests-"
        private static func temporaryName() -> String { temporaryPrefix + String(UInt64.random(in: .min ... .max)) }

        private func makeFolder(_ folder: String) throws {
            let mode: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true, attributes: mode)
            _ = try FileStatus.isSafeFolder(path)
        }

        private var starts: [String] {
            get throws { try files(in: "").filter { $0.utf8.count == 2 && DirectoryStore.isName("\($0)-.0") } }
        }

        private func files(in folder: String) throws -> [String] {
            let path = "\(path)/\(folder)"
            guard FileManager.default.fileExists(atPath: path) else { return [] }
            return try FileManager.default.contentsOfDirectory(atPath: path)
        }

        /// Returns the files of all entries, and removes those of processes that have ended.
        private func entries() -> [(path: String, file: FileStatus)] {
            let now = Date()
            return (((try? starts) ?? []) + [""]).flatMap { start in
                ((try? files(in: start)) ?? []).compactMap { name -> (String, FileStatus)? in
                    let path = "\(path)/\(start)/\(name)"
                    let isTemporary = name.hasPrefix(DirectoryStore.temporaryPrefix)
                    let isEntry = !start.isEmpty && name.hasPrefix(start) && DirectoryStore.isName(name)
                    guard isTemporary || isEntry, let file = FileStatus(path), file.isOwn else { return nil }
                    if !isTemporary { return (path, file) }
                    if abs(now.timeIntervalSince(file.modified)) > 3600 { try? FileStatus.remove(path) }
                    return nil
                }
            }
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
        /// - Parameter length: The length of a completed entry, whose file may not have its final name yet.
        private func count(adding length: Int64) {
            let (limit, completed) = room.withLock { ($0.limit, $0.completed) }
            var entries = entries()
            var size = entries.reduce(length) { $0 + $1.file.length }
            if size > limit {
                // A date in the future says nothing.
                let now = Date()
                let lastUse = { (file: FileStatus) in file.modified > now ? .distantPast : file.modified }
                entries.sort { lastUse($0.file) < lastUse($1.file) }
                for (path, file) in entries where size > limit / 8 * 7 {
                    try? FileStatus.remove(path)
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
    ///   - url: The folder. It must belong to the user, and others may not change it.
    ///   - bytes: The maximum size of all responses.
    public static func directory(_ url: URL, bytes: Int) -> HTTPCache.DirectoryStore {
        HTTPCache.DirectoryStore(url, bytes: bytes)
    }
}
