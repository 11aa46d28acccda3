import RequestsSystem

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a directory says about a file.
struct File {
    let length: Int64
    /// In seconds since 1970.
    let lastUse: Int
    /// Whether it is a regular file of this user.
    let isOwn: Bool

    init(_ status: stat) {
        length = Int64(status.st_size)
        lastUse = File.modification(status)
        isOwn = status.st_mode & S_IFMT == S_IFREG && status.st_uid == geteuid()
    }

    /// Returns `nil` if there is no file.
    init?(_ path: String) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    static func remove(_ path: String) throws {
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw POSIXError.last }
    }
}
