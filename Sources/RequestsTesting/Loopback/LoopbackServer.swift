import Requests
import RequestsClient
import RequestsSystem

/// A server on 127.0.0.1 for tests and demonstrations. The system chooses the port.
///
/// It can send any bytes, well-formed or not, and serves each connection on its own thread. All connections close when
/// the server is stopped or released.
///
/// ```swift
/// let server = try LoopbackServer { connection in
///     _ = try connection.readRequest()
///     try connection.write(
///         "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\ncut short"
///     )
/// }
/// ```
public final class LoopbackServer: Sendable {
    /// The URL of the server: `http://127.0.0.1:port`.
    public var baseURL: URL { URL(string: "http://127.0.0.1:\(port)") ?? URL(filePath: "/") }

    /// The port of the server.
    public let port: UInt16

    private let connections: Connections
    let log: Log

    /// Starts a server.
    ///
    /// - Parameter script: Serves one connection on the connection's thread. The connection closes when the closure
    ///   returns or throws.
    /// - Throws: `POSIXError` if no port is available.
    public convenience init(_ script: @escaping @Sendable (Connection) throws -> Void) throws {
        try self.init(Log(recording: false), script)
    }

    package init(_ log: Log, _ script: @escaping @Sendable (Connection) throws -> Void) throws {
        let (listener, port) = try Socket.bindToLoopback()
        let connections = Connections(listener: listener)
        self.port = port
        self.connections = connections
        self.log = log
        try BlockingThread.start {
            LoopbackServer.accept(from: listener, connections, script)
            // Closed by the thread that uses it, because a closed descriptor may be reused at once.
            connections.closeAll()
            Socket.close(listener)
        }
    }

    private init(port: UInt16, holding descriptors: [Int32]) {
        self.port = port
        log = Log(recording: false)
        connections = Connections(holding: descriptors.map { Connection(descriptor: $0) })
    }

    /// Starts a server that never accepts connections, so attempts to connect hang.
    public static func unresponsive() throws -> LoopbackServer {
        let (listener, port) = try Socket.bindToLoopback(backlog: 0)
        return LoopbackServer(port: port, holding: [listener] + Socket.fillQueue(ofPort: port))
    }

    /// Reserves a port that refuses connections. No other process can use it until the server is stopped or released.
    public static func refusing() throws -> LoopbackServer {
        let (descriptor, port) = try Socket.bindToLoopback(backlog: nil)
        return LoopbackServer(port: port, holding: [descriptor])
    }

    deinit {
        connections.closeAll()
    }

    /// Closes the port and all connections. Calling it again has no effect.
    public func stop() {
        connections.closeAll()
    }

    /// The number of accepted connections.
    public var acceptedConnections: Int { connections.accepted }

    private static func accept(
        from listener: Int32,
        _ connections: Connections,
        _ script: @escaping @Sendable (Connection) throws -> Void
    ) {
        while let connection = Socket.accept(listener).map({ Connection(descriptor: $0) }) {
            guard connections.add(connection) else { return connection.close() }
            let isStarted: Void? = try? BlockingThread.start {
                // An error of the script is visible to the client as a closed connection.
                try? script(connection)
                connections.remove(connection)
                connection.close()
            }
            guard isStarted == nil else { continue }
            connections.remove(connection)
            connection.close()
        }
    }
}

/// The sockets of a server, which close when it stops.
private final class Connections: Sendable {
    private struct State {
        var listener: Int32?
        var open: [ObjectIdentifier: LoopbackServer.Connection] = [:]
        var accepted = 0
        var isStopped = false
    }

    private let state: Locked<State>

    init(listener: Int32) {
        state = Locked(State(listener: listener))
    }

    init(holding sockets: [LoopbackServer.Connection]) {
        state = Locked(State(open: Dictionary(uniqueKeysWithValues: sockets.map { (ObjectIdentifier($0), $0) })))
    }

    var accepted: Int { state.withLock { $0.accepted } }

    func add(_ connection: LoopbackServer.Connection) -> Bool {
        state.withLock { state in
            guard !state.isStopped else { return false }
            state.accepted += 1
            state.open[ObjectIdentifier(connection)] = connection
            return true
        }
    }

    func remove(_ connection: LoopbackServer.Connection) {
        state.withLock { $0.open[ObjectIdentifier(connection)] = nil }
    }

    func closeAll() {
        let (listener, open) = state.withLock { state in
            defer { state = State(listener: nil, accepted: state.accepted, isStopped: true) }
            return (state.listener, state.open.values)
        }
        if let listener { Socket.stopListening(listener) }
        for connection in open { connection.shutDown() }
    }
}
