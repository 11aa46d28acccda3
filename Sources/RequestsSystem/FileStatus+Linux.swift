#if !canImport(Darwin)
#if canImport(Musl)
import Musl
#else
import Glibc
#endif

extension FileStatus {
    static func modified(_ status: stat) -> timespec { status.st_mtim }
}
#endif
