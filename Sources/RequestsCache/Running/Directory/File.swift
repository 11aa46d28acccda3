#if canImport(FoundationEssentials)
import FoundationEssentials
import RequestsSystem
#else
import Foundation
#endif

/// An open file, which is closed when it is dropped.
final class File: Sendable {
    private let descriptor: Int32

    private init?(_ path: String, _ flags: Int32) throws(HTTPCache.StoreError) {
        descriptor = unsafe open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if descriptor < 0, errno == ENOENT { return nil }
        guard descriptor >= 0 else { throw .system(errno) }
    }

    deinit { close(descriptor) }

    /// Opens a file to read it, or to change it as well. Returns `nil` if it doesn't exist.
    static func opening(_ path: String, isChanged: Bool) throws(HTTPCache.StoreError) -> File? {
        try File(path, isChanged ? O_RDWR : O_RDONLY)
    }

    /// Creates a file that only its owner can use. Returns `nil` if its folder doesn't exist.
    static func creating(_ path: String) throws(HTTPCache.StoreError) -> File? {
        try File(path, O_RDWR | O_CREAT | O_EXCL)
    }

    var status: FileStatus? {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 ? FileStatus(status) : nil
    }

    /// Reads up to a number of bytes. Returns fewer at the end of the file.
    func read(_ count: Int, at offset: Int64) throws(HTTPCache.StoreError) -> Data {
        var data = Data(count: count)
        var length = 0
        while length < count {
            let result = unsafe data.withUnsafeMutableBytes { bytes in
                unsafe pread(
                    descriptor,
                    bytes.baseAddress?.advanced(by: length),
                    count - length,
                    off_t(offset) + off_t(length)
                )
            }
            if result < 0, errno == EINTR { continue }
            guard result >= 0 else { throw .system(errno) }
            if result == 0 { break }
            length += result
        }
        return length == count ? data : data.prefix(length)
    }

    /// Writes all bytes.
    func write(_ data: Data, at offset: Int64) throws(HTTPCache.StoreError) {
        var written = 0
        while written < data.count {
            let result = unsafe data.withUnsafeBytes { bytes in
                unsafe pwrite(
                    descriptor,
                    bytes.baseAddress?.advanced(by: written),
                    bytes.count - written,
                    off_t(offset) + off_t(written)
                )
            }
            if result < 0, errno == EINTR { continue }
            guard result > 0 else { throw .system(result == 0 ? EIO : errno) }
            written += result
        }
    }

    /// Marks the file as used now.
    func touch() { _ = futimens(descriptor, nil) }

    /// Moves a file over another one, atomically.
    static func move(_ path: String, to other: String) throws(HTTPCache.StoreError) {
        guard unsafe rename(path, other) == 0 else { throw .system(errno) }
    }

    static func remove(_ path: String) { unsafe _ = unlink(path) }

    /// Makes a folder that only its owner can use, and the folders around it.
    static func makeFolder(_ path: String) {
        try? FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    /// Takes a folder from others than its owner.
    static func protectFolder(_ path: String) { unsafe _ = chmod(path, 0o700) }

    static func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }

    static func status(_ path: String) -> FileStatus? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? FileStatus(status) : nil
    }
}

/// What a directory says about a file.
struct FileStatus {
    let length: Int64
    /// In seconds since 1970.
    let lastUse: Int
    /// Whether it is a regular file of this user.
    let isOwn: Bool

    init(_ status: stat) {
        length = Int64(status.st_size)
        lastUse = FileStatus.modification(status)
        isOwn = status.st_mode & S_IFMT == S_IFREG && status.st_uid == geteuid()
    }
}
