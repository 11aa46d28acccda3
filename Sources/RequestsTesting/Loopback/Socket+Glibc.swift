#if canImport(Glibc) && !canImport(Darwin)
import Glibc

extension Socket {
    /// The type of a stream socket, which Glibc declares as an enumeration.
    static let streamType = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
}
#endif
