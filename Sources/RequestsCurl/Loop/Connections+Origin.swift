#if canImport(CRequestsCurl)
import CRequestsCurl
import Requests
import RequestsClient
import RequestsSystem

extension Connections {
    /// An origin as a parsed libcurl URL, because parsing a URL is a third of libcurl's work for a small request, and
    /// the facts about its server.
    ///
    /// Path and query differ from request to request, so they aren't parsed but sent unchanged.
    @safe final class Origin {
        let text: Substring
        let url: OpaquePointer
        /// The version of its last response. `nil` before the first one.
        @safe @exclusivity(unchecked) var version: HTTPVersion?
        var isOfHTTP1: Bool { version.map { !$0.isMultiplexed } ?? false }

        /// The connections that its requests share, and their counts.
        @safe @exclusivity(unchecked) var connections: [Connection] = []
        private(set) var generation = 0
        /// The number of requests that have started and haven't ended.
        @safe @exclusivity(unchecked) var requests = 0
        /// The number of streams that are known to be available.
        @safe @exclusivity(unchecked) var streams = 0
        @safe @exclusivity(unchecked) var isProbing = false
        /// Whether a connection is so new that its server's HTTP/2 settings may not have arrived.
        @safe @exclusivity(unchecked) var isSettling = false
        /// The requests that wait for a connection.
        @safe @exclusivity(unchecked) var waiting = Queue<Request>()
        var rollover = Rollover()

        init(of url: RequestURL) throws(TransportError) {
            guard let handle = unsafe curl_url() else {
                throw .outOfMemory(creating: "the URL \(url.origin)")
            }
            // Copied, because a slice would retain the whole URL.
            let text = String(url.textBeforePath)
            self.text = Substring(text)
            unsafe self.url = handle
            let code = unsafe curl_url_set(handle, CURLUPART_URL, text, 0)
            guard code != CURLUE_OUT_OF_MEMORY else { throw .outOfMemory(creating: "the URL \(url.origin)") }
            guard code == CURLUE_OK else { throw .unsupported("libcurl can't parse the URL \(url.origin)") }
        }

        deinit { unsafe curl_url_cleanup(url) }

        // libcurl sends a request only over a connection with the same options, which mean something only for
        // Schannel. Without TLS nothing splits libcurl's connections.
        /// The value of `CURLOPT_SSL_OPTIONS` for the next request.
        var tag: Int { crc_tls_tag(generation) }

        func beginGeneration() {
            generation += 1
            (connections, requests, streams, isProbing, isSettling) = ([], 0, 0, false, false)
        }

        /// Records that a connection has no free stream, although one was expected.
        func forgetStreams() {
            streams = 0
            for connection in connections { connection.streams = 0 }
        }

        /// - Returns: Whether new requests could use the connection.
        func remove(_ connection: Connection) -> Bool {
            guard let index = connections.firstIndex(where: { $0 === connection }) else { return false }
            connections.remove(at: index)
            streams -= connection.streams
            if connections.isEmpty { isSettling = false }
            return true
        }

        /// Whether the requests that have started are as many as the server serves over the connections.
        func isUsedUp(at now: UInt64) -> Bool {
            guard let limit = rollover.limit(at: now), !isProbing, !connections.isEmpty else { return false }
            return requests >= connections.reduce(0) { $0 + max(0, limit - $1.served) }
        }
    }

    /// The number of requests after which a server ends a connection, as nginx's `keepalive_requests` does.
    ///
    /// libcurl before 8.19 doesn't tell which requests were refused, so a POST at such an end fails. Two ends after
    /// the same number of responses set the limit, and a larger number replaces it. It is forgotten after an hour
    /// without such an end.
    struct Rollover {
        /// A smaller number is a restart of the server rather than a limit.
        static let minimum = 20
        static let lifetime: UInt64 = 3_600_000_000_000

        private var limit: Int?
        private var last = (count: 0, time: UInt64(0))

        /// Records that a connection ended after a number of responses, and that requests were lost.
        mutating func note(_ count: Int, at now: UInt64) {
            guard count >= Rollover.minimum else { return }
            limit = limit(at: now)
            if count == last.count && isRecent(at: now) || count > limit ?? .max { limit = count }
            last = (count, now)
        }

        func limit(at now: UInt64) -> Int? { isRecent(at: now) ? limit : nil }

        private func isRecent(at now: UInt64) -> Bool { now < last.time + Rollover.lifetime }
    }

    /// What libcurl reports about the connection of a request.
    struct Endpoints: Hashable {
        /// libcurl's number for the connection. 0 before libcurl 8.2.
        let number: Int64
        let localPort: Int32
        let remotePort: Int32
        let localAddress: String
        let remoteAddress: String

        /// Returns one end as text: `host:port` with an IPv6 address in brackets, or the path of a Unix domain socket.
        static func text(_ host: String, _ port: Int) -> String {
            if host.isEmpty || host.hasPrefix("/") { return host }
            return host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
        }
    }

    /// A connection, from the first request over it until its socket is closed.
    @safe final class Connection {
        let socket: Int32
        let endpoints: Endpoints
        /// Its ends as text, for the metrics.
        let localEnd, remoteEnd: String
        /// The origin whose requests may share it. `nil` if it isn't shared.
        let origin: Origin?
        private let generation: Int
        /// Whether the origin, if it is shared, hasn't left it.
        var isCurrent: Bool { origin.map { $0.generation == generation } ?? true }
        /// The URL of the request that opened it.
        let url: RequestURL
        @safe @exclusivity(unchecked) var version: HTTPVersion?
        /// The request that opened it, until that one ends or another one uses it.
        @safe @exclusivity(unchecked) fileprivate(set) var soleUser: Request?
        /// The number of requests over it that haven't ended.
        @safe @exclusivity(unchecked) fileprivate(set) var users = 0
        /// The number of requests over it that have ended, without the lost ones.
        @safe @exclusivity(unchecked) fileprivate(set) var served = 0
        /// Whether it ended before the response to a request, and the origin hasn't learned from that.
        private var hasLost = false
        /// Whether it failed, or fell silent.
        var isUnusable = false
        /// The number of its streams that are known to be available.
        var streams = 0
        /// When its last response began.
        @safe @exclusivity(unchecked) var lastResponse: UInt64 = 0
        /// How long the server keeps it without a request, in nanoseconds. `nil` if the server doesn't say.
        @safe @exclusivity(unchecked) var keepAlive: UInt64?
        /// When its last request ended.
        @safe @exclusivity(unchecked) private var idleSince: UInt64 = 0

        init(_ socket: Int32, _ endpoints: Endpoints, for admission: Request.Admission?, to url: RequestURL) {
            (self.socket, self.endpoints, self.url) = (socket, endpoints, url)
            (origin, generation) = (admission?.origin, admission?.generation ?? 0)
            localEnd = Endpoints.text(endpoints.localAddress, Int(endpoints.localPort))
            remoteEnd = Endpoints.text(endpoints.remoteAddress, Int(endpoints.remotePort))
        }

        /// Whether a request of its generation may use it: its server takes another one, and keeps it for another
        /// second if it is idle.
        func isUsable(for request: Request, at now: UInt64) -> Bool {
            !isUnusable && (isCurrent || request.admission?.generation == generation)
                && served + users < origin?.rollover.limit(at: now) ?? .max
                && keepAlive.map { now &+ 1_000_000_000 < idleSince &+ $0 } ?? true
        }

        /// Whether it ended before the response to a request. Only once.
        func takeLoss() -> Bool {
            defer { hasLost = false }
            return hasLost
        }

        func noteLeft(by request: Request, at now: UInt64) {
            users -= 1
            if request.isLost { hasLost = true } else { served += 1 }
            if soleUser === request { soleUser = nil }
            idleSince = now
        }
    }
}

extension Connections.Request {
    /// Records that the request goes out over a connection.
    func join(_ connection: Connections.Connection, isNew: Bool, at now: UInt64) {
        (self.connection, isLost, sentAt) = (connection, false, now)
        connection.users += 1
        connection.soleUser = isNew ? self : nil
    }

    var isOnOwnConnection: Bool { connection?.soleUser === self }
}
#endif
