import CRequestsCurl

/// Knows which kept connections are still usable.
///
/// libcurl checks that before it reuses a connection, but from 8.22 on at most once a second (curl/curl#22169). Over one
/// that closed meanwhile a request fails, and what a server sent without a request would be read as the response.
struct KeptConnections {
    /// The descriptors of connections by libcurl's number, and the numbers by descriptor.
    private var descriptors: [Int64: curl_socket_t] = [:]
    private var numbers: [curl_socket_t: Int64] = [:]
    /// Sockets that don't belong to a connection yet.
    private var opened: Set<curl_socket_t> = []

    mutating func noteOpened(_ socket: curl_socket_t) {
        opened.insert(socket)
    }

    /// Notes the first request over a new connection, whose socket is known by its local port.
    mutating func noteConnected(_ number: Int64, fromPort port: Int32) {
        guard let socket = opened.first(where: { crc_local_port($0) == port }) else { return }
        opened.remove(socket)
        descriptors[number] = socket
        numbers[socket] = number
    }

    mutating func noteClosed(_ socket: curl_socket_t) {
        opened.remove(socket)
        if let number = numbers.removeValue(forKey: socket) { descriptors[number] = nil }
    }

    /// Whether a connection was closed, or has unread data although its server may not send any.
    func isStale(_ number: Int64, serverMaySend: Bool) -> Bool {
        guard let socket = descriptors[number] else { return false }
        let state = crc_peek(socket)
        return state == crc_peek_closed || state == crc_peek_data && !serverMaySend
    }
}
