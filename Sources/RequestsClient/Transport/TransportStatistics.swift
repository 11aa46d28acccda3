import Requests

/// The connections and requests of a transport at one moment.
public struct TransportStatistics: Equatable, Sendable {
    /// The open connections to one origin over one version of HTTP.
    public struct Connections: Equatable, Sendable {
        /// The origin whose request opened the connections.
        public let origin: RequestURL.Origin
        /// The version. `nil` before the first response.
        public let httpVersion: HTTPVersion?
        /// The number of open connections, including the idle ones.
        public let open: Int
        /// The number of connections without a request.
        public let idle: Int

        /// Creates a count.
        public init(origin: RequestURL.Origin, httpVersion: HTTPVersion?, open: Int, idle: Int) {
            (self.origin, self.httpVersion, self.open, self.idle) = (origin, httpVersion, open, idle)
        }
    }

    /// The requests of one operation that haven't ended.
    public struct Requests: Equatable, Sendable {
        /// `PreparedRequest.operation`. `nil` for requests without one.
        public let operation: String?
        /// The number of requests that wait for a connection.
        public let queued: Int
        /// The number of requests that are connecting, sending or receiving.
        public let inFlight: Int

        /// Creates a count.
        public init(operation: String?, queued: Int, inFlight: Int) {
            (self.operation, self.queued, self.inFlight) = (operation, queued, inFlight)
        }
    }

    /// The open connections, sorted by origin. Empty if the transport doesn't know them.
    public let connections: [Connections]
    /// The requests that haven't ended, sorted by operation.
    public let requests: [Requests]
    /// The number of requests that have ended since the transport was created, whatever their result.
    public let completed: Int
    /// The number of requests that were sent. A request that is sent again counts again.
    public let sent: Int
    /// The number of requests that were sent over a connection that another one had used.
    public let reused: Int

    /// Creates statistics.
    public init(connections: [Connections], requests: [Requests], completed: Int, sent: Int, reused: Int) {
        (self.connections, self.requests) = (connections, requests)
        (self.completed, self.sent, self.reused) = (completed, sent, reused)
    }

    /// The number of open connections.
    public var openConnections: Int { connections.reduce(0) { $0 + $1.open } }
    /// The number of open connections without a request.
    public var idleConnections: Int { connections.reduce(0) { $0 + $1.idle } }
    /// The number of requests that wait for a connection.
    public var queued: Int { requests.reduce(0) { $0 + $1.queued } }
    /// The number of requests that are connecting, sending or receiving.
    public var inFlight: Int { requests.reduce(0) { $0 + $1.inFlight } }
    /// The share of requests that were sent over a connection that another one had used, from 0 to 1. `nil` before the
    /// first request was sent.
    public var reuseRate: Double? { sent == 0 ? nil : Double(reused) / Double(sent) }
}

extension TransportStatistics.Requests {
    /// Counts requests by operation.
    package static func counting(_ requests: some Sequence<(operation: String?, isQueued: Bool)>) -> [Self] {
        Dictionary(grouping: requests, by: \.operation)
            .map { operation, requests in
                let queued = requests.count { $0.isQueued }
                return Self(operation: operation, queued: queued, inFlight: requests.count - queued)
            }
            .sorted { $0.operation ?? "" < $1.operation ?? "" }
    }
}
