import Foundation
import Requests
import RequestsClient

/// A server on 127.0.0.1, on a port that the system chooses: for tests and demonstrations.
///
/// It plays whatever its script writes, well-formed or not, on one thread for each connection. ``stop()`` or dropping
/// it closes everything.
///
/// ```swift
/// let server = try LoopbackServer { connection in
///     _ = try connection.readRequest()
///     try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\ncut short")
/// }
/// ```
public final class LoopbackServer: Sendable {
    /// The server's address: `http://127.0.0.1:port`.
    public var baseURL: URL { URL(string: "http://127.0.0.1:\(port)") ?? URL(filePath: "/") }

    /// The port that the system chose.
    public let port: UInt16

    private let connections: Connections

    /// Starts a server.
    ///
    /// - Parameter script: Serves one connection, on a thread of its own. The connection is closed when it returns or
    ///   throws.
    /// - Throws: `POSIXError` when the system has no port.
    public init(_ script: @escaping @Sendable (Connection) throws -> Void) throws {
        let (listener, port) = try Socket.bindToLoopback()
        let connections = Connections(listener: listener)
        self.port = port
        self.connections = connections
        Thread.detachNewThread {
            LoopbackServer.accept(from: listener, connections, script)
            // Closed by the thread that uses it: its number could be another server's by now.
            connections.closeAll()
            Socket.close(listener)
        }
    }

    private init(port: UInt16, holding descriptors: [Int32]) {
        self.port = port
        connections = Connections(holding: descriptors.map { Connection(descriptor: $0) })
    }

    /// Starts a server that accepts no connection: to a client each attempt seems to hang.
    public static func unresponsive() throws -> LoopbackServer {
        let (listener, port) = try Socket.bindToLoopback(backlog: 0)
        return LoopbackServer(port: port, holding: [listener] + Socket.fillQueue(ofPort: port))
    }

    /// Holds a port that refuses each connection, and that is nobody else's meanwhile.
    public static func refusing() throws -> LoopbackServer {
        let (descriptor, port) = try Socket.bindToLoopback(backlog: nil)
        return LoopbackServer(port: port, holding: [descriptor])
    }

    deinit {
        connections.closeAll()
    }

    /// Closes the port and all connections. May be called twice.
    public func stop() {
        connections.closeAll()
    }

    /// How many connections were accepted.
    public var acceptedConnections: Int { connections.accepted }

    private static func accept(
        from listener: Int32,
        _ connections: Connections,
        _ script: @escaping @Sendable (Connection) throws -> Void
    ) {
        while let connection = Socket.accept(listener).map({ Connection(descriptor: $0) }) {
            guard connections.add(connection) else { return connection.close() }
            Thread.detachNewThread {
                // A script that fails closes its connection, which is what the client then sees.
                try? script(connection)
                connections.remove(connection)
                connection.close()
            }
        }
    }
}

/// What has to be closed when a server stops.
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
