import Dispatch
import RequestsClient
import RequestsSystem
import RequestsTesting

extension TransportConformance {
    /// The stream of the request to a hostile server. The thread that calls the script also reads the connection.
    final class HostileStream: Sendable {
        private struct State {
            var number: UInt32 = 0
            var received = 0
            var flood: Flood?
        }

        private final class Flood: Sendable {
            let isStopped = Locked(false)
            let ended = DispatchSemaphore(value: 0)
        }

        let connection: LoopbackServer.Connection
        private let state = Locked(State())

        init(_ connection: LoopbackServer.Connection) {
            self.connection = connection
        }

        var number: UInt32 {
            get { state.withLock { $0.number } }
            set { state.withLock { $0.number = newValue } }
        }

        /// The frames of a complete response.
        static func response(on stream: UInt32, _ body: String = "hello") -> [HTTP2.Frame] {
            [head(on: stream, length: body.utf8.count), .data(body, on: stream)]
        }

        static func head(on stream: UInt32, length: Int = 5) -> HTTP2.Frame {
            .headers([":status": "200", "content-length": "\(length)"], on: stream)
        }

        func send(_ frames: HTTP2.Frame...) throws {
            try connection.write(frames)
        }

        func send(_ frames: [HTTP2.Frame]) throws {
            try connection.write(frames)
        }

        /// Sends a complete response.
        func sendResponse() throws {
            try send(HostileStream.response(on: number))
        }

        /// Sends frames repeatedly on another thread, until the connection closes or another request arrives.
        func flood(_ frames: [HTTP2.Frame]) throws {
            let flood = Flood()
            try BlockingThread.start { [connection] in
                while !flood.isStopped.withLock({ $0 }), (try? connection.write(frames)) != nil {}
                flood.ended.signal()
            }
            state.withLock { $0.flood = flood }
        }

        func stopFlood() {
            guard let flood = state.withLock({ $0.flood.take() }) else { return }
            flood.isStopped.withLock { $0 = true }
            flood.ended.wait()
        }

        /// Reads frames until at least a number of bytes of the request's body have arrived in total.
        ///
        /// Until a client has received a smaller window, it may send more than that window allows.
        func receiveBody(_ count: Int) throws {
            while state.withLock({ $0.received }) < count {
                guard let frame = try connection.readFrame() else { throw POSIXError(.ECONNRESET) }
                try connection.acknowledge(frame)
                if frame.kind == .data { state.withLock { $0.received += frame.payload.count } }
            }
        }
    }
}
