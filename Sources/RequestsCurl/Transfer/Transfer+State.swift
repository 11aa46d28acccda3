import CRequestsCurl
import Requests
import RequestsClient

extension Transfer {
    struct Connection {
        /// The exchange's part in the shared connections to an origin.
        struct Admission {
            let origin: OriginCache.Origin
            /// Whether it still probes for a free stream.
            var isProbe: Bool
        }

        /// `nil` if the connection isn't shared.
        var admission: Admission?
        var socket: curl_socket_t?
        /// The same socket, if the connection is new and no other transfer has used it.
        var unsharedSocket: curl_socket_t?
        /// The number of connections that libcurl opened for the request.
        var made = 0
        /// The number of times that libcurl started to send the request.
        var attempts = 0
        /// Whether the server refused the request over a new connection.
        var wasRefused = false
        /// The system's error number if it couldn't open a socket, otherwise 0.
        var socketError: Int32 = 0
        /// The last address that the transport's policy rejected.
        var rejectedAddress: String?
    }

    @safe struct Reception: ~Copyable {
        var head = HeadReader()
        /// Whether the body callback has received only a part of a head line so far.
        var isInsideLine = false
        /// The parser of a chunked body. `nil` for other bodies.
        var chunks: ChunkReader?
        /// The length of the body in bytes, if its framing defines it, and the number of bytes received so far.
        var expectedBytes: Int64?
        var receivedBytes: Int64 = 0
        /// Whether libcurl would keep reading after the end of the body.
        var mustBeStopped = false
        /// The TLS session that must end with close_notify to complete a close-delimited body.
        var endingSession: UnsafeMutableRawPointer?
        /// The data to deliver to the reader at the end of the loop's turn.
        var gathered = BodyBuffer()
        /// Whether the driver has the transfer in its `gathering` list, and the gathered bytes one turn ago.
        var isGathering = false
        var gatheredBefore = 0

        /// Whether the body is complete according to its framing.
        var isBodyWhole: Bool { chunks?.isAtEnd ?? (expectedBytes == receivedBytes) }
    }

    /// The times that libcurl doesn't measure, in nanoseconds of the loop's clock.
    struct Timing {
        /// The start of the exchange, and of the response. Set only if the request has a body.
        var begun: UInt64 = 0
        var responseBegun: UInt64?
        /// The time since which the exchange waits for another's connection, and how long it waited in the end.
        private var waitingSince: UInt64?
        private(set) var waited = Duration.zero

        /// The time to the start of the response. `nil` if libcurl measures it.
        var timeToResponse: Duration? { responseBegun.map { .nanoseconds($0 - begun) } }

        mutating func beginWaiting() {
            waitingSince = waitingSince ?? LoopClock.time
        }

        mutating func endWaiting() {
            if let waitingSince { waited = .nanoseconds(LoopClock.time - waitingSince) }
        }
    }

    /// Whether more data is probably ready, so that one more turn beats waking the reader.
    var isFilling: Bool {
        defer { reception.gatheredBefore = reception.gathered.count }
        return reception.gathered.count - reception.gatheredBefore >= BodyBuffer.limit / 2 && !isEnded
    }
}
