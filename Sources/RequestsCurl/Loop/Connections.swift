#if canImport(CRequestsCurl)
import Requests
import RequestsClient
import RequestsSystem

/// Decides which requests start, over which connections they may go, and whether they go out again.
///
/// libcurl chooses the connection. What it and the poller report comes in, and decisions go out: nothing here calls
/// libcurl or the system.
///
/// - A request **waits**, **starts** or **probes**. libcurl opens a connection for each request that finds no free
///   stream, and doesn't report how many streams a server allows. So if all known streams of an origin are in use, one
///   request at a time probes: it finds another free stream, or opens a connection. The others wait for the outcome.
/// - An attempt over a connection **goes out**, **fails**, or makes libcurl **restart** the request.
/// - The connections of an origin are one **generation**. If one of them ended, fell silent or is used up, its origin
///   **leaves** all of them: they serve the requests that they have, and the next request opens another one. The tag of
///   the generation is what keeps libcurl, which prefers the oldest connection, away from them.
///
/// Belongs to the loop's thread, with unchecked exclusivity as in ``Transfer``.
@safe final class Connections {
    enum Decision: Equatable {
        case start
        /// Starts beyond the known streams, to find out whether there is another one.
        case probe
        case wait
        case restart
        case fail(String, TransportError.Phase)
    }

    /// Most servers allow at least this number of streams (RFC 9113 §6.5.2).
    static let usualStreams = 100
    private static let originLimit = 256

    private let configuration: CurlTransport.Configuration
    /// The connections by local port, nearly always one for each port. libcurl before 8.2 reports only the addresses of
    /// a request's connection, and connections to different destinations can share a port.
    @safe @exclusivity(unchecked) private var byPort: [Int32: [Connection]] = [:]
    @safe @exclusivity(unchecked) private var bySocket: [Int32: Connection] = [:]
    private var origins: [Substring: Origin] = [:]
    /// The requests whose wait for a connection has ended, for the driver to start.
    @safe @exclusivity(unchecked) var released: [Request] = []
    /// The connections that nothing uses any more, for the driver to shut down.
    @safe @exclusivity(unchecked) private var left: [Connection] = []
    @safe @exclusivity(unchecked) private var settling: [(origin: Origin, end: UInt64)] = []

    init(_ configuration: CurlTransport.Configuration) { self.configuration = configuration }

    func origin(of url: RequestURL) throws(TransportError) -> Origin {
        if let origin = origins[url.textBeforePath] { return origin }
        let origin = try Origin(of: url)
        if origins.count >= Connections.originLimit { origins.removeAll(keepingCapacity: true) }
        origins[origin.text] = origin
        return origin
    }

    // MARK: Requests that share connections

    /// Decides whether a request may start, and counts it. If it must wait, ``released`` will contain it.
    func begin(_ request: Request, to origin: Origin, at now: UInt64) -> Decision {
        let decision = admit(request, to: origin, at: now)
        if decision == .wait { origin.waiting.append(request) }
        return decision
    }

    private func admit(_ request: Request, to origin: Origin, at now: UInt64) -> Decision {
        if origin.isUsedUp(at: now), hasRoom(for: origin.connections[0].url.origin) { leave(origin) }
        let isProbe = origin.requests >= origin.streams
        guard !origin.isProbing, !isProbe || !origin.isSettling else { return .wait }
        origin.requests += 1
        origin.isProbing = isProbe
        request.admission = Request.Admission(origin: origin, generation: origin.generation, isProbe: isProbe)
        return isProbe ? .probe : .start
    }

    /// Records that a request has a connection, and lets others start.
    private func noteConnected(_ request: Request, to connection: Connection, isNew: Bool, at now: UInt64) {
        guard let admission = request.admission, admission.isCurrent else { return }
        let origin = admission.origin
        if isNew { origin.connections.append(connection) }
        guard admission.isProbe else { return }
        request.admission?.isProbe = false
        origin.isProbing = false
        // Until the server's settings arrive, libcurl assumes the usual limit, so a probe would find out nothing.
        origin.isSettling = isNew
        let found = isNew ? Connections.usualStreams : max(0, origin.requests - origin.streams)
        connection.streams += found
        origin.streams += found
        if isNew { settling.append((origin, now + UInt64(configuration.settlingTime / .nanoseconds(1)))) }
        release(origin, at: now)
    }

    /// Decides whether libcurl may open a connection for a request that expected a stream of another one, which ended
    /// or takes no new requests. If all of them did, each would open one.
    func connect(_ request: Request, at now: UInt64) -> Decision {
        // Before the first response, only HTTP/2 and HTTP/3 let several requests use a connection.
        guard let admission = request.admission, !admission.isProbe, !request.isOnOwnConnection,
            !request.hasWaitedForOthers, admission.origin.version?.isMultiplexed ?? (request.connection != nil)
        else { return .start }
        if let lost = request.connection {
            noteUnusable(lost, at: now)
        } else if admission.isCurrent {
            admission.origin.forgetStreams()
        }
        if let failure = request.failureToRepeat() { return failure }
        request.restart = .afterOthers
        return .restart
    }

    /// Records the HTTP version of a response.
    func noteVersion(_ version: HTTPVersion?, of origin: Origin, at now: UInt64) {
        origin.version = version
        guard origin.isOfHTTP1 else { return noteSettled(origin, at: now) }
        // Each request needs its own connection.
        if !origin.waiting.isEmpty { released += origin.waiting.removeAll() }
    }

    private func noteSettled(_ origin: Origin, at now: UInt64) {
        origin.isSettling = false
        release(origin, at: now)
    }

    /// Ends the wait for settings whose time is over.
    func settle(at now: UInt64) {
        while let next = nextSettling, next <= now { noteSettled(settling.removeFirst().origin, at: now) }
    }

    /// The end of the next wait for settings.
    var nextSettling: UInt64? { settling.isEmpty ? nil : settling[0].end }

    /// Records the end of a request, or that it starts over, and lets another start.
    ///
    /// - Parameter isRefused: Whether libcurl failed to connect. If so, each waiting request connects on its own.
    func end(_ request: Request, isRefused: Bool, at now: UInt64) {
        guard let admission = request.admission.take(), admission.isCurrent else { return }
        let origin = admission.origin
        origin.requests -= 1
        if admission.isProbe { origin.isProbing = false }
        guard admission.isProbe, isRefused else { return release(origin, at: now) }
        released += origin.waiting.removeAll()
    }

    /// Starts as many of an origin's waiting requests as its connections have room for.
    private func release(_ origin: Origin, at now: UInt64) {
        while let next = origin.waiting.first {
            if !next.isEnded {
                guard admit(next, to: origin, at: now) != .wait else { return }
                released.append(next)
            }
            _ = origin.waiting.popFirst()
        }
    }

    // MARK: Connections

    /// Adds the connection that was opened for a request.
    func open(_ socket: Int32, _ endpoints: Endpoints, for request: Request, to url: RequestURL) -> Connection {
        let connection = Connection(socket, endpoints, for: request.admission, to: url)
        byPort[endpoints.localPort, default: []].append(connection)
        bySocket[socket] = connection
        return connection
    }

    /// Returns a known connection. `nil` if there are several candidates or none.
    ///
    /// - Parameter endpoints: The addresses of the connection, called only if several connections share the local port.
    func connection(localPort: Int32, _ endpoints: () -> Endpoints) -> Connection? {
        guard let candidates = byPort[localPort], candidates.count != 1 else { return byPort[localPort]?.first }
        let endpoints = endpoints()
        let matches = candidates.filter { $0.endpoints == endpoints }
        // Connections to a Unix domain socket have no addresses.
        return matches.count == 1 ? matches.first : nil
    }

    func has(_ connection: Connection) -> Bool { bySocket[connection.socket] === connection }

    /// Decides about an attempt to send a request over a connection, and counts it.
    ///
    /// - Parameter isStale: Whether the connection is closed, or about to be.
    func attempt(_ request: Request, over found: Connection?, isNew: Bool, isStale: Bool, at now: UInt64) -> Decision {
        // After two closed ones, all others may be closed, too, and libcurl gives up after five.
        guard let found, isNew || !isStale && request.attempts < 2 && found.isUsable(for: request, at: now) else {
            let mayShare = request.admission != nil && request.attempts < 2 && !request.hasWaitedForOthers
            request.restart = mayShare ? .afterOthers : .overFreshConnection
            return .restart
        }
        noteConnected(request, to: found, isNew: isNew, at: now)
        if let failure = request.countAttempt() { return failure }
        leave(request, at: now)
        request.join(found, isNew: isNew, at: now)
        return .start
    }

    /// Records that the connection of a request failed before its response.
    func noteFailure(of request: Request, at now: UInt64) {
        request.noteFailure()
        if let connection = request.connection { noteUnusable(connection, at: now) }
    }

    /// Keeps new requests away from a connection that doesn't respond, unless no other can be opened. The requests over
    /// it go on, because the server may only be slow.
    func abandon(_ connection: Connection, at now: UInt64) {
        if has(connection), hasRoom(for: connection.url.origin) { noteUnusable(connection, at: now) }
    }

    private func noteUnusable(_ connection: Connection, at now: UInt64) {
        guard !connection.isUnusable else { return }
        connection.isUnusable = true
        if connection.users == 0 { left.append(connection) }
        guard connection.isCurrent, let origin = connection.origin else { return }
        leave(origin)
        release(origin, at: now)
    }

    /// Makes an origin's next request open a connection.
    private func leave(_ origin: Origin) {
        left += origin.connections.filter { $0.users == 0 }
        origin.beginGeneration()
    }

    /// Records that a request no longer uses its connection.
    func leave(_ request: Request, at now: UInt64) {
        guard let connection = request.connection.take() else { return }
        connection.noteLeft(by: request, at: now)
        guard connection.users == 0 else { return }
        if connection.isUnusable || !has(connection) { noteGone(connection, at: now) }
        if connection.isUnusable || !connection.isCurrent { left.append(connection) }
    }

    func noteClosed(_ socket: Int32, at now: UInt64) {
        guard let connection = bySocket.removeValue(forKey: socket) else { return }
        let port = connection.endpoints.localPort
        byPort[port]?.removeAll { $0 === connection }
        if byPort[port]?.isEmpty == true { byPort[port] = nil }
        if connection.users == 0 { noteGone(connection, at: now) }
        guard let origin = connection.origin, origin.remove(connection) else { return }
        release(origin, at: now)
    }

    /// Learns from a connection that is closed or left, and that no request uses.
    private func noteGone(_ connection: Connection, at now: UInt64) {
        guard connection.takeLoss(), connection.url.isSecure, connection.version?.isMultiplexed == true,
            !configuration.quirks.logsRefusals
        else { return }
        connection.origin?.rollover.note(connection.served, at: now)
    }

    /// Takes a connection that must be shut down.
    func takeLeft() -> Connection? {
        while let connection = left.popLast() { if has(connection), connection.users == 0 { return connection } }
        return nil
    }

    /// Whether another connection to an origin can be opened while the used ones stay open.
    private func hasRoom(for origin: RequestURL.Origin) -> Bool {
        let (limits, used) = (configuration.connections, bySocket.values.filter { $0.users > 0 })
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
}
#endif
