import CRequestsCurl
import Requests
import RequestsClient

/// The descriptors of open connections.
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

    private struct Connection {
        let endpoints: Endpoints
        let socket: curl_socket_t
        /// The origin whose transfers may share the connection. `nil` if the connection isn't shared.
        let origin: OriginCache.Origin?
        let url: RequestURL
        var version: HTTPVersion?
    }

    /// The connections by local port, nearly always one for each port.
    private var connections: [Int32: [Connection]] = [:]
    private var ports: [curl_socket_t: Int32] = [:]

    /// - Parameter url: The URL of the request that opened the connection.
    mutating func add(
        _ socket: curl_socket_t,
        _ endpoints: Endpoints,
        of origin: OriginCache.Origin?,
        for url: RequestURL
    ) {
        let connection = Connection(endpoints: endpoints, socket: socket, origin: origin, url: url)
        connections[endpoints.localPort, default: []].append(connection)
        ports[socket] = endpoints.localPort
    }

    /// - Returns: The origin whose transfers shared the connection.
    mutating func remove(_ socket: curl_socket_t) -> OriginCache.Origin? {
        guard let port = ports.removeValue(forKey: socket),
            let index = connections[port]?.firstIndex(where: { $0.socket == socket })
        else { return nil }
        let origin = connections[port]?.remove(at: index).origin
        if connections[port]?.isEmpty == true { connections[port] = nil }
        return origin
    }

    mutating func note(_ version: HTTPVersion?, of socket: curl_socket_t) {
        guard let port = ports[socket], let index = connections[port]?.firstIndex(where: { $0.socket == socket })
        else { return }
        connections[port]?[index].version = version
    }

    /// Counts the connections by origin and version.
    ///
    /// - Parameter isIdle: Whether a connection has no request.
    func statistics(_ isIdle: (curl_socket_t) -> Bool) -> [TransportStatistics.Connections] {
        struct Key: Hashable {
            let origin: RequestURL.Origin
            let version: HTTPVersion?
        }
        let groups = Dictionary(grouping: connections.values.joined()) {
            Key(origin: $0.url.origin, version: $0.version)
        }
        return groups.map { key, connections in
            .init(
                origin: key.origin,
                httpVersion: key.version,
                open: connections.count,
                idle: connections.count { isIdle($0.socket) }
            )
        }
        .sorted { $0.origin.description < $1.origin.description }
    }

    /// Shuts down a connection after an HTTP/2 connection error (RFC 9113 §5.4.1).
    ///
    /// libcurl 8.0 and later would keep the connection, and each later request over it would fail.
    ///
    /// - Parameter port: The connection's local port, because a new connection may already have its descriptor.
    func shutdown(_ socket: curl_socket_t?, ofPort port: Int32?) {
        if let socket, let port, ports[socket] == port { crc_end_connection(socket) }
    }

    /// Returns the descriptor of a connection. `nil` if there are several candidates or none.
    ///
    /// - Parameter endpoints: The addresses of the connection, called only if several connections share the local port.
    func socket(localPort: Int32, _ endpoints: () -> Endpoints) -> curl_socket_t? {
        guard let candidates = connections[localPort], let first = candidates.first else { return nil }
        if candidates.count == 1 { return first.socket }
        let endpoints = endpoints()
        let matches = candidates.filter { $0.endpoints == endpoints }
        // Connections to a Unix domain socket have no addresses.
        return matches.count == 1 ? matches.first?.socket : nil
    }
}
