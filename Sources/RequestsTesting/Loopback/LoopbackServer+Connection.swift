import Foundation
import Requests
import RequestsClient

extension LoopbackServer {
    /// One connection, as its script sees it. Reads and writes block.
    public final class Connection: Sendable {
        private struct State {
            var descriptor: Int32?
            var unread: [UInt8] = []
        }

        private let state: Locked<State>

        init(descriptor: Int32) {
            state = Locked(State(descriptor: descriptor))
        }

        deinit { close() }

        /// Writes text as it is.
        public func write(_ text: String) throws {
            try write(Array(text.utf8))
        }

        /// Writes bytes as they are.
        ///
        /// - Throws: `POSIXError` when the peer is gone.
        public func write(_ bytes: some Collection<UInt8>) throws {
            guard let descriptor = state.withLock({ $0.descriptor }) else { throw POSIXError(.EBADF) }
            try Socket.send(Array(bytes), to: descriptor)
        }

        /// Writes bytes as they are, and says so when the peer takes none of them for a while.
        ///
        /// - Parameters:
        ///   - bytes: The bytes.
        ///   - seconds: How long the peer may take none.
        ///   - onStall: Runs each time it does. Writing then goes on waiting.
        /// - Throws: `POSIXError` when the peer is gone.
        public func write(_ bytes: some Collection<UInt8>, stallAfter seconds: Double, onStall: () -> Void) throws {
            guard let descriptor = state.withLock({ $0.descriptor }) else { throw POSIXError(.EBADF) }
            try Socket.send(Array(bytes), to: descriptor, stallAfter: seconds, onStall: onStall)
        }

        /// Waits for bytes.
        ///
        /// - Returns: At least one, empty when the peer has closed.
        public func read() throws -> [UInt8] {
            let (unread, descriptor) = state.withLock { state in
                defer { state.unread = [] }
                return (state.unread, state.descriptor)
            }
            guard unread.isEmpty else { return unread }
            guard let descriptor else { throw POSIXError(.EBADF) }
            return try Socket.receive(from: descriptor)
        }

        /// Waits for bytes, but not for ever.
        ///
        /// - Parameter seconds: How long.
        /// - Throws: `POSIXError` with `EAGAIN` when nothing came.
        public func read(within seconds: Double) throws -> [UInt8] {
            guard let descriptor = state.withLock({ $0.descriptor }) else { throw POSIXError(.EBADF) }
            Socket.setReceiveTimeout(seconds, of: descriptor)
            defer { Socket.setReceiveTimeout(0, of: descriptor) }
            return try read()
        }

        /// Gives back bytes, to be read again.
        func putBack(_ bytes: some Collection<UInt8>) {
            state.withLock { $0.unread = Array(bytes) + $0.unread }
        }

        /// Closes the connection with a reset, so that the peer sees an error instead of an end.
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

        /// Ends both directions: what waits in ``read()`` returns. The script closes the descriptor.
        func shutDown() {
            state.withLock { if let descriptor = $0.descriptor { Socket.shutDown(descriptor) } }
        }
    }
}
