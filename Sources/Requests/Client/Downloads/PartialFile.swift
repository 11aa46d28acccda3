import Foundation

/// A file that is being received: beside the one it is to become, until all of it is there.
///
/// One that is kept has a name that the next download of the file finds. So does another one at the same time, which a
/// lock keeps out. All others have names of their own.
struct PartialFile: Sendable {
    private let destination: URL
    private let file: URL
    /// Holds what the server calls the version that the file is a part of, and of what URL.
    private let versionFile: URL
    private let isKept: Bool
    /// Has the lock, until it is closed; `nil` before ``claim()``.
    private var handle: FileHandle?

    init(for destination: URL, isKept: Bool) {
        self.destination = destination
        self.isKept = isKept
        let own = isKept ? "" : ".\(UUID().uuidString.prefix(8))"
        let name = ".\(PartialFile.stem(of: destination.lastPathComponent))\(own).partial"
        let directory = destination.deletingLastPathComponent()
        self.file = directory.appendingPathComponent(name)
        self.versionFile = directory.appendingPathComponent(name + "-version")
    }

    /// A name that has room for more: a file system takes 255 bytes.
    private static func stem(of name: String) -> String {
        guard name.utf8.count > 200 else { return name }
        let digest = SHA2.sha256(Array(name.utf8)).prefix(16)
        return digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// Opens the file for this download alone.
    ///
    /// - Returns: Whether that is so; `false` where another download has it.
    mutating func claim() throws -> Bool {
        guard let descriptor = try openFile() else { return false }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        // Some file systems have no locks: there nobody is kept out.
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK { return false }
        // Between the two calls another download may have put it in its place, or removed it.
        var (opened, named) = (stat(), stat())
        guard fstat(descriptor, &opened) == 0, lstat(file.path, &named) == 0,
            opened.st_ino == named.st_ino, opened.st_dev == named.st_dev
        else { return false }
        self.handle = handle
        return true
    }

    /// Opens the file that an earlier download has left, or makes one.
    ///
    /// In a directory of others, such as that of temporary files, somebody may have put something else there under the
    /// name: that is removed.
    ///
    /// - Returns: `nil` where another download has just made it.
    private func openFile() throws -> Int32? {
        // What is written goes to the end, wherever that is: a file that somebody else makes shorter gets no hole.
        let flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        if isKept {
            let descriptor = open(file.path, flags)
            var reason = errno
            if descriptor >= 0 {
                var status = stat()
                if fstat(descriptor, &status) == 0, PartialFile.isOwn(status) { return descriptor }
                close(descriptor)
                reason = EPERM
            }
            guard reason == ENOENT || unlink(file.path) == 0 else { throw PartialFile.systemError(reason) }
        }
        let descriptor = open(file.path, flags | O_CREAT | O_EXCL, 0o666)
        if descriptor < 0, errno == EEXIST { return nil }
        guard descriptor >= 0 else { throw PartialFile.systemError() }
        return descriptor
    }

    /// Whether it is a file of this user alone, under one name.
    private static func isOwn(_ status: stat) -> Bool {
        status.st_mode & S_IFMT == S_IFREG && status.st_uid == geteuid() && status.st_nlink == 1
    }

    /// How much of a URL's file is there and of what version; `nil` where there is nothing to go on with.
    func start(of url: RequestURL) -> (count: Int64, validator: String)? {
        var status = stat()
        guard let count, count > 0, lstat(versionFile.path, &status) == 0, PartialFile.isOwn(status),
            let version = try? String(contentsOf: versionFile, encoding: .utf8)
        else { return nil }
        let lines = version.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count == 2, !lines[0].isEmpty, ASCII.isFieldValue(lines[0]),
            lines[1] == PartialFile.digest(of: url)
        else { return nil }
        return (count, lines[0])
    }

    /// How many bytes are there; `nil` where that cannot be told.
    var count: Int64? {
        (try? handle?.seekToEnd()).map { Int64($0) }
    }

    /// Makes ready for bytes that replace what is there.
    ///
    /// - Parameters:
    ///   - url: What they are a part of.
    ///   - validator: What the server calls this version; `nil` where it cannot be continued later.
    func begin(_ url: RequestURL, validator: String?) throws {
        try handle?.truncate(atOffset: 0)
        try? FileManager.default.removeItem(at: versionFile)
        if let validator {
            try Data("\(validator)\n\(PartialFile.digest(of: url))".utf8).write(to: versionFile, options: .atomic)
        }
    }

    func append(_ data: Data) throws {
        try handle?.write(contentsOf: data)
    }

    /// Puts the file in its place, in one step.
    func finish() throws {
        guard rename(file.path, destination.path) == 0 else { throw PartialFile.systemError() }
        try? FileManager.default.removeItem(at: versionFile)
        // Only now: until it has its place nobody else may write it.
        try? handle?.close()
    }

    /// Forgets what is there.
    func clear() {
        try? handle?.truncate(atOffset: 0)
        try? FileManager.default.removeItem(at: versionFile)
    }

    /// Leaves what the next download can go on with, and nothing else.
    func leave() {
        guard let handle else { return }
        if !isKept || count == 0 || !FileManager.default.fileExists(atPath: versionFile.path) {
            try? FileManager.default.removeItem(at: file)
            try? FileManager.default.removeItem(at: versionFile)
        }
        try? handle.close()
    }

    /// The reason of the system's last refusal.
    private static func systemError(_ reason: Int32 = errno) -> POSIXError {
        POSIXError(POSIXErrorCode(rawValue: reason) ?? .EIO)
    }

    /// Tells URLs apart. They are not written down themselves: their queries may hold secrets.
    private static func digest(of url: RequestURL) -> String {
        Data(SHA2.sha256(Array(url.text.utf8))).base64EncodedString()
    }
}
