#if canImport(Glibc) && !canImport(Darwin)
import Glibc

extension Socket {
    /// The type of a TCP socket. Glibc declares the constants as an enumeration.
    static let streamType = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
}
#endif
