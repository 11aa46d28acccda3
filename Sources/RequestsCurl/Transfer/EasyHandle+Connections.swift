import CRequestsCurl
import Foundation
import Requests
import RequestsClient

extension EasyHandle {
    func setVersion(_ version: CurlTransport.PreferredVersion) throws(TransportError) {
        let version =
            switch version.choice {
            case .http1_1: crc_http_version_1_1
            case .http2:
                LinkedLibcurl.has(.http2) ? crc_http_version_2_tls : crc_http_version_1_1
            case .http2WithPriorKnowledge: crc_http_version_2_prior_knowledge
            }
        try set(CURLOPT_HTTP_VERSION, version)
    }

    func configure(_ connections: CurlTransport.Connections) throws(TransportError) {
        try set(CURLOPT_MAXAGE_CONN, connections.idleLifetime.roundedUpSeconds)
        if let lifetime = connections.lifetime { try set(CURLOPT_MAXLIFETIME_CONN, lifetime.roundedUpSeconds) }
        if let keepAlive = connections.keepAlive {
            try set(CURLOPT_TCP_KEEPALIVE, 1)
            try set(CURLOPT_TCP_KEEPIDLE, keepAlive.idle.roundedUpSeconds)
            try set(CURLOPT_TCP_KEEPINTVL, keepAlive.interval.roundedUpSeconds)
        }
        let resolve = [.v4: crc_ip_v4, .v6: crc_ip_v6] as [CurlTransport.Connections.IPVersion: Int]
        try set(CURLOPT_IPRESOLVE, resolve[connections.ipVersion] ?? crc_ip_any)
        if let interface = connections.localInterface { try set(CURLOPT_INTERFACE, interface) }
        if let port = connections.localPort { try set(CURLOPT_LOCALPORT, Int(port)) }
        if let path = connections.unixSocket {
            try LinkedLibcurl.require(.unixSockets, for: "a Unix domain socket")
            try set(CURLOPT_UNIX_SOCKET_PATH, path)
        }
        var lines: [String] = []
        for (host, addresses) in connections.addresses {
            lines.append(try CurlTransport.Connections.line(for: host, addresses))
        }
        if !lines.isEmpty { try set(CURLOPT_RESOLVE, lines: lines) }
        lines = []
        for (host, other) in connections.connectTo {
            lines.append(try CurlTransport.Connections.line(for: host, other))
        }
        if !lines.isEmpty { try set(CURLOPT_CONNECT_TO, lines: lines) }
    }

    /// Sets the proxy of the next transfer and the options that depend on it.
    func setProxy(_ proxy: ProxyServer?, _ settings: Settings) throws(TransportError) {
        guard proxy != last.proxy else { return }
        last.proxy = proxy
        let isInsideTLS = proxy?.kind == .https
        if LinkedLibcurl.stallsInsideTLS {
            try setVersion(isInsideTLS ? .http1_1 : settings.configuration.httpVersion)
        }
        if isInsideTLS { try setProxyPins(settings.tls.publicKeyPins[proxy?.host ?? ""]) }
        try set(CURLOPT_PROXY, proxy?.url ?? "")
        try set(CURLOPT_PROXYUSERNAME, proxy?.credentials?.username)
        try set(CURLOPT_PROXYPASSWORD, proxy?.credentials?.password.text)
        // Without a challenge, the credentials go with the first request to the proxy.
        let answersChallenges = proxy?.credentials?.onChallenge == true
        try set(CURLOPT_PROXYAUTH, answersChallenges ? crc_auth_basic | crc_auth_digest : crc_auth_basic)
        try set(CURLOPT_HTTPPROXYTUNNEL, proxy?.tunnels == true || answersChallenges ? 1 : 0)
        try set(CURLOPT_SOCKS5_AUTH, crc_auth_basic)
    }
}

extension Duration {
    /// Whole seconds, at least one and at most what a 32-bit C `long` holds.
    fileprivate var roundedUpSeconds: Int {
        let (seconds, attoseconds) = components
        return Int(clamping: min(max(seconds, 0) + (attoseconds > 0 ? 1 : 0), Int64(Int32.max)))
    }
}
