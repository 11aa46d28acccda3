#if canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

#if canImport(Musl) || canImport(Android)
extension Socket {
    /// The type of a TCP socket. Musl and Bionic declare the constants as integers.
    static let streamType = SOCK_STREAM | SOCK_CLOEXEC
}
#endif
