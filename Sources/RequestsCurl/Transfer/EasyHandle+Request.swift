#if canImport(CRequestsCurl)
import CRequestsCurl
import Requests

extension EasyHandle {
    /// The maximum size of a body that libcurl gets as a whole, so it can send the header and the body together.
    static let inlineBodyLimit: Int64 = 64 << 10
    /// The size of libcurl's buffer for what it sends.
    static let defaultUploadBuffer = 64 << 10

    /// Sets every option that differs between transfers, including the ones that the previous transfer set.
    ///
    /// - Returns: The body, if libcurl must read it piece by piece; otherwise `nil`.
    func prepare(
        for request: PreparedRequest,
        isObserved: Bool,
        through proxy: ProxyServer?,
        _ driver: LoopDriver
    ) throws -> UploadBody? {
        try setProxy(proxy, driver.settings)
        if driver.settings.distinguishesHosts { try setTLS(driver.settings.tls, for: request.url) }
        // This request gets a new connection, and no other request may use it. Closing it at the end of the response
        // would discard a body that the server hasn't read.
        if driver.settings.separatesExchanges, !request.url.isSecure {
            turnOn(CURLOPT_FRESH_CONNECT)
            if request.body.isNone { forbidReuse() }
        }
        try setURL(request.url, proxy, driver.connections)
        let connectTimeout = request.options.timeouts.connect?.roundedUpMilliseconds ?? .maximumTimeout
        if connectTimeout != last.connectTimeout {
            try set(CURLOPT_CONNECTTIMEOUT_MS, connectTimeout)
            last.connectTimeout = connectTimeout
        }
        let upload = try setMethodAndBody(of: request, isObserved: isObserved)
        if request.body.trailers != nil {
            try turnOnTrailers()
        } else if driver.settings.exceedsMultiplexing(request) {
            try turnOnHTTP1()
        }
        // libcurl says in its log only why it sends a request again.
        if quirks.logsRefusals, !request.method.isIdempotent, driver.settings.offersMultiplexing(to: request.url) {
            turnOn(CURLOPT_VERBOSE)
        }
        try setFields(of: request, driver.settings)
        try setUploadBuffer(forHeader: request.url.text.utf8.count + last.fields.count)
        return upload
    }

    /// Makes room for a large header. libcurl before 8.7 sends no more than two buffers of it if the body is empty, and
    /// then waits for the response.
    private func setUploadBuffer(forHeader size: Int) throws(TransportError) {
        let buffer = max(EasyHandle.defaultUploadBuffer, size + 1024)
        guard buffer != last.uploadBuffer else { return }
        try set(CURLOPT_UPLOAD_BUFFERSIZE, buffer)
        last.uploadBuffer = buffer
    }

    /// Sets the URL. The request line contains the whole URL for a proxy without a tunnel (RFC 9112 §3.2.2), and only
    /// path and query otherwise.
    private func setURL(_ url: RequestURL, _ proxy: ProxyServer?, _ connections: Connections) throws(TransportError) {
        if let proxy, proxy.isHTTP, !proxy.tunnels(to: url) {
            last.origin = nil
            try unsafe set(CURLOPT_CURLU, pointer: nil)
            // Set explicitly, because libcurl would drop the `?` of an empty query.
            let target = url.textBeforePath + url.target
            try set(CURLOPT_REQUEST_TARGET, String(target))
            return try set(CURLOPT_URL, String(target))
        }
        if last.origin?.text != url.textBeforePath {
            let origin = try connections.origin(of: url)
            // Retained, because libcurl uses the origin until the next one is set.
            last.origin = origin
            try unsafe set(CURLOPT_CURLU, pointer: UnsafeMutableRawPointer(origin.url))
        }
        let code = unsafe url.withTarget { unsafe crc_set_string(easy, CURLOPT_REQUEST_TARGET, $0) }
        try demand(code, CURLOPT_REQUEST_TARGET)
    }

    private func setMethodAndBody(of request: PreparedRequest, isObserved: Bool) throws -> UploadBody? {
        let isPlainGet = request.method == .get && request.framingField == nil
        defer { last.isPlainGet = isPlainGet }
        if isPlainGet, last.isPlainGet { return nil }
        // This order undoes whatever the last transfer's method and body left behind.
        try set(CURLOPT_POSTFIELDS, nil)
        try set(CURLOPT_POSTFIELDSIZE_LARGE, offset: -1)
        try set(CURLOPT_HTTPGET, 1)
        let upload = try setBody(of: request, isObserved: isObserved)
        if request.method == .head { try set(CURLOPT_NOBODY, 1) }
        let isDefault = request.method == (upload == nil && request.framingField == nil ? .get : .post)
        try set(CURLOPT_CUSTOMREQUEST, isDefault || request.method == .head ? nil : request.method.rawValue)
        return upload
    }

    private func setBody(of request: PreparedRequest, isObserved: Bool) throws -> UploadBody? {
        guard request.framingField != nil else { return nil }
        try set(CURLOPT_POST, 1)
        // An observer needs the upload's progress, so then libcurl must ask for the bytes.
        let waits = request.expectsContinue
        let isInline = request.body.data.map { Int64($0.count) <= EasyHandle.inlineBodyLimit && !isObserved && !waits }
        if request.body.isNone || isInline == true {
            let data = request.body.data ?? Data()
            try set(CURLOPT_POSTFIELDSIZE_LARGE, offset: Int64(data.count))
            // An empty body is "" and not a null pointer, which would make libcurl ask for the bytes.
            let code = unsafe data.withUnsafeBytes { bytes in
                unsafe "".withCString { empty in
                    let address = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
                    return unsafe crc_set_string(easy, CURLOPT_COPYPOSTFIELDS, address ?? empty)
                }
            }
            guard code == CURLE_OK else { throw TransportError.outOfMemory(creating: "the request's body") }
            return nil
        }
        try set(CURLOPT_POSTFIELDSIZE_LARGE, offset: request.body.length ?? -1)
        return UploadBody(request.body, awaitsContinue: waits)
    }

    private func setFields(of request: PreparedRequest, _ settings: Settings) throws(TransportError) {
        let header = request.header
        var lines: [UInt8] = []
        // Most requests have fewer bytes.
        lines.reserveCapacity(256)
        func add(_ name: String, _ value: String) {
            lines += name.utf8
            // libcurl removes its own field for `name:`, so an empty value is written as `name;`.
            lines += (value.isEmpty ? ";" : ": ").utf8
            if let octets = OpaqueOctets.octets(of: value) { lines += octets } else { lines += value.utf8 }
            lines.append(0)
        }
        if !header.contains(.accept) { lines += "Accept:\0".utf8 }
        if !last.isPlainGet {
            // libcurl must not wait for `100 Continue` itself: it would send a request again after 417.
            lines += "Expect:\0".utf8
            if !header.contains(.contentType) { lines += "Content-Type:\0".utf8 }
        }
        if let userAgent = settings.configuration.userAgent, !header.contains(.userAgent) {
            add("User-Agent", userAgent)
        }
        // Not with `Range`, because a part of an encoded body can't be decoded (RFC 9110 §14.2).
        if let codings = settings.offeredCodings, !header.contains(.acceptEncoding), !header.contains(.range) {
            add("Accept-Encoding", codings)
        }
        for field in header where field.name != .contentLength { add(field.name.rawValue, field.value) }
        guard lines != last.fields else { return }
        try set(CURLOPT_HTTPHEADER, lines: lines)
        last.fields = lines
    }
}

extension PreparedRequest {
    /// Whether the body waits for `100 Continue` (RFC 9110 §10.1.1).
    fileprivate var expectsContinue: Bool {
        !body.isNone && header["Expect"].map { ASCII.equalsIgnoringCase($0, "100-continue") } ?? false
    }
}

extension Duration {
    /// The duration rounded up to milliseconds, at least 1 and at most `Int.maximumTimeout`.
    var roundedUpMilliseconds: Int {
        let (seconds, attoseconds) = components
        guard seconds < Int.maximumTimeout / 1000 else { return .maximumTimeout }
        return max(1, Int(clamping: seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }
}

extension Int {
    /// 24 days in milliseconds, the maximum of a 32-bit C `long`.
    static let maximumTimeout = Int(Int32.max)
}
#endif
