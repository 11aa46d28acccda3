import CRequestsCurl
import Requests
import RequestsClient

extension Transfer {
    struct Connection {
        /// How the exchange counts towards the shared connections to an origin.
        struct Admission {
            let origin: OriginCache.Origin
            /// Whether it finds out if there is a stream for it, or a new connection.
            var isProbe: Bool
        }

        /// `nil` if it doesn't count.
        var admission: Admission?
        var socket: curl_socket_t?
        /// The same socket, if the connection is new and nothing else has used it.
        var unsharedSocket: curl_socket_t?
        /// The number of connections that libcurl made for the request.
        var made = 0
        /// How often libcurl has started to send the request.
        var attempts = 0
        /// Whether the server refused the request over a new connection.
        var wasRefused = false
        /// The error number if the system gave no socket; otherwise 0.
        var socketError: Int32 = 0
        /// The last address that the transport's policy rejected.
        var rejectedAddress: String?
    }

    @safe struct Reception: ~Copyable {
        var head = HeadReader()
        /// Whether the body callback has seen a part of a head line, before libcurl reads it.
        var isInsideLine = false
        /// Parses a chunked body. libcurl only looks for its end.
        var chunks: ChunkReader?
        /// The length of the body if its framing tells, and the bytes received so far.
        var expectedBytes: Int64?
        var receivedBytes: Int64 = 0
        /// Whether libcurl keeps reading after the end of the body.
        var mustBeStopped = false
        /// The TLS session whose end is the end of a close-delimited body.
        var endingSession: UnsafeMutableRawPointer?
        /// The data for the reader at the end of the loop's turn.
        var gathered = BodyBuffer()
        /// Whether the driver knows about gathered data, and how much there was a turn ago.
        var isGathering = false
        var gatheredBefore = 0

        /// Whether the body is complete, by its framing.
        var isBodyWhole: Bool { chunks?.isAtEnd ?? (expectedBytes == receivedBytes) }
    }

    /// Times that libcurl doesn't measure, in nanoseconds of the loop's clock.
    struct Timing {
        /// When libcurl got the exchange and when the response began, if the request has a body.
        var begun: UInt64 = 0
        var responseBegun: UInt64?
        /// When the exchange started to wait for another's connection, and how long it waited.
        private var waitingSince: UInt64?
        private(set) var waited = Duration.zero

        /// How long the response took to begin; `nil` if libcurl measures it.
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
