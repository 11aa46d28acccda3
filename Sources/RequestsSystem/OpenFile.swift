/// An open file, which is closed when it is dropped.
package final class OpenFile: Sendable {
    package let descriptor: Int32

    /// Takes over an open file.
    package init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - flags: The flags of `open`. `O_CLOEXEC` is added.
    ///   - mode: The permissions of a new file. Default: only for its owner.
    package convenience init(_ path: String, _ flags: Int32 = O_RDONLY, mode: mode_t = 0o600) throws(POSIXError) {
        let descriptor = unsafe open(path, flags | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw .last }
        self.init(descriptor: descriptor)
    }

    /// Opens a file, and doesn't wait for the other end of a pipe. Returns `nil` if it doesn't exist.
    package static func existing(_ path: String, _ flags: Int32 = O_RDONLY) throws(POSIXError) -> OpenFile? {
        do {
            return try OpenFile(path, flags | O_NOFOLLOW | O_NONBLOCK)
        } catch {
            guard error.code == .ENOENT else { throw error }
            return nil
        }
    }

    deinit { close(descriptor) }

    /// Reads up to a number of bytes. Returns `nil` at the end of the file.
    ///
    /// - Parameter offset: Where to read. Default: `nil`, after the last read.
    package func read(upTo maximumBytes: Int, at offset: Int64? = nil) throws(POSIXError) -> Data? {
        guard maximumBytes > 0 else { return nil }
        // `Data(count:)` would fill the memory with zeros first.
        guard let bytes = unsafe malloc(maximumBytes) else { throw POSIXError(.ENOMEM) }
        while true {
            let count =
                if let offset {
                    unsafe pread(descriptor, bytes, maximumBytes, off_t(offset))
                } else {
                    unsafe RequestsSystem.read(descriptor, bytes, maximumBytes)
                }
            if count > 0 { return unsafe Data(bytesNoCopy: bytes, count: count, deallocator: .free) }
            if count < 0, errno == EINTR { continue }
            let error = POSIXError.last
            unsafe free(bytes)
            if count < 0 { throw error }
            return nil
        }
    }

    /// Reads to the end of the file, after the last read.
    package func readToEnd() throws(POSIXError) -> Data {
        var data = Data()
        while let chunk = try read(upTo: 64 << 10) { data += chunk }
        return data
    }

    /// Opens a part of a file to read it from start to end.
    ///
    /// - Returns: A function that reads up to a number of bytes, and returns `nil` at the end.
    package static func reading(
        _ path: String,
        from offset: Int64,
        count: Int64
    ) throws -> sending (_ maximumBytes: Int) throws -> Data? {
        let file = try OpenFile(path)
        var position = offset
        return { maximumBytes in
            let rest = Int(clamping: offset + count - position)
            let chunk = try file.read(upTo: min(rest, maximumBytes), at: position)
            position += Int64(chunk?.count ?? 0)
            return chunk
        }
    }

    /// Writes all bytes at the file's position.
    package func write(_ data: Data) throws(POSIXError) {
        var rest = data[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { bytes in
                unsafe RequestsSystem.write(descriptor, bytes.baseAddress, bytes.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .last }
            rest = rest.dropFirst(count)
        }
    }

    /// Makes a pipe.
    package static func pipe() throws(POSIXError) -> (reading: OpenFile, writing: OpenFile) {
        var ends: [Int32] = [-1, -1]
        guard unsafe RequestsSystem.pipe(&ends) == 0 else { throw .last }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (OpenFile(descriptor: ends[0]), OpenFile(descriptor: ends[1]))
    }

    package func truncate() throws(POSIXError) {
        guard ftruncate(descriptor, 0) == 0 else { throw .last }
    }

    /// Locks the file against other processes, and other files that are open in this one, until it is closed.
    ///
    /// - Parameter path: The name of the file.
    /// - Returns: `false` if another one has the lock, or has moved or removed the file before it was locked.
    package func lock(at path: String) -> Bool {
        // Some file systems have no locks, so any other error is ignored.
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK { return false }
        return isNamed(path)
    }

    /// Whether a name leads to this file.
    package func isNamed(_ path: String) -> Bool {
        var named = stat()
        guard let opened = status, unsafe lstat(path, &named) == 0 else { return false }
        return opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
    }

    /// Closing isn't enough while a process that is being started has a copy of the descriptor.
    package func unlock() { flock(descriptor, LOCK_UN) }

    package var status: stat? {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 ? status : nil
    }

    /// Writes text to standard error. Ignores failures, such as a full disk.
    package static func writeToStandardError(_ text: String) {
        let copy = dup(STDERR_FILENO)
        guard copy >= 0 else { return }
        try? OpenFile(descriptor: copy).write(Data(text.utf8))
    }
}

extension Data {
    /// Returns the bytes at positions that count from 0, as far as there are any.
    package func part(_ range: Range<Int64>) -> Data {
        prefix(Int(clamping: range.upperBound)).dropFirst(Int(clamping: range.lowerBound))
    }
}

extension POSIXError {
    /// The last error of the system.
    package static var last: POSIXError { POSIXError(number: errno) }

    init(number: Int32) {
        self.init(POSIXErrorCode(rawValue: number) ?? .EIO)
    }

}

extension Error {
    /// The system's message. `nil` if it isn't an error of the system.
    package var systemMessage: String? {
        let error = self as? POSIXError ?? (self as? CocoaError)?.underlying as? POSIXError
        return error.map { unsafe String(cString: strerror($0.code.rawValue)) }
    }
}
