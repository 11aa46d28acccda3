#if !canImport(Darwin)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension FileStatus {
    static func modification(_ status: stat) -> Int { status.st_mtim.tv_sec }
}
#endif
