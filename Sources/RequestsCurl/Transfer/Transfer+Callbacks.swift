#if canImport(CRequestsCurl)
import CRequestsCurl
import Requests
import RequestsClient
import RequestsSystem

/// The callbacks of libcurl, which it calls on the loop's thread while it works on the transfer.
extension Transfer {
    static let resolveName: crc_resolver_function = { _, _, context in
        unsafe Transfer.from(context)?.noteConnecting()
        return 0
    }

    static let openSocket: crc_open_socket_function = { context, _, address in
        guard let address = unsafe address, let transfer = unsafe Transfer.from(context) else { return crc_socket_bad }
        // libcurl 8.22 and later ignores the IP version if the host is an IP address.
        guard unsafe transfer.mayConnect(to: address.pointee.family) else {
            transfer.connecting.socketError = EAFNOSUPPORT
            return crc_socket_bad
        }
        let bytes = unsafe Transfer.bytes(of: address)
        guard unsafe transfer.isAllowed(bytes, address), !transfer.isSilent(bytes) else {
            transfer.noteAttempt(nil)
            return crc_socket_bad
        }
        guard transfer.mayConnect else { return crc_socket_bad }
        let socket = unsafe crc_open_socket(address)
        guard socket != crc_socket_bad else {
            transfer.connecting.socketError = errno
            return socket
        }
        if transfer.driver?.settings.configuration.connections.localPort != nil { crc_share_local_port(socket) }
        transfer.driver?.poller.noteOpened(socket)
        transfer.handle?.last.openedSockets.append(socket)
        transfer.connecting.isTunneling = transfer.proxy?.tunnels(to: transfer.request.url) == true
        transfer.noteAttempt(bytes)
        transfer.noteConnecting()
        unsafe transfer.reportAddress(address)
        return socket
    }

    static let onHeaderLine: crc_bytes_function = { bytes, size, count, context in
        unsafe receive(bytes, size * count, context) { transfer, line, now in
            unsafe transfer.receiveHeaderLine(line, at: now)
        }
    }

    static let onBody: crc_bytes_function = { bytes, size, count, context in
        unsafe receive(bytes, size * count, context) { transfer, piece, now in
            unsafe transfer.stage == .receivingBody
                ? transfer.receiveBody(piece, at: now) : transfer.allowsHeaderLine(piece)
        }
    }

    /// - Parameter goesOn: Handles the bytes. Returns whether libcurl may continue.
    private static func receive(
        _ bytes: UnsafeMutablePointer<CChar>?,
        _ count: Int,
        _ context: UnsafeMutableRawPointer?,
        _ goesOn: (Transfer, UnsafeRawBufferPointer, _ now: UInt64) -> Bool
    ) -> Int {
        unsafe EasyHandle.with(context) { handle, transfer in
            if unsafe goesOn(transfer, UnsafeRawBufferPointer(start: bytes, count: count), handle.clock.now) {
                return count
            }
            handle.resetPromptly()
            return 0
        } ?? 0
    }

    static let sendBody: crc_bytes_function = { buffer, size, count, context in
        let room = unsafe UnsafeMutableRawBufferPointer(start: buffer, count: size * count)
        return unsafe EasyHandle.with(context) { handle, transfer in
            // The system's buffer takes a little more each time, even if the server reads nothing.
            if transfer.driver?.servesAll != true { transfer.deadlines.noteActivity(at: handle.clock.now) }
            transfer.driver?.poller.noteProgress()
            switch unsafe transfer.upload?.read(into: room) {
            case .bytes(let count):
                transfer.noteSent(count)
                if handle.quirks.stallsUploads, transfer.mayHaveEnded {
                    transfer.driver?.submit(.resumeSending(transfer))
                }
                return count
            case .pause:
                transfer.suspendIdle(at: handle.clock.now)
                transfer.limitWait(from: handle.clock.now)
                return crc_read_pause
            case .fail, nil:
                handle.resetPromptly()
                return crc_read_abort
            }
        } ?? crc_read_abort
    }

    static let rewindBody: crc_seek_function = { context, offset, origin in
        guard origin == SEEK_SET, offset == 0, unsafe Transfer.from(context)?.rewindBody() == true else {
            return crc_seek_cannot
        }
        return crc_seek_ok
    }

    /// Called before libcurl sends a request, or resends one because a kept connection closed. It may resend one if the
    /// method is idempotent (RFC 9110 §9.2.2), or if the server reports that it didn't process the request.
    static let onPrerequest: crc_prerequest_function = { context, remote, local, remotePort, localPort in
        let mayBeSent = unsafe EasyHandle.with(context) { handle, transfer in
            // Checked first, because libcurl keeps an HTTP/2 connection if a later check rejects the request.
            guard !transfer.repeatsResponse(), transfer.hasNamedServer() else { return false }
            let connects = handle.long(CURLINFO_NUM_CONNECTS)
            let isNew = connects > transfer.connecting.made
            let endpoints = {
                unsafe Connections.Endpoints(
                    number: handle.number(crc_info_connection),
                    localPort: localPort,
                    remotePort: remotePort,
                    localAddress: local.map { unsafe String(cString: $0) } ?? "",
                    remoteAddress: unsafe remote.map { unsafe String(cString: $0) } ?? ""
                )
            }
            let found = transfer.connection(isNew: isNew, localPort, endpoints)
            let decision = transfer.driver?.connections.attempt(
                transfer,
                over: found,
                isNew: isNew,
                isStale: !isNew && transfer.isStale(found),
                at: handle.clock.now
            )
            guard decision != .restart else { return false }
            (transfer.connecting.made, transfer.connecting.isTunneling) = (connects, false)
            transfer.connecting.nextLook = nil
            transfer.stage = max(transfer.stage, .connecting)
            transfer.deadlines.noteConnected(at: handle.clock.now)
            transfer.driver?.noteDeadline(of: transfer)
            guard transfer.upload?.failure == nil, transfer.goesOn(after: decision) else { return false }
            transfer.noteSending(isNew: isNew)
            transfer.reportConnection()
            return true
        }
        return mayBeSent == true ? crc_prerequest_ok : crc_prerequest_abort
    }

    /// Keeps a connection from being reused if libcurl logs data after a response without a body, and notes whether the
    /// server can have processed the request.
    static let readLog: crc_debug_function = { _, kind, bytes, count, context in
        guard kind == CURLINFO_TEXT, let bytes = unsafe bytes, let handle = unsafe EasyHandle.from(context)
        else { return 0 }
        let line = unsafe UnsafeRawBufferPointer(start: bytes, count: count)
        if LibcurlMessage.surplus.withUTF8Buffer({ unsafe line.starts(with: $0) }) { handle.forbidReuse() }
        guard handle.quirks.logsRefusals, let transfer = handle.transfer else { return 0 }
        if unsafe LibcurlMessage.reportsRefusal(line) { transfer.noteRefusal() }
        if unsafe LibcurlMessage.reportsOpenedStream(line) { transfer.noteOpenedStream() }
        return 0
    }

    /// Starts the time for `100 Continue` when libcurl asks for a body that is held.
    private func limitWait(from now: UInt64) {
        guard connecting.continueEnd == nil, upload?.isHeld == true, let driver else { return }
        connecting.continueEnd = now + UInt64(driver.settings.configuration.continueTimeout / .nanoseconds(1))
        driver.noteDeadline(of: self)
    }

    /// Sends a held body, because the server asks for it or its time is over.
    func releaseBody() {
        connecting.continueEnd = nil
        upload?.release()
    }

    /// Rewinds the request body, to resend the request after a kept connection turned out to be closed.
    ///
    /// - Returns: Whether the body can be sent again.
    func rewindBody() -> Bool {
        guard upload?.rewind() == true else {
            if attempts > 0 {
                failure = failed(.closed, "the request must be sent again; use a replayable body")
            }
            return false
        }
        metrics.sentBodyBytes = 0
        return true
    }

    /// Records that the exchange no longer waits for a free connection.
    private func noteConnecting() {
        stage = max(stage, .connecting)
        deadlines.noteConnecting(at: LoopClock.time)
        driver?.noteDeadline(of: self)
    }

    /// Notes an attempt to connect. libcurl before 8.21 has no timer to try the next address after it.
    private func noteAttempt(_ address: [UInt8]?) {
        guard let quirks = handle?.quirks, quirks.waitsForAddresses, let driver else { return }
        let now = LoopClock.time
        connecting.nextLook = now + (address == nil ? 0 : Transfer.lookInterval)
        defer { driver.noteDeadline(of: self) }
        guard let address, !isPatient else { return }
        connecting.addresses.append(address)
        connecting.addressEnd = now + UInt64(driver.settings.configuration.timePerAddress / .nanoseconds(1))
    }

    /// 50 ms, which is the delay after an address that refuses.
    private static let lookInterval: UInt64 = 50_000_000

    /// Makes libcurl look at the addresses that it tries, so that it notices one that failed.
    ///
    /// - Returns: Whether the transfer must be restarted without them, because they had their time.
    func mustSkipAddresses(at now: UInt64) -> Bool {
        guard let look = connecting.nextLook, look <= now, let handle else { return false }
        connecting.nextLook = nil
        guard handle.number(CURLINFO_CONNECT_TIME_T) == 0 else { return false }
        if !connecting.addresses.isEmpty, connecting.addressEnd <= now {
            noteSilent(connecting.addresses)
            return true
        }
        connecting.nextLook = now + Transfer.lookInterval
        runNow()
        return false
    }

    /// Whether libcurl may open a connection for the request.
    private var mayConnect: Bool {
        guard !repeatsResponse(), let driver else { return false }
        return goesOn(after: driver.connections.connect(self, at: driver.clock.now))
    }

    /// Whether libcurl would send the request again although its response has begun. It does so before 8.16 if the
    /// server asks for HTTP/1.1 (RFC 9113 §7), and takes the next response for the rest of this one.
    private func repeatsResponse() -> Bool {
        guard stage > .sending else { return false }
        failure = failed(codeOfClosure, "the server reset the HTTP/2 stream after the start of the response")
        return true
    }

    private func mayConnect(to family: Int32) -> Bool {
        switch driver?.settings.configuration.connections.ipVersion {
        case .v4: family != AF_INET6
        case .v6: family != AF_INET
        default: true
        }
    }

    /// The bytes of an IP address. Empty for other families.
    private static func bytes(of address: UnsafePointer<curl_sockaddr>) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: 16) { bytes, count in
            count = unsafe Int(crc_address_bytes(address, bytes.baseAddress))
        }
    }

    private func isAllowed(_ bytes: [UInt8], _ address: UnsafePointer<curl_sockaddr>) -> Bool {
        guard let check = driver?.settings.addresses else { return true }
        if !bytes.isEmpty, check.allows(IPAddress(bytes: bytes), asProxy: proxy != nil) { return true }
        connecting.rejectedAddress = unsafe text(of: address) ?? "of an unknown family"
        return false
    }

    /// Returns whether a decision lets libcurl go on.
    private func goesOn(after decision: Connections.Decision?) -> Bool {
        if case .fail(let reason, let phase) = decision {
            failure = TransportError(.closed, of: request, reason, phase: phase)
        }
        return decision == .start
    }

    /// Finds the connection that the request will use.
    ///
    /// - Returns: `nil` if its socket is unknown, in which case the transfer must not use a shared connection.
    private func connection(
        isNew: Bool,
        _ port: Int32,
        _ endpoints: () -> Connections.Endpoints
    ) -> Connections.Connection? {
        guard let driver, let handle else { return nil }
        guard isNew else { return driver.connections.connection(localPort: port, endpoints) }
        // libcurl opened a socket for each address that it tried, and closed all but one.
        let opened = handle.last.openedSockets
        guard let socket = opened.last(where: { crc_local_port($0) == port }) ?? opened.last else { return nil }
        driver.poller.update(socket) { $0.isConnected = true }
        return driver.connections.open(socket, endpoints(), for: self, to: request.url)
    }

    /// Whether a kept connection was closed, or has unread data although its server must not have sent any.
    ///
    /// libcurl 8.22 and later checks this at most once a second (curl/curl#22169). A request over a closed connection
    /// would fail, and unexpected data would be read as the response.
    private func isStale(_ found: Connections.Connection?) -> Bool {
        guard handle?.quirks.checksConnectionsRarely == true, let found, found.version != .http3 else { return false }
        let state = crc_peek(found.socket)
        let mayBeHTTP2 = handle?.last.origin.map { !$0.isOfHTTP1 } ?? false
        return state == crc_peek_closed || state == crc_peek_data && !mayBeHTTP2
    }

    private func noteSending(isNew: Bool) {
        stage = max(stage, .sending)
        driver?.counts.sent += 1
        if !isNew { driver?.counts.reused += 1 }
    }

    /// Records a result after which the request may have to be sent again.
    func note(_ code: CURLcode) {
        if code == CURLE_COULDNT_CONNECT || code == CURLE_QUIC_CONNECT_ERROR { noteNoConnection() }
        guard stage == .sending, isOfConnection(code), failure == nil, upload?.failure == nil else { return }
        if let driver { driver.connections.noteFailure(of: self, at: driver.clock.now) }
    }

    /// The connection, if nothing is known to have arrived over it since the request was sent, or if the body has
    /// stalled for half of the time since then.
    func silentConnection(at now: UInt64) -> Connections.Connection? {
        guard let open = connection, upload?.isStarved != true, !isReceivingPaused else { return nil }
        let arrival = max(driver?.poller.lastArrival(on: open.socket) ?? 0, open.lastResponse)
        guard stage > .sending else { return arrival > sentAt ? nil : open }
        let last = max(arrival, deadlines.lastActivity)
        return max(now, last) - last < last - sentAt ? nil : open
    }

    private func noteSent(_ count: Int) {
        guard context.observer != nil else { return }
        metrics.sentBodyBytes += Int64(count)
        if count > 0 { report(.sent(bytes: metrics.sentBodyBytes, total: request.body.length)) }
        if count == 0 || metrics.sentBodyBytes == request.body.length { reportSent() }
    }
}

extension LoopDriver {
    static let closeSocket: crc_close_socket_function = { context, socket in
        guard let context = unsafe context else { return -1 }
        let driver = unsafe Unmanaged<LoopDriver>.fromOpaque(context).takeUnretainedValue()
        driver.connections.noteClosed(socket, at: driver.clock.now)
        driver.poller.close(socket)
        return 0
    }
}
#endif
