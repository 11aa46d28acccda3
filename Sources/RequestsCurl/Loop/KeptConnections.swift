import CRequestsCurl

/// Knows which kept connections are still usable.
///
/// libcurl checks that before it reuses a connection, but from 8.22 on at most once a second (curl/curl#22169). A
/// request over a connection that closed meanwhile fails, and data that the server sent without a request would be
/// read as the response.
struct KeptConnections {
    /// The descriptors of connections by libcurl's number, and the numbers by descriptor.
    private var descriptors: [Int64: curl_socket_t] = [:]
    private var numbers: [curl_socket_t: Int64] = [:]

    /// Notes the first request over a new connection.
    ///
    /// - Parameters:
    ///   - sockets: Those that were opened for the request: one for each address that was tried.
    ///   - port: The local port of the one that connected.
    mutating func noteConnected(_ number: Int64, _ sockets: [curl_socket_t], fromPort port: Int32) {
        guard let socket = sockets.last(where: { crc_local_port($0) == port }) else { return }
        descriptors[number] = socket
        numbers[socket] = number
    }

    mutating func noteClosed(_ socket: curl_socket_t) {
        if let number = numbers.removeValue(forKey: socket) { descriptors[number] = nil }
    }

    /// Whether a connection was closed, or has unread data although its server may not send any.
    func isStale(_ number: Int64, serverMaySend: Bool) -> Bool {
        guard let socket = descriptors[number] else { return false }
        let state = crc_peek(socket)
        return state == crc_peek_closed || state == crc_peek_data && !serverMaySend
    }
}
