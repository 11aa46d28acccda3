#if canImport(CRequestsCurl)
import CRequestsCurl
import Requests
import RequestsSystem

extension CurlTransport {
    /// The options for opening, sharing and keeping connections.
    public struct Connections: Sendable {
        /// The maximum number of open connections to one host. More requests wait, and their connect and total timeouts
        /// run. Default: `nil`, no limit.
        public var maximumPerHost: Int?

        /// The maximum number of open connections to all hosts together. Default: `nil`, no limit.
        public var maximumTotal: Int?

        /// The maximum number of idle connections to keep, for all hosts together. Default: 256.
        public var maximumIdle = 256

        /// The time after which an idle connection isn't reused, rounded up to whole seconds. A server's `Keep-Alive`
        /// timeout also applies, a second before its end. Default: 118 seconds.
        public var idleLifetime: Duration = .seconds(118)

        /// The age at which a connection isn't reused, rounded up to whole seconds. Default: `nil`, no limit.
        public var lifetime: Duration?

        /// The TCP probes that detect a dead connection. Default: `nil`, none are sent.
        public var keepAlive: KeepAlive?

        /// The IP versions to try. Default: both.
        public var ipVersion = IPVersion.any

        /// The local network interface, IP address or host name to connect from. Default: `nil`, the system chooses.
        public var localInterface: String?

        /// The local port of all connections. No two connections to one destination can share it. Default: `nil`, one
        /// port each.
        package var localPort: UInt16?

        /// The path of a Unix domain socket to connect to, whatever the host. `keepAlive` and `ipVersion` don't apply
        /// to it. Default: `nil`, none.
        public var unixSocket: String?

        /// The IP addresses of hosts, used instead of a DNS lookup. With a proxy, only the address of the proxy
        /// matters, because the proxy resolves all other hosts. Default: none.
        ///
        /// ```swift
        /// connections.addresses = [
        ///     .init("api.example.com", 443): ["192.0.2.7", "2001:db8::7"]
        /// ]
        /// ```
        public var addresses: [HostAndPort: [String]] = [:]

        /// Other hosts to connect to instead. The URL, `Host` and the expected certificate don't change. Default: none.
        public var connectTo: [HostAndPort: HostAndPort] = [:]

        /// Creates the default settings.
        public init() {}

        /// A host and a port.
        public struct HostAndPort: Hashable, Sendable {
            let host: String
            let port: Int

            /// Creates a pair. Creating a transport throws if the host or the port is invalid.
            public init(_ host: String, _ port: Int) {
                self.host = host
                self.port = port
            }
        }

        /// TCP keep-alive probes (RFC 9293 §3.8.4). Both times are rounded up to whole seconds.
        public struct KeepAlive: Hashable, Sendable {
            /// The idle time before the first probe.
            public var idle: Duration
            /// The time between probes.
            public var interval: Duration

            /// Creates probes. Default: 60 seconds for both times.
            public init(idle: Duration = .seconds(60), interval: Duration = .seconds(60)) {
                self.idle = idle
                self.interval = interval
            }
        }

        /// A version of the Internet Protocol.
        public struct IPVersion: Hashable, Sendable {
            let option: Int

            /// IPv4 and IPv6.
            public static let any = IPVersion(option: crc_ip_any)
            /// Only IPv4.
            public static let v4 = IPVersion(option: crc_ip_v4)
            /// Only IPv6.
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
            // The path in a socket's address ends with a NUL, which needs a byte.
            let limit = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1
            guard (1...limit).contains(unixSocket.utf8.count) else {
                throw .unsupported(
                    "connections.unixSocket has \(unixSocket.utf8.count) bytes; "
                        + "set a path of 1 to \(limit) bytes"
                )
            }
            guard localInterface == nil, addresses.isEmpty, connectTo.isEmpty else {
                throw .unsupported(
                    "connections.unixSocket is \(Redaction.quoted(unixSocket)), so no host is looked up; "
                        + "remove localInterface, addresses and connectTo"
                )
            }
        }
    }

    /// Returns the addresses in libcurl's format: `host:port:address,address`.
    func addressLines() throws(TransportError) -> [String] {
        try addresses.map { (host, addresses) throws(TransportError) in
            guard !addresses.isEmpty else {
                throw .unsupported("connections.addresses has no address for \(Redaction.quoted(host.host)); add one")
            }
            let list = try addresses.map { (address) throws(TransportError) in
                guard !address.hasPrefix("["), let parsed = IPAddress(address) else {
                    throw .unsupported("\(Redaction.quoted(address)) isn't an IP address; write it like 192.0.2.7")
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

    /// Returns the host and port to which requests for an origin go, as in the target of `CONNECT`.
    func peer(of origin: RequestURL.Origin) throws(TransportError) -> String {
        let usual = "\(origin.host):\(origin.port)"
        for (host, other) in connectTo where try host.checked() == usual { return try other.checked() }
        return usual
    }
}

extension CurlTransport.Connections.HostAndPort {
    /// Returns the pair as `host:port` in lowercase ASCII. Throws if it is invalid.
    func checked() throws(TransportError) -> String {
        guard (1...65_535).contains(port), !host.utf8.contains(UInt8(ascii: ":")) || host.hasPrefix("["),
            let url = try? RequestURL("http://\(host):\(port)"), url.path.isEmpty, url.query == nil
        else {
            throw .unsupported("\(Redaction.quotedURL("\(host):\(port)")) isn't a host and a port; drop the scheme")
        }
        return "\(url.host):\(port)"
    }
}
#endif
