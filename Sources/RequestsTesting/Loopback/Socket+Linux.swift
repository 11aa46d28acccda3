#if !canImport(Darwin)
import RequestsSystem

extension Socket {
    /// Creates a TCP socket.
    package static func newStream() -> Int32 {
        socket(AF_INET, streamType, 0)
    }

    static func acceptOne(_ listener: Int32) -> Int32 {
        let descriptor = RequestsSystem.accept(listener, nil, nil)
        if descriptor >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        return descriptor
    }

    static func disableBrokenPipeSignal(_ descriptor: Int32) {}

    static func sendWithoutSignal(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, waiting: Bool) -> Int {
        guard let address = bytes.baseAddress else { return 0 }
        let flags = Int32(MSG_NOSIGNAL) | (waiting ? 0 : Int32(MSG_DONTWAIT))
        return unsafe RequestsSystem.send(descriptor, address, bytes.count, flags)
    }

    /// Refuses new connections and ends a pending `accept`.
    static func stopListening(_ listener: Int32) {
        shutDown(listener)
    }

    static func close(_ descriptor: Int32) {
        RequestsSystem.close(descriptor)
    }
}
#endif
