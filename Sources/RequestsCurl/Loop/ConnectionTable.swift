#if canImport(CRequestsCurl)
import CRequestsCurl
import Requests
import RequestsClient

/// The open connections.
///
/// libcurl before 8.2 reports only the addresses of a request's connection. A local port doesn't identify a connection,
/// because connections to different destinations can share one.
struct ConnectionTable {
    /// What libcurl reports about the connection of a request.
    struct Endpoints: Hashable {
        /// libcurl's number for the connection. 0 before libcurl 8.2.
        let number: Int64
        let localPort: Int32
        let remotePort: Int32
        let localAddress: String
        let remoteAddress: String
    }

    /// A connection, from the first request over it until its socket is closed.
    ///
    /// Belongs to the loop's thread, with unchecked exclusivity as in ``Transfer``.
    @safe final class Connection {
        let socket: curl_socket_t
        let endpoints: Endpoints
        /// The origin whose transfers may share the connection. `nil` if it isn't shared.
        private(set) var origin: OriginCache.Origin?
        /// The URL of the request that opened it.
        let url: RequestURL
        @safe @exclusivity(unchecked) var version: HTTPVersion?
        /// The transfer that opened it, until that one ends or another one uses it.
        @safe @exclusivity(unchecked) var soleUser: Transfer?
        /// The number of requests over it that haven't ended.
        @safe @exclusivity(unchecked) var users = 0
        /// Whether it failed, or a request timed out although nothing arrived after it was sent. No new request may use
        /// it.
        private(set) var isUnusable = false
        /// The number of requests over it whose responses are complete.
        @safe @exclusivity(unchecked) var answered = 0
        /// When its last response began.
        @safe @exclusivity(unchecked) var lastResponse: UInt64 = 0
        /// How long the server keeps it without a request, in nanoseconds. `nil` if the server doesn't say.
        @safe @exclusivity(unchecked) var keepAlive: UInt64?
        /// When its last request ended.
        @safe @exclusivity(unchecked) var idleSince: UInt64 = 0

        init(_ socket: curl_socket_t, _ endpoints: Endpoints, of origin: OriginCache.Origin?, for url: RequestURL) {
            (self.socket, self.endpoints, self.origin, self.url) = (socket, endpoints, origin, url)
        }

        func noteUnusable() {
            isUnusable = true
            origin?.abandonConnection()
            origin = nil
        }

        /// Whether the server keeps the connection for another second, in which a request can reach it.
        func isKept(at now: UInt64) -> Bool { keepAlive.map { now &+ 1_000_000_000 < idleSince &+ $0 } ?? true }
    }

    /// The connections by local port, nearly always one for each port.
    private var byPort: [Int32: [Connection]] = [:]
    private var bySocket: [curl_socket_t: Connection] = [:]

    mutating func add(_ connection: Connection) {
        byPort[connection.endpoints.localPort, default: []].append(connection)
        bySocket[connection.socket] = connection
    }

    mutating func remove(_ socket: curl_socket_t) -> Connection? {
        guard let connection = bySocket.removeValue(forKey: socket) else { return nil }
        let port = connection.endpoints.localPort
        byPort[port]?.removeAll { $0 === connection }
        if byPort[port]?.isEmpty == true { byPort[port] = nil }
        return connection
    }

    /// Whether another connection to an origin can be opened while the used ones stay open.
    func hasRoom(for origin: RequestURL.Origin, _ limits: CurlTransport.Connections) -> Bool {
        let used = bySocket.values.filter { $0.users > 0 }
        return used.count < limits.maximumTotal ?? .max
            && used.count { $0.url.origin == origin } < limits.maximumPerHost ?? .max
    }

    /// Counts the connections by origin and version.
    var statistics: [TransportStatistics.Connections] {
        Dictionary(grouping: bySocket.values, by: \.url.origin).flatMap { origin, connections in
            Dictionary(grouping: connections, by: \.version).map { version, connections in
                let idle = connections.count { $0.users == 0 }
                return .init(origin: origin, httpVersion: version, open: connections.count, idle: idle)
            }
        }
        .sorted { $0.origin.description < $1.origin.description }
    }

    /// Shuts down a connection after an HTTP/2 connection error (RFC 9113 §5.4.1), unless it is closed.
    ///
    /// libcurl 8.0 and later would keep the connection, and each later request over it would fail.
    func shutdown(_ connection: Connection?) {
        if let connection, has(connection) { crc_end_connection(connection.socket) }
    }

    func has(_ connection: Connection) -> Bool { bySocket[connection.socket] === connection }

    /// Returns a connection. `nil` if there are several candidates or none.
    ///
    /// - Parameter endpoints: The addresses of the connection, called only if several connections share the local port.
    func connection(localPort: Int32, _ endpoints: () -> Endpoints) -> Connection? {
        guard let candidates = byPort[localPort], candidates.count != 1 else { return byPort[localPort]?.first }
        let endpoints = endpoints()
        let matches = candidates.filter { $0.endpoints == endpoints }
        // Connections to a Unix domain socket have no addresses.
        return matches.count == 1 ? matches.first : nil
    }
}
#endif
