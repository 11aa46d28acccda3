#if canImport(Glibc)
import Glibc

extension Socket {
    static func newStream() -> Int32 {
        socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    }

    static func acceptOne(_ listener: Int32) -> Int32 {
        let descriptor = Glibc.accept(listener, nil, nil)
        if descriptor >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        return descriptor
    }

    static func noSignal(_ descriptor: Int32) {}

    static func sendWithoutSignal(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, waiting: Bool) -> Int {
        let flags = Int32(MSG_NOSIGNAL) | (waiting ? 0 : Int32(MSG_DONTWAIT))
        return Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags)
    }

    static func shutDown(_ descriptor: Int32) {
        Glibc.shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Refuses connections from now on, and ends the accepting.
    static func stopListening(_ listener: Int32) {
        shutDown(listener)
    }

    static func close(_ descriptor: Int32) {
        Glibc.close(descriptor)
    }
}
#endif
