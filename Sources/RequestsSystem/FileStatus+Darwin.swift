#if canImport(Darwin)
import Darwin

extension FileStatus {
    static func modified(_ status: stat) -> timespec { status.st_mtimespec }
}
#endif
