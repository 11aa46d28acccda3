import Requests
import RequestsClient
import RequestsSystem

extension LoopbackServer {
    /// A connection to a client. Reading and writing block the calling thread.
    public final class Connection: Sendable {
        private struct State {
            var descriptor: Int32?
            var unread: [UInt8] = []
        }

        private let state: Locked<State>
        /// Held while bytes are written, because several threads can write to the connection.
        private let writing = Locked(())

        init(descriptor: Int32) {
            state = Locked(State(descriptor: descriptor))
        }

        deinit { close() }

        /// Writes a string as UTF-8.
        public func write(_ text: String) throws {
            try write(Array(text.utf8))
        }

        /// Writes all bytes, which may wait for the client to read.
        ///
        /// - Throws: `POSIXError` if the client has closed the connection.
        public func write(_ bytes: some Collection<UInt8>) throws {
            guard let descriptor = state.withLock({ $0.descriptor }) else { throw POSIXError(.EBADF) }
            try writing.withLock { _ in try Socket.send(Array(bytes), to: descriptor) }
        }

        /// Writes as many of the bytes as possible without waiting for the client to read.
        ///
        /// - Returns: The number of bytes written, from the start. 0 if the client must read first.
        /// - Throws: `POSIXError` if the client has closed the connection.
        public func writeAvailable(_ bytes: some Collection<UInt8>) throws -> Int {
            guard let descriptor = state.withLock({ $0.descriptor }) else { throw POSIXError(.EBADF) }
            return try writing.withLock { _ in try Socket.sendAvailable(Array(bytes), to: descriptor) }
        }

        /// Waits for bytes and returns them.
        ///
        /// - Returns: At least one byte, or an empty array if the client has closed the connection.
        public func read() throws -> [UInt8] {
            let (unread, descriptor) = state.withLock { state in
                defer { state.unread = [] }
                return (state.unread, state.descriptor)
            }
            guard unread.isEmpty else { return unread }
            guard let descriptor else { throw POSIXError(.EBADF) }
            return try Socket.receive(from: descriptor)
        }

        /// Waits for bytes with a time limit, and returns them.
        ///
        /// - Parameter limit: The time limit.
        /// - Returns: At least one byte, or an empty array if the client has closed the connection.
        /// - Throws: `POSIXError` with `EAGAIN` if no byte arrives in time.
        public func read(within limit: Duration) throws -> [UInt8] {
            let (hasUnread, descriptor) = state.withLock { (!$0.unread.isEmpty, $0.descriptor) }
            guard let descriptor else { throw POSIXError(.EBADF) }
            if !hasUnread { try Socket.waitForBytes(from: descriptor, until: .now + limit) }
            return try read()
        }

        /// Puts bytes back, so that the next call of ``read()`` returns them.
        package func putBack(_ bytes: some Collection<UInt8>) {
            state.withLock { $0.unread = Array(bytes) + $0.unread }
        }

        /// Resets the connection (TCP RST), so that the client gets an error instead of the end of the data.
        public func reset() {
            guard let descriptor = state.withLock({ $0.descriptor }) else { return }
            Socket.resetOnClose(descriptor)
            close()
        }

        /// Closes the connection.
        public func close() {
            let descriptor = state.withLock { state in
                defer { state.descriptor = nil }
                return state.descriptor
            }
            if let descriptor { Socket.close(descriptor) }
        }

        /// Closes the server's sending direction. The client can still send.
        package func finishWriting() {
            state.withLock { if let descriptor = $0.descriptor { Socket.shutDown(descriptor, Int32(SHUT_WR)) } }
        }

        /// Shuts down both directions, so that a pending ``read()`` returns. The thread of the connection closes the
        /// descriptor.
        func shutDown() {
            state.withLock { if let descriptor = $0.descriptor { Socket.shutDown(descriptor) } }
        }
    }
}
