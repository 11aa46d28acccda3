#if canImport(Darwin)
import Darwin

extension File {
    static func modification(_ status: stat) -> Int { status.st_mtimespec.tv_sec }
}
#endif
