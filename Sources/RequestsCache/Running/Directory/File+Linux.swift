#if !canImport(Darwin)
import RequestsSystem

extension File {
    static func modification(_ status: stat) -> Int { status.st_mtim.tv_sec }
}
#endif
