import CRequestsCurl
import Requests
import RequestsSystem

extension CurlTransport {
    /// How connections are opened, shared and kept.
    public struct Connections: Sendable {
        /// The maximum number of connections to one host. Exchanges above it wait, which counts towards their connect
        /// and total timeouts. Default: `nil`, no limit.
        public var maximumPerHost: Int?

        /// The maximum number of connections. Default: `nil`, no limit.
        public var maximumTotal: Int?

        /// The maximum number of idle connections to keep, to all hosts together. Default: 256.
        public var maximumIdle = 256

        /// The time after which an idle connection isn't reused, in whole seconds. Default: 118 seconds.
        public var idleLifetime: Duration = .seconds(118)

        /// The age at which a connection isn't reused, in whole seconds. Default: `nil`, no limit.
        public var lifetime: Duration?

        /// The probes of a connection without traffic. Default: `nil`, none.
        public var keepAlive: KeepAlive?

        /// The IP versions to try. Default: both.
        public var ipVersion = IPVersion.any

        /// The local interface, address or host name of connections. Default: `nil`, the system chooses.
        public var localInterface: String?

        /// The local port of all connections, which can share it if their destinations differ. `nil`: one for each.
        package var localPort: UInt16?

        /// The path of a Unix domain socket that is used for every host. `keepAlive` and `ipVersion` don't apply to it.
        /// Default: `nil`, none.
        public var unixSocket: String?

        /// The addresses of hosts, which then aren't resolved. Through a proxy, only the proxy's own address counts,
        /// because it resolves the others. Default: none.
        ///
        /// ```swift
        /// connections.addresses = [.init("api.example.com", 443): ["192.0.2.7", "2001:db8::7"]]
        /// ```
        public var addresses: [HostAndPort: [String]] = [:]

        /// Other hosts to connect to. The URL, the `Host` field and the certificate don't change. Default: none.
        public var connectTo: [HostAndPort: HostAndPort] = [:]

        /// Creates the default connections.
        public init() {}

        /// A host and a port.
        public struct HostAndPort: Hashable, Sendable {
            let host: String
            let port: Int

            /// Creates a pair, which is checked when the transport is made.
            public init(_ host: String, _ port: Int) {
                self.host = host
                self.port = port
            }
        }

        /// The system's probes of a connection without traffic (RFC 9293 §3.8.4), in whole seconds.
        public struct KeepAlive: Hashable, Sendable {
            /// The idle time before the first probe.
            public var idle: Duration
            /// The time between probes.
            public var interval: Duration

            /// Creates probes. Default: a minute for both times.
            public init(idle: Duration = .seconds(60), interval: Duration = .seconds(60)) {
                self.idle = idle
                self.interval = interval
            }
        }

        /// A version of the Internet Protocol.
        public struct IPVersion: Hashable, Sendable {
            /// libcurl's name for it.
            let option: Int

            /// Version 4 and version 6.
            public static let any = IPVersion(option: crc_ip_any)
            /// Only version 4.
            public static let v4 = IPVersion(option: crc_ip_v4)
            /// Only version 6.
            public static let v6 = IPVersion(option: crc_ip_v6)
        }
    }
}

extension CurlTransport.Connections {
    func validate() throws(TransportError) {
        for (name, count) in [
            ("maximumPerHost", maximumPerHost), ("maximumTotal", maximumTotal), ("maximumIdle", maximumIdle),
        ] {
            guard let count, !(1...Int(Int32.max)).contains(count) else { continue }
            throw .unsupported("\(name) is \(count); set 1 or more, or nil for no limit")
        }
        for (name, duration) in [
            ("idleLifetime", idleLifetime), ("lifetime", lifetime), ("keepAlive.idle", keepAlive?.idle),
            ("keepAlive.interval", keepAlive?.interval),
        ] {
            guard let duration, duration < .seconds(1) else { continue }
            throw .unsupported("\(name) is \(duration); set a second or more")
        }
        _ = try (addressLines(), otherHostLines())
        if let unixSocket {
            // A path in the address of a socket ends with a NUL.
            let limit = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1
            guard (1...limit).contains(unixSocket.utf8.count) else {
                throw .unsupported(
                    "the path of the Unix domain socket has \(unixSocket.utf8.count) bytes; "
                        + "the system takes 1 to \(limit)"
                )
            }
            guard localInterface == nil, addresses.isEmpty, connectTo.isEmpty else {
                throw .unsupported(
                    "over the Unix domain socket \(Redaction.quoted(unixSocket)) nothing is connected to or looked up; "
                        + "remove localInterface, addresses and connectTo"
                )
            }
        }
    }

    /// Returns the addresses in libcurl's format: `host:port:address,address`.
    func addressLines() throws(TransportError) -> [String] {
        try addresses.map { (host, addresses) throws(TransportError) in
            guard !addresses.isEmpty else {
                throw .unsupported("the host \(Redaction.quoted(host.host)) has no address")
            }
            let list = try addresses.map { (address) throws(TransportError) in
                guard !address.hasPrefix("["), let parsed = IPAddress(address) else {
                    throw .unsupported("\(Redaction.quoted(address)) is not an IP address")
                }
                return parsed.bytes.count == 4 ? address : "[\(address)]"
            }
            return "\(try host.checked()):\(list.joined(separator: ","))"
        }
    }

    /// Returns the other hosts in libcurl's format: `host:port:host:port`.
    func otherHostLines() throws(TransportError) -> [String] {
        try connectTo.map { (host, other) throws(TransportError) in "\(try host.checked()):\(try other.checked())" }
    }
}

extension CurlTransport.Connections.HostAndPort {
    /// Returns the pair as in a URL, in lowercase ASCII.
    func checked() throws(TransportError) -> String {
        guard (1...65_535).contains(port), !host.utf8.contains(UInt8(ascii: ":")) || host.hasPrefix("["),
            let url = try? RequestURL("http://\(host):\(port)"), url.path.isEmpty, url.query == nil
        else {
            throw .unsupported("\(Redaction.quotedURL("\(host):\(port)")) is not a host and a port")
        }
        return "\(url.host):\(port)"
    }
}
