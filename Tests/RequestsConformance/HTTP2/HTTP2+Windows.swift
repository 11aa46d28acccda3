import Dispatch
import RequestsClient
import RequestsSystem
import RequestsTesting

extension HTTP2 {
    /// The flow-control windows of a connection: the numbers of bytes that a server may still send (RFC 9113 §6.9).
    final class Windows: Sendable {
        private struct State {
            var initial = 65_535
            var connection = 65_535
            var streams: [UInt32: Int] = [:]
            var waiting: [DispatchSemaphore] = []

            func available(on stream: UInt32) -> Int? {
                streams[stream].map { max(0, min($0, connection)) }
            }
        }

        private let state = Locked(State())

        func open(_ stream: UInt32) {
            state.withLock { $0.streams[stream] = $0.initial }
        }

        func close(_ stream: UInt32) {
            change { $0.streams[stream] = nil }
        }

        func closeAll() {
            change { $0.streams = [:] }
        }

        func enlarge(_ stream: UInt32, by count: Int) {
            change { if stream == 0 { $0.connection += count } else { $0.streams[stream]? += count } }
        }

        /// Changes the initial window size, and adjusts the windows of open streams by the difference.
        func setInitialSize(_ size: Int) {
            change { state in
                for stream in state.streams.keys { state.streams[stream]? += size - state.initial }
                state.initial = size
            }
        }

        private func change(_ body: (inout State) -> Void) {
            let waiting = state.withLock { state in
                body(&state)
                defer { state.waiting = [] }
                return state.waiting
            }
            for semaphore in waiting { semaphore.signal() }
        }

        /// Waits until at least one byte may be sent, and subtracts the returned number of bytes from the windows.
        ///
        /// - Returns: The number of bytes, at most `limit`.
        /// - Throws: `POSIXError` if the stream is closed.
        func take(_ limit: Int, on stream: UInt32) throws -> Int {
            while true {
                let semaphore = DispatchSemaphore(value: 0)
                let available = state.withLock { state -> Int? in
                    guard let available = state.available(on: stream) else { return nil }
                    let count = min(limit, available)
                    if count == 0 { state.waiting.append(semaphore) }
                    state.connection -= count
                    state.streams[stream]? -= count
                    return count
                }
                guard let available else { throw POSIXError(.ECONNRESET) }
                if available > 0 { return available }
                semaphore.wait()
            }
        }
    }
}
