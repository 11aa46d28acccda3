#if canImport(CRequestsCurl)
import CRequestsCurl
import Requests
import RequestsClient

extension EasyHandle {
    func set(_ option: CURLoption, _ value: Int) throws(TransportError) {
        try unsafe demand(crc_set_long(easy, option, value), option)
    }

    func set(_ option: CURLoption, _ value: String?) throws(TransportError) {
        let code =
            unsafe value?.withCString { unsafe crc_set_string(easy, option, $0) } ?? crc_set_string(easy, option, nil)
        try demand(code, option)
    }

    func set(_ option: CURLoption, offset: Int64) throws(TransportError) {
        try unsafe demand(crc_set_offset(easy, option, curl_off_t(clamping: offset)), option)
    }

    func set(_ option: CURLoption, pointer: UnsafeMutableRawPointer?) throws(TransportError) {
        try unsafe demand(crc_set_pointer(easy, option, pointer), option)
    }

    func set(_ option: CURLoption, lines: [String]) throws(TransportError) {
        try set(option, lines: lines.flatMap { Array($0.utf8) + [0] })
    }

    /// - Parameter lines: The bytes of the lines, each of which ends with NUL.
    func set(_ option: CURLoption, lines: [UInt8]) throws(TransportError) {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines.split(separator: 0) {
            // The NUL follows the slice.
            let longer = unsafe line.withUnsafeBytes { bytes in
                unsafe curl_slist_append(list, bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
            }
            guard let longer = unsafe longer else {
                unsafe curl_slist_free_all(list)
                throw .outOfMemory(creating: "a transfer")
            }
            unsafe list = longer
        }
        let previous = unsafe lists[option.rawValue]
        unsafe lists[option.rawValue] = list
        defer { unsafe curl_slist_free_all(previous) }
        try unsafe demand(crc_set_list(easy, option, list), option)
    }

    /// Returns a measurement of the transfer: a time in microseconds, or a number of bytes. 0 if libcurl has none.
    func number(_ info: CURLINFO) -> Int64 {
        var value: curl_off_t = 0
        return unsafe crc_get_offset(easy, info, &value) == CURLE_OK ? Int64(value) : 0
    }

    func long(_ info: CURLINFO) -> Int {
        var value = 0
        return unsafe crc_get_long(easy, info, &value) == CURLE_OK ? value : 0
    }

    /// Throws if libcurl rejects an option, because the transfer would differ from what the caller asked for.
    func demand(_ code: CURLcode, _ option: CURLoption) throws(TransportError) {
        guard code == CURLE_OK else {
            let reason = unsafe String(cString: curl_easy_strerror(code))
            let name = unsafe curl_easy_option_by_id(option).map { unsafe String(cString: $0.pointee.name) }
            let version = LinkedLibcurl.shownVersion
            throw .unsupported("libcurl \(version) rejects \(name ?? "\(option.rawValue)"): \(reason)")
        }
    }

    /// Asserts that libcurl accepted an option. Only for options that no supported version rejects.
    func check(_ code: CURLcode) { assert(code == CURLE_OK) }
}

extension EasyHandle {
    func setVersion(_ version: CurlTransport.PreferredVersion) throws(TransportError) {
        let known = version == .http3 && !LinkedLibcurl.has(.http3) ? .http2 : version
        let isBuiltIn = LinkedLibcurl.has(.http2) || known.isHTTP3
        try set(CURLOPT_HTTP_VERSION, isBuiltIn ? known.option : crc_http_version_1_1)
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
        if isInsideTLS {
            let pins = settings.tls.publicKeyPins[proxy?.host ?? ""]
            try set(CURLOPT_PROXY_PINNEDPUBLICKEY, pins.map(EasyHandle.pinList))
        }
        try set(CURLOPT_PROXY, proxy?.url ?? "")
        // With only basic authentication allowed, libcurl sends the credentials with the first request. It would take a
        // server's challenge inside a tunnel for the proxy's, so the transport answers challenges itself.
        let answersChallenges = proxy?.requestedCredentials != nil
        let credentials = answersChallenges ? nil : proxy?.credentials
        try set(CURLOPT_PROXYUSERNAME, credentials?.username)
        try set(CURLOPT_PROXYPASSWORD, credentials?.password.text)
        try set(CURLOPT_PROXYAUTH, crc_auth_basic)
        try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, answersChallenges ? 0 : 1)
        try setProxyFields()
        try set(CURLOPT_HTTPPROXYTUNNEL, proxy?.tunnels == true ? 1 : 0)
        try set(CURLOPT_SOCKS5_AUTH, crc_auth_basic)
    }

    func setProxyFields(_ credentials: Field? = nil) throws(TransportError) {
        // Removes the field Proxy-Connection, which isn't a standard one (RFC 9112 §C.2.2).
        let lines = ["Proxy-Connection:"] + (credentials.map { ["\($0.name.rawValue): \($0.value)"] } ?? [])
        try set(CURLOPT_PROXYHEADER, lines: lines)
    }
}

extension Duration {
    /// The duration rounded up to seconds, at least 1 and at most `Int32.max`.
    fileprivate var roundedUpSeconds: Int {
        let (seconds, attoseconds) = components
        return Int(clamping: min(max(seconds, 0) + (attoseconds > 0 ? 1 : 0), Int64(Int32.max)))
    }
}
#endif
