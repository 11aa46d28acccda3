import CRequestsCurl
import Requests
import RequestsClient
import RequestsLibcurlMessages
import RequestsSystem

/// The functions that libcurl calls on the loop's thread while it works on the transfer.
extension Transfer {
    static let resolveName: crc_resolver_function = { _, _, context in
        unsafe Transfer.from(context)?.noteConnecting()
        return 0
    }

    static let openSocket: crc_open_socket_function = { context, _, address in
        guard let address = unsafe address, let transfer = unsafe Transfer.from(context) else { return crc_socket_bad }
        // libcurl from 8.22 on ignores the IP version for a host that is an address.
        guard unsafe transfer.mayConnect(to: address.pointee.family) else {
            transfer.connection.socketError = EAFNOSUPPORT
            return crc_socket_bad
        }
        guard unsafe transfer.isAllowed(address) else { return crc_socket_bad }
        let socket = unsafe crc_open_socket(address)
        guard socket != crc_socket_bad else {
            transfer.connection.socketError = errno
            return socket
        }
        if transfer.driver?.settings.configuration.connections.localPort != nil { crc_share_local_port(socket) }
        transfer.driver?.poller.noteOpened(socket)
        transfer.handle?.last.openedSockets.append(socket)
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

    /// - Parameter goesOn: Whether libcurl is to go on after the bytes.
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
            transfer.deadlines.noteActivity(at: handle.clock.now)
            transfer.driver?.poller.noteProgress()
            switch unsafe transfer.upload?.read(into: room) {
            case .bytes(let count):
                transfer.noteSent(count)
                return count
            case .pause: return crc_read_pause
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

    /// libcurl resends a request if a kept connection turns out closed. That is allowed if the method is idempotent
    /// (RFC 9110 §9.2.2), or if the server says that it did nothing.
    static let onPrerequest: crc_prerequest_function = { context, remote, local, remotePort, localPort in
        let mayBeSent = unsafe EasyHandle.with(context) { handle, transfer in
            // First: libcurl keeps an HTTP/2 connection whose request is refused below.
            guard transfer.hasNamedServer() else { return false }
            let connects = handle.long(CURLINFO_NUM_CONNECTS)
            let isNew = connects > transfer.connection.made
            let endpoints = {
                unsafe ConnectionTable.Endpoints(
                    number: handle.number(crc_info_connection),
                    localPort: localPort,
                    remotePort: remotePort,
                    localAddress: local.map { unsafe String(cString: $0) } ?? "",
                    remoteAddress: unsafe remote.map { unsafe String(cString: $0) } ?? ""
                )
            }
            guard transfer.findSocket(isNew: isNew, localPort, endpoints), isNew || transfer.mayUseKeptConnection else {
                handle.demandFreshConnection()
                return false
            }
            transfer.connection.made = connects
            transfer.stage = max(transfer.stage, .connecting)
            transfer.deadlines.noteConnected(at: handle.clock.now)
            transfer.driver?.noteDeadline(of: transfer)
            transfer.driver?.noteConnected(transfer, isNew: isNew)
            guard transfer.mayBeSent(overNewConnection: isNew) else { return false }
            transfer.reportConnection(endpoints)
            return true
        }
        return mayBeSent == true ? crc_prerequest_ok : crc_prerequest_abort
    }

    /// Looks in libcurl's log for data after a response without a body: it would be read as part of the next response.
    static let readLog: crc_debug_function = { _, kind, bytes, count, context in
        guard kind == CURLINFO_TEXT, let bytes = unsafe bytes, let handle = unsafe EasyHandle.from(context)
        else { return 0 }
        let line = unsafe UnsafeRawBufferPointer(start: bytes, count: count)
        if LibcurlMessage.surplus.withUTF8Buffer({ unsafe line.starts(with: $0) }) { handle.forbidReuse() }
        return 0
    }

    /// Starts the request body over, to replace a kept connection that turned out closed.
    ///
    /// - Returns: Whether the body can be sent again.
    func rewindBody() -> Bool {
        guard upload?.rewind() == true else {
            if connection.attempts > 0 {
                failure = failed(.closed, "a kept connection closed without a response; the body can be sent only once")
            }
            return false
        }
        metrics.sentBodyBytes = 0
        return true
    }

    /// Notes that the exchange no longer waits for a free connection.
    private func noteConnecting() {
        stage = max(stage, .connecting)
        deadlines.noteConnecting(at: LoopClock.time)
        driver?.noteDeadline(of: self)
    }

    private func mayConnect(to family: Int32) -> Bool {
        switch driver?.settings.configuration.connections.ipVersion {
        case .v4: family != AF_INET6
        case .v6: family != AF_INET
        default: true
        }
    }

    private func isAllowed(_ address: UnsafePointer<curl_sockaddr>) -> Bool {
        guard let check = driver?.settings.addresses else { return true }
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 16) { bytes, count in
            count = unsafe Int(crc_address_bytes(address, bytes.baseAddress))
        }
        if !bytes.isEmpty, check.allows(IPAddress(bytes: bytes), asProxy: proxy != nil) { return true }
        connection.rejectedAddress = unsafe text(of: address) ?? "of an unknown family"
        return false
    }

    /// Finds the socket of the connection that the request is about to go over.
    ///
    /// - Returns: `false` if it is unknown, so that the transfer must not share a connection.
    private func findSocket(
        isNew: Bool,
        _ port: Int32,
        _ endpoints: () -> ConnectionTable.Endpoints
    ) -> Bool {
        guard let driver, let handle else { return false }
        if isNew {
            // One socket for each address that was tried. libcurl has closed the others.
            let opened = handle.last.openedSockets
            connection.socket = opened.last { crc_local_port($0) == port } ?? opened.last
            if let socket = connection.socket {
                driver.poller.update(socket) { $0.isConnected = true }
                driver.connections.add(socket, endpoints(), of: connection.admission?.origin, for: request.url)
            }
        } else {
            connection.socket = driver.connections.socket(localPort: port, endpoints)
        }
        return connection.socket != nil
    }

    /// Whether a kept connection may be used: after two that closed, all others may be closed too. libcurl itself gives
    /// up after five.
    private var mayUseKeptConnection: Bool { connection.attempts < 2 && !isStale }

    /// Whether a kept connection was closed, or has unread data although its server may not send any.
    ///
    /// libcurl checks that before it reuses a connection, but from 8.22 on at most once a second (curl/curl#22169). A
    /// request over a connection that closed meanwhile fails, and data that the server sent without a request would be
    /// read as the response.
    private var isStale: Bool {
        guard handle?.quirks.checksConnectionsRarely == true, let socket = connection.socket else { return false }
        let state = crc_peek(socket)
        let mayBeHTTP2 = handle?.last.origin.map { !$0.isOfHTTP1 } ?? false
        return state == crc_peek_closed || state == crc_peek_data && !mayBeHTTP2
    }

    private func mayBeSent(overNewConnection isNew: Bool) -> Bool {
        guard upload?.failure == nil else { return false }
        connection.attempts += 1
        stage = max(stage, .sending)
        let wasAlone = connection.unsharedSocket != nil
        driver?.noteSending(by: self, overNewConnection: isNew)
        guard connection.attempts > 1 else { return true }
        if wasAlone { return mayBeSentAfterRefusal() }
        if request.method.isIdempotent { return true }
        let reason = "a kept connection closed, or refused the request; \(request.method) is not sent twice"
        failure = TransportError(.closed, of: request, reason, phase: .sending)
        return false
    }

    /// libcurl resends a request that went alone over a new connection only if the server says that it did nothing: it
    /// refuses the stream, or asks for HTTP/1.1 (RFC 9113 §7, §8.7). Once, because the server may be overloaded.
    private func mayBeSentAfterRefusal() -> Bool {
        defer { connection.wasRefused = true }
        guard connection.wasRefused else { return true }
        let reason = "the server refused the request over two new connections"
        failure = TransportError(.closed, of: request, reason, phase: .connecting)
        return false
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
        driver.connections.remove(socket)?.shared.noteClosed()
        driver.poller.close(socket)
        return 0
    }
}
