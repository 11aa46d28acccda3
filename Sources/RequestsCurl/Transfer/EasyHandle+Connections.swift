import CRequestsCurl
import Requests
import RequestsClient

extension EasyHandle {
    func setVersion(_ version: CurlTransport.PreferredVersion) throws(TransportError) {
        try set(CURLOPT_HTTP_VERSION, LinkedLibcurl.has(.http2) ? version.option : crc_http_version_1_1)
    }

    func configure(_ connections: CurlTransport.Connections) throws(TransportError) {
        try set(CURLOPT_MAXAGE_CONN, connections.idleLifetime.roundedUpSeconds)
        if let lifetime = connections.lifetime { try set(CURLOPT_MAXLIFETIME_CONN, lifetime.roundedUpSeconds) }
        if let keepAlive = connections.keepAlive {
            try set(CURLOPT_TCP_KEEPALIVE, 1)
            try set(CURLOPT_TCP_KEEPIDLE, keepAlive.idle.roundedUpSeconds)
            try set(CURLOPT_TCP_KEEPINTVL, keepAlive.interval.roundedUpSeconds)
        }
        try set(CURLOPT_IPRESOLVE, connections.ipVersion.option)
        if let interface = connections.localInterface { try set(CURLOPT_INTERFACE, interface) }
        if let port = connections.localPort { try set(CURLOPT_LOCALPORT, Int(port)) }
        if let path = connections.unixSocket {
            try LinkedLibcurl.require(.unixSockets, for: "a Unix domain socket")
            try set(CURLOPT_UNIX_SOCKET_PATH, path)
        }
        try set(CURLOPT_RESOLVE, lines: connections.addressLines())
        try set(CURLOPT_CONNECT_TO, lines: connections.otherHostLines())
    }

    /// Sets the next transfer's proxy, and the options that depend on it.
    func setProxy(_ proxy: ProxyServer?, _ settings: Settings) throws(TransportError) {
        guard proxy != last.proxy else { return }
        last.proxy = proxy
        let isInsideTLS = proxy?.kind == .https
        if quirks.stallsInsideTLS {
            try setVersion(isInsideTLS ? .http1_1 : settings.configuration.httpVersion)
        }
        if isInsideTLS { try setProxyPins(settings.tls.publicKeyPins[proxy?.host ?? ""]) }
        try set(CURLOPT_PROXY, proxy?.url ?? "")
        try set(CURLOPT_PROXYUSERNAME, proxy?.credentials?.username)
        try set(CURLOPT_PROXYPASSWORD, proxy?.credentials?.password.text)
        // With only basic authentication allowed, libcurl sends the credentials with the first request.
        let answersChallenges = proxy?.credentials?.onChallenge == true
        try set(CURLOPT_PROXYAUTH, answersChallenges ? crc_auth_basic | crc_auth_digest : crc_auth_basic)
        try set(CURLOPT_HTTPPROXYTUNNEL, proxy?.tunnels == true || answersChallenges ? 1 : 0)
        try set(CURLOPT_SOCKS5_AUTH, crc_auth_basic)
    }
}

extension Duration {
    /// The duration rounded up to seconds, at least 1 and at most `Int32.max`.
    fileprivate var roundedUpSeconds: Int {
        let (seconds, attoseconds) = components
        return Int(clamping: min(max(seconds, 0) + (attoseconds > 0 ? 1 : 0), Int64(Int32.max)))
    }
}
