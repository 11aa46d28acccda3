#if canImport(Darwin)
import Darwin

extension Socket {
    /// Creates a TCP socket.
    package static func newStream() -> Int32 {
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return descriptor
    }

    static func acceptOne(_ listener: Int32) -> Int32 {
        let descriptor = Darwin.accept(listener, nil, nil)
        if descriptor >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        return descriptor
    }

    static func disableBrokenPipeSignal(_ descriptor: Int32) {
        var on: Int32 = 1
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    static func sendWithoutSignal(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, waiting: Bool) -> Int {
        unsafe Darwin.send(descriptor, bytes.baseAddress, bytes.count, waiting ? 0 : MSG_DONTWAIT)
    }

    /// Refuses new connections and ends a pending `accept`, which on Darwin only closing the socket does.
    static func stopListening(_ listener: Int32) {
        // Replaces the socket with a file, so that the descriptor isn't reused before the accepting thread closes it.
        let replacement = unsafe Darwin.open("/dev/null", O_RDONLY | O_CLOEXEC)
        dup2(replacement, listener)
        Darwin.close(replacement)
    }

    static func close(_ descriptor: Int32) {
        Darwin.close(descriptor)
    }
}
#endif
