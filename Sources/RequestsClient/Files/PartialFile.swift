import Requests
import RequestsSystem

/// The file that a download writes, next to its destination, until it is complete.
///
/// If it is kept, its name depends only on the destination, so that the next download finds it. A lock keeps out other
/// downloads that run at the same time. Otherwise the name is unique.
struct PartialFile: Sendable {
    private let destination: URL
    /// Where the bytes are until the file is complete.
    let file: URL
    /// Contains the validator of the file's version, a digest of its URL, and its size if the server told it.
    private let versionFile: URL
    private let isKept: Bool
    /// The open file, which holds the lock until it is closed. `nil` before ``claim()``.
    private var handle: OpenFile?

    init(for destination: URL, isKept: Bool) {
        self.destination = destination
        self.isKept = isKept
        let own = isKept ? "" : ".\(UUID().uuidString.prefix(8))"
        let name = ".\(PartialFile.stem(of: destination.lastPathComponent))\(own).partial"
        let directory = destination.deletingLastPathComponent()
        self.file = directory.appendingPathComponent(name)
        self.versionFile = directory.appendingPathComponent(name + "-version")
    }

    /// Returns a name that leaves room for suffixes, because file systems limit names to 255 bytes.
    private static func stem(of name: String) -> String {
        guard name.utf8.count > 200 else { return name }
        return SHA2.sha256(Array(name.utf8)).prefix(16).hexadecimal
    }

    /// Opens and locks the file.
    ///
    /// - Returns: `false` if another download has the file.
    mutating func claim() throws -> Bool {
        guard let handle = try openFile(), handle.lock(at: file.path) else { return false }
        self.handle = handle
        return true
    }

    /// Opens the file of an earlier download, or creates it.
    ///
    /// Anything else with this name is removed, because other users may create files in a shared directory.
    ///
    /// - Returns: `nil` if another download just created the file.
    private func openFile() throws(POSIXError) -> OpenFile? {
        // Appends, so that the file gets no hole if another process truncates it.
        let flags = O_WRONLY | O_APPEND
        do throws(POSIXError) {
            if isKept, let earlier = try OpenFile.existing(file.path, flags) {
                guard earlier.status.map(FileStatus.init)?.isOwn == true else { throw POSIXError(.EACCES) }
                fchmod(earlier.descriptor, 0o600)
                return earlier
            }
        } catch {
            // After another error, such as too many open files, the file may be that of a running download.
            guard error.code == .EACCES || FileStatus(file.path)?.isOwn == false else { throw error }
            try FileStatus.remove(file.path)
        }
        do {
            return try OpenFile(file.path, flags | O_CREAT | O_EXCL)
        } catch {
            guard error.code == .EEXIST else { throw error }
            return nil
        }
    }

    /// Returns what can be continued for the URL. `nil` if there is nothing.
    func resumption(for url: RequestURL) -> DownloadResumption? {
        guard let count, count > 0, FileStatus(versionFile.path)?.isOwn == true,
            let version = try? String(contentsOf: versionFile, encoding: .utf8)
        else { return nil }
        let lines = version.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count == 3, !lines[0].isEmpty, ASCII.isFieldValue(lines[0]),
            lines[1] == PartialFile.digest(of: url)
        else { return nil }
        return DownloadResumption(count: count, validator: lines[0], total: Int64(lines[2]))
    }

    /// The size of the file. `nil` if it is unknown.
    var count: Int64? {
        handle?.status.map { Int64($0.st_size) }
    }

    /// Empties the file for a new version.
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - validator: The version's validator. `nil` if the file can't be continued later.
    ///   - total: The size of the whole file. `nil` if it is unknown.
    func begin(_ url: RequestURL, validator: String?, total: Int64?) throws {
        try handle?.truncate()
        try? FileManager.default.removeItem(at: versionFile)
        if let validator {
            let version = "\(validator)\n\(PartialFile.digest(of: url))\n\(total.map { "\($0)" } ?? "")"
            try Data(version.utf8).write(to: versionFile, options: .atomic)
        }
    }

    func append(_ data: Data) throws { try handle?.write(data) }

    /// Moves the file to its destination atomically.
    func finish() throws {
        if let handle { fchmod(handle.descriptor, newFileMode) }
        guard unsafe rename(file.path, destination.path) == 0 else { throw POSIXError.last }
        try? FileManager.default.removeItem(at: versionFile)
        // Released last.
        release()
    }

    /// The permissions of a new file in the directory. Only the system knows them without changing the process's mask.
    private var newFileMode: mode_t {
        let probe = file.path + ".mode"
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
        guard let created = try? OpenFile(probe, flags, mode: 0o666) else { return 0o600 }
        defer { unsafe unlink(probe) }
        return created.status.map { $0.st_mode & 0o777 } ?? 0o600
    }

    /// Discards the bytes and the version.
    func clear() {
        try? handle?.truncate()
        try? FileManager.default.removeItem(at: versionFile)
    }

    /// Closes the file. Removes it, unless it can be continued later.
    func leave() {
        guard handle != nil else { return }
        if !isKept || count == 0 || !FileManager.default.fileExists(atPath: versionFile.path) {
            try? FileManager.default.removeItem(at: file)
            try? FileManager.default.removeItem(at: versionFile)
        }
        release()
    }

    private func release() { handle?.unlock() }

    /// A digest of the URL, which isn't stored itself because its query may contain secrets.
    private static func digest(of url: RequestURL) -> String {
        Data(SHA2.sha256(Array(url.text.utf8))).base64EncodedString()
    }
}

/// The body of a download, which is complete in its partial file.
final class FinishedFile: ResponseBodySource {
    private enum State {
        case unread
        case reading(OpenFile)
        case read
        case canceled
    }

    private let file: URL
    private let state = Locked(State.unread)

    init(_ file: URL) { self.file = file }

    @concurrent
    func next() async throws -> Data? {
        try state.withLock { state in
            let open: OpenFile
            switch state {
            case .unread: open = try OpenFile(file.path)
            case .reading(let reading): open = reading
            case .read: return nil
            case .canceled: throw CancellationError()
            }
            let chunk = try open.read(upTo: 64 << 10)
            state = chunk == nil ? .read : .reading(open)
            return chunk
        }
    }

    func cancel() {
        state.withLock { state in
            if case .read = state { return }
            state = .canceled
        }
    }

    var trailers: Header? { nil }
    var isComplete: Bool { true }
    var isRead: Bool { state.withLock { if case .read = $0 { true } else { false } } }
}

extension ResponseBody {
    /// Whether the body is the finished file of a download, read or not.
    var isFinishedFile: Bool { source is FinishedFile }
}
