#if canImport(CRequestsCurl)
/// Decides which exchanges with an origin start, so that HTTP/2 connections are shared instead of multiplied.
///
/// libcurl opens a connection for each exchange that finds no free stream, and doesn't report how many streams a server
/// allows. If all known streams are in use, one exchange at a time starts as a probe, which finds another free stream
/// or opens a new connection. The others wait for the outcome.
struct SharedConnections {
    enum Decision {
        case start
        /// Starts beyond the known capacity, to find out whether there is another free stream.
        case probe
        case wait
    }

    /// Most servers allow at least this number of streams (RFC 9113 §6.5.2).
    static let usualStreams = 100

    private(set) var connections = 0
    private(set) var exchanges = 0
    /// The number of streams that are known to be available.
    private var capacity = 0
    private var isProbing = false
    /// Whether a connection is so new that its server's HTTP/2 settings may not have arrived.
    private(set) var isSettling = false

    /// Decides about the next exchange, and counts it unless it must wait.
    mutating func admit() -> Decision {
        guard !isProbing, exchanges < capacity || !isSettling else { return .wait }
        defer { exchanges += 1 }
        if exchanges < capacity { return .start }
        isProbing = true
        return .probe
    }

    mutating func noteConnected(isNew: Bool, isProbe: Bool) {
        if isNew { connections += 1 }
        guard isProbe else { return }
        isProbing = false
        // Until the server's settings arrive, libcurl assumes the usual limit, so a probe would find out nothing.
        isSettling = isNew
        capacity = isNew ? capacity + SharedConnections.usualStreams : max(capacity, exchanges)
    }

    /// Records that a connection has no free stream, although one was expected.
    mutating func noteExhausted() { capacity = 0 }

    mutating func noteSettled() { isSettling = false }

    /// - Parameter isProbe: Whether it was still probing, so it never got a connection.
    mutating func noteEnded(isProbe: Bool) {
        exchanges -= 1
        if isProbe { isProbing = false }
    }

    mutating func noteClosed() {
        guard connections > 0 else { return }
        capacity -= capacity / connections
        connections -= 1
        if connections == 0 { isSettling = false }
    }
}
#endif
