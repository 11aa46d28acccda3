import Foundation
import Requests

extension CurlTransport {
    /// How connections are made, shared and kept.
    public struct Connections: Sendable {
        /// How many connections to one host there may be at a time; `nil`, the default, for no limit. Exchanges that
        /// find none wait, and their timeouts run.
        public var maximumPerHost: Int?

        /// How many connections there may be at a time; `nil`, the default, for no limit.
        public var maximumTotal: Int?

        /// How many connections are kept for later exchanges, to all hosts together; 256 by default.
        public var maximumIdle = 256

        /// How long a connection may have been idle to be used again, in whole seconds; 118 s by default.
        public var idleLifetime: Duration = .seconds(118)

        /// How old a connection may be to be used again, in whole seconds; `nil`, the default, for no limit.
        public var lifetime: Duration?

        /// How a connection without traffic is probed; `nil`, the default, for not at all.
        public var keepAlive: KeepAlive?

        /// The IP versions that are tried; all by default.
        public var ipVersion = IPVersion.any

        /// The interface, address or host name that connections leave from; `nil`, the default, for the system's choice.
        public var localInterface: String?

        /// The path of the Unix domain socket that serves every host; `nil`, the default, for none. What `keepAlive` and
        /// `ipVersion` say has no meaning there.
        public var unixSocket: String?

        /// The addresses of hosts, which are then not looked up; none by default. Over a proxy only its own count: it looks
        /// up the others itself.
        ///
        /// ```swift
        /// connections.addresses = [.init("api.example.com", 443): ["192.0.2.7", "2001:db8::7"]]
        /// ```
        public var addresses: [HostAndPort: [String]] = [:]

        /// Where to connect to in place of a host; URL, `Host` field and certificate stay those of the host. Nowhere else
        /// by default.
        public var connectTo: [HostAndPort: HostAndPort] = [:]

        /// Creates the default connections.
        public init() {}

        /// A host and a port.
        public struct HostAndPort: Hashable, Sendable {
            let host: String
            let port: Int

            /// Creates a pair. It is checked when the transport is made.
            public init(_ host: String, _ port: Int) {
                self.host = host
                self.port = port
            }
        }

        /// How the system probes a connection without traffic (RFC 9293 §3.8.4), in whole seconds.
        public struct KeepAlive: Hashable, Sendable {
            /// How long a connection is idle before the first probe.
            public var idle: Duration
            /// The time between probes.
            public var interval: Duration

            /// Creates probes; a minute each by default.
            public init(idle: Duration = .seconds(60), interval: Duration = .seconds(60)) {
                self.idle = idle
                self.interval = interval
            }
        }

        /// A version of the Internet Protocol.
        public struct IPVersion: Hashable, Sendable {
            let number: Int

            /// Version 4 and version 6.
            public static let any = IPVersion(number: 0)
            /// Version 4 alone.
            public static let v4 = IPVersion(number: 4)
            /// Version 6 alone.
            public static let v6 = IPVersion(number: 6)
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
        for (host, addresses) in addresses { _ = try CurlTransport.Connections.line(for: host, addresses) }
        for (host, other) in connectTo { _ = try CurlTransport.Connections.line(for: host, other) }
        if let unixSocket {
            // A path in the address of a socket ends with a NUL.
            let limit = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1
            guard (1...limit).contains(unixSocket.utf8.count) else {
                throw .unsupported(
                    "the path of the Unix domain socket has \(unixSocket.utf8.count) bytes; the system takes 1 to \(limit)"
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

    /// Addresses as libcurl takes them: `host:port:address,address`.
    static func line(for host: HostAndPort, _ addresses: [String]) throws(TransportError) -> String {
        guard !addresses.isEmpty else { throw .unsupported("the host \(Redaction.quoted(host.host)) has no address") }
        var list: [String] = []
        for address in addresses {
            var parsed = in6_addr()
            if inet_pton(AF_INET6, address, &parsed) == 1 {
                list.append("[\(address)]")
            } else if inet_pton(AF_INET, address, &parsed) == 1 {
                list.append(address)
            } else {
                throw .unsupported("\(Redaction.quoted(address)) is not an IP address")
            }
        }
        return "\(try host.checked()):\(list.joined(separator: ","))"
    }

    /// Another host as libcurl takes it: `host:port:host:port`.
    static func line(for host: HostAndPort, _ other: HostAndPort) throws(TransportError) -> String {
        "\(try host.checked()):\(try other.checked())"
    }
}

extension CurlTransport.Connections.HostAndPort {
    /// The pair as it is in a URL, in lower-case ASCII.
    func checked() throws(TransportError) -> String {
        guard (1...65_535).contains(port), !host.utf8.contains(UInt8(ascii: ":")) || host.hasPrefix("["),
            let url = try? RequestURL("http://\(host):\(port)"), url.path.isEmpty, url.query == nil
        else {
            throw .unsupported("\(Redaction.quotedURL("\(host):\(port)")) is not a host and a port")
        }
        return "\(url.host):\(port)"
    }
}
