/// What the system says about a file.
package struct FileStatus {
    /// The size in bytes.
    package let length: Int64
    /// When the file was last changed, or marked as used.
    package let modified: Date
    /// Whether it is a regular file of this user without other hard links.
    package let isOwn: Bool

    package init(_ status: stat) {
        length = Int64(status.st_size)
        let time = FileStatus.modified(status)
        modified = Date(timeIntervalSince1970: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
        isOwn = status.st_mode & S_IFMT == S_IFREG && status.st_uid == geteuid() && status.st_nlink == 1
    }

    /// Returns `nil` if there is no file. Doesn't follow a symbolic link.
    package init?(_ path: String) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Whether there is a folder that only this user can change.
    ///
    /// - Throws: `EPERM` if there is one that others can change.
    package static func isSafeFolder(_ path: String) throws(POSIXError) -> Bool {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            guard errno == ENOENT else { throw .last }
            return false
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw POSIXError(.ENOTDIR) }
        guard status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else { throw POSIXError(.EPERM) }
        return true
    }

    /// Removes a file, if there is one.
    package static func remove(_ path: String) throws(POSIXError) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw .last }
    }
}
