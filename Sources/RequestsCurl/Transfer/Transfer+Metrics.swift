#if canImport(CRequestsCurl)
import CRequestsCurl
import Requests
import RequestsClient

/// The transfer's metrics, and the events for its observer.
extension Transfer {
    func report(_ event: @autoclosure () -> PreparedRequest.Event) {
        if let observer = context.observer { observer(event()) }
    }

    /// Reports that the request was sent. It counts as sent when its response begins, even if a part is unsent.
    func reportSent() {
        guard !isSendingReported else { return }
        isSendingReported = true
        report(.requestSent)
    }

    /// Reads libcurl's measurements. Called when the head has arrived, and again at the end.
    func measureHead() {
        guard stage > .queued, let handle else { return }
        let isReused = handle.long(CURLINFO_NUM_CONNECTS) == 0
        if !isReused {
            metrics.domainLookupEnd = time(CURLINFO_NAMELOOKUP_TIME_T)
            metrics.connectEnd = time(CURLINFO_CONNECT_TIME_T)
            metrics.tlsEnd = time(CURLINFO_APPCONNECT_TIME_T)
        }
        metrics.isConnectionReused = isReused
        metrics.requestStart = time(CURLINFO_PRETRANSFER_TIME_T)
        metrics.responseStart = timing.timeToResponse ?? time(CURLINFO_STARTTRANSFER_TIME_T)
        metrics.httpVersion = reception.head.version
        (metrics.localAddress, metrics.remoteAddress) = (connection?.localEnd, connection?.remoteEnd)
    }

    /// Returns a step's time since the start of the exchange. `nil` if the step didn't happen.
    private func time(_ info: CURLINFO) -> Duration? {
        guard stage > .queued, let microseconds = handle?.number(info), microseconds > 0 else { return nil }
        return .microseconds(microseconds) + timing.waited
    }

    func measureEnd() {
        guard let handle else { return }
        measureHead()
        metrics.responseEnd = time(CURLINFO_TOTAL_TIME_T).map { max($0, metrics.responseStart ?? $0) }
        metrics.sentBodyBytes = stage > .queued ? handle.number(CURLINFO_SIZE_UPLOAD_T) : 0
        metrics.receivedBodyBytes = reception.receivedBytes
        report(.ended(metrics))
    }

    func reportAddress(_ address: UnsafePointer<curl_sockaddr>) {
        guard context.observer != nil, let text = unsafe text(of: address) else { return }
        report(.resolved(address: text))
    }

    /// Returns an address as `host:port`. `nil` for other families than IPv4 and IPv6.
    func text(of address: UnsafePointer<curl_sockaddr>) -> String? {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { host -> String? in
            var port: UInt16 = 0
            guard unsafe crc_address_text(address, host.baseAddress, 64, &port) != 0 else { return nil }
            return unsafe host.baseAddress.map { unsafe Connections.Endpoints.text(String(cString: $0), Int(port)) }
        }
    }

    func reportConnection() {
        if request.url.isSecure { metrics.tlsVersion = handle?.tlsVersion }
        guard context.observer != nil, let connection else { return }
        let isReused = handle?.long(CURLINFO_NUM_CONNECTS) == 0
        report(.connected(local: connection.localEnd, remote: connection.remoteEnd, isReused: isReused))
        if request.url.isSecure { report(.secured(tlsVersion: metrics.tlsVersion)) }
    }
}

extension EasyHandle {
    /// The TLS version of the connection, read from OpenSSL's session because libcurl doesn't report it.
    fileprivate var tlsVersion: String? {
        guard let version = unsafe OpenSSL.version, let session = unsafe tlsSession else { return nil }
        return unsafe version(session).map { unsafe String(cString: $0) }
    }

    /// The OpenSSL session of the connection. `nil` if it has none.
    var tlsSession: UnsafeMutableRawPointer? {
        var session: UnsafeMutablePointer<curl_tlssessioninfo>?
        guard unsafe crc_get_tls(easy, &session) == CURLE_OK, let session = unsafe session,
            unsafe session.pointee.backend == CURLSSLBACKEND_OPENSSL
        else { return nil }
        return unsafe session.pointee.internals
    }
}
#endif
