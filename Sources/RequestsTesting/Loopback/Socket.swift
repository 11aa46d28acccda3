import RequestsSystem

/// Wrappers of the system calls for TCP sockets.
package enum Socket {
    /// Creates a listening socket on a port that the system chooses.
    ///
    /// - Parameter backlog: The maximum number of pending connections, or `nil` to refuse all connections. Default:
    ///   1024.
    static func bindToLoopback(backlog: Int32? = 1024) throws -> (descriptor: Int32, port: UInt16) {
        let descriptor = newStream()
        guard descriptor >= 0 else { throw lastError }
        var address = loopback(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = unsafe withUnsafeMutableBytes(of: &address) { bytes -> Int32 in
            guard let pointer = unsafe bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return -1 }
            guard unsafe bind(descriptor, pointer, length) == 0 else { return -1 }
            if let backlog, listen(descriptor, backlog) != 0 { return -1 }
            return unsafe getsockname(descriptor, pointer, &length)
        }
        guard code == 0 else {
            let error = lastError
            close(descriptor)
            throw error
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    /// Waits for a connection.
    ///
    /// - Returns: The connection, or `nil` if the listener is closed.
    static func accept(_ listener: Int32) -> Int32? {
        while true {
            let descriptor = acceptOne(listener)
            if descriptor >= 0 {
                configure(descriptor)
                return descriptor
            }
            guard errno == EINTR || errno == ECONNABORTED else { return nil }
        }
    }

    private static func configure(_ descriptor: Int32) {
        var on: Int32 = 1
        unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        disableBrokenPipeSignal(descriptor)
    }

    static func send(_ bytes: [UInt8], to descriptor: Int32) throws {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes[sent...].withUnsafeBytes {
                unsafe sendWithoutSignal(descriptor, $0, waiting: true)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw lastError }
            sent += count
        }
    }

    /// Sends as many bytes as possible without waiting, and returns their number.
    static func sendAvailable(_ bytes: [UInt8], to descriptor: Int32) throws -> Int {
        while true {
            let count = unsafe bytes.withUnsafeBytes { unsafe sendWithoutSignal(descriptor, $0, waiting: false) }
            if count >= 0 { return count }
            if errno == EAGAIN { return 0 }
            guard errno == EINTR else { throw lastError }
        }
    }

    /// Opens connections that are never accepted, to fill the listener's queue.
    static func fillQueue(ofPort port: UInt16) -> [Int32] {
        (0..<4).compactMap { _ in
            let descriptor = newStream()
            guard descriptor >= 0 else { return nil }
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            var address = loopback(port)
            unsafe withUnsafeBytes(of: &address) { bytes in
                guard let pointer = unsafe bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return }
                _ = unsafe connect(descriptor, pointer, socklen_t(bytes.count))
            }
            return descriptor
        }
    }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    static func receive(from descriptor: Int32) throws -> [UInt8] {
        try unsafe [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
            var received = -1
            repeat {
                received = unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0)
            } while received < 0 && errno == EINTR
            guard received >= 0 else { throw lastError }
            count = received
        }
    }

    /// Waits until bytes can be received or the connection ends.
    ///
    /// - Throws: `POSIXError` with `EAGAIN` if the deadline passes first.
    static func waitForBytes(from descriptor: Int32, until deadline: ContinuousClock.Instant) throws {
        var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        repeat {
            let milliseconds = ContinuousClock.now.duration(to: deadline) / .milliseconds(1)
            let count = unsafe poll(&event, 1, Int32(min(max(milliseconds, 0), 60_000).rounded(.up)))
            if count > 0 { return }
            guard count == 0 || errno == EINTR else { throw lastError }
        } while ContinuousClock.now < deadline
        throw POSIXError(.EAGAIN)
    }

    /// Shuts down a direction. Default: both.
    static func shutDown(_ descriptor: Int32, _ direction: Int32 = Int32(SHUT_RDWR)) {
        shutdown(descriptor, direction)
    }

    static func resetOnClose(_ descriptor: Int32) {
        var option = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    private static var lastError: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
