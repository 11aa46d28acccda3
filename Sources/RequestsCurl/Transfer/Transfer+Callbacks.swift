import CRequestsCurl
import Foundation
import Requests

/// What libcurl calls, on the loop's thread, while it works on the transfer.
extension Transfer {
    static let openSocket: crc_open_socket_function = { context, _, address in
        guard let address, let transfer = Transfer.from(context) else { return CURL_SOCKET_BAD }
        let socket = crc_open_socket(address)
        guard socket != CURL_SOCKET_BAD else { return socket }
        transfer.driver?.poller.noteOpened(socket)
        transfer.reportAddress(address)
        return socket
    }

    static let receiveHeaderLine: crc_bytes_function = { bytes, size, count, context in
        let length = size * count
        guard let handle = EasyHandle.from(context), let transfer = handle.transfer else { return 0 }
        if transfer.receiveHeaderLine(UnsafeRawBufferPointer(start: bytes, count: length), handle) { return length }
        handle.giveUp()
        return 0
    }

    static let receiveBody: crc_bytes_function = { bytes, size, count, context in
        let length = size * count
        guard let handle = EasyHandle.from(context), let transfer = handle.transfer, let bytes else { return 0 }
        if transfer.receiveBody(Data(bytes: bytes, count: length)) { return length }
        handle.giveUp()
        return 0
    }

    static let sendBody: crc_bytes_function = { buffer, size, count, context in
        guard let handle = EasyHandle.from(context), let transfer = handle.transfer, let upload = transfer.upload else {
            return Int(CURL_READFUNC_ABORT)
        }
        transfer.noteActivity()
        switch upload.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size * count)) {
        case .bytes(let count):
            transfer.noteSent(count)
            return count
        case .pause: return Int(CURL_READFUNC_PAUSE)
        case .fail:
            handle.giveUp()
            return Int(CURL_READFUNC_ABORT)
        }
    }

    static let rewindBody: crc_seek_function = { context, offset, origin in
        guard origin == SEEK_SET, let transfer = Transfer.from(context),
            transfer.upload?.rewind(to: Int64(offset)) == true
        else {
            return CURL_SEEKFUNC_CANTSEEK
        }
        transfer.metrics.sentBodyBytes = Int64(offset)
        return CURL_SEEKFUNC_OK
    }

    /// Libcurl sends a request again when a kept connection turns out dead. Only an idempotent one may do its work
    /// twice (RFC 9110 §9.2.2).
    static let beforeSending: crc_prerequest_function = { context, remote, local, remotePort, localPort in
        guard let transfer = Transfer.from(context) else { return CURL_PREREQFUNC_ABORT }
        transfer.attempts += 1
        guard transfer.attempts > 1, !transfer.request.method.isIdempotent else {
            transfer.reportConnection(local: local, localPort, remote: remote, remotePort)
            return CURL_PREREQFUNC_OK
        }
        let reason = "a kept connection closed without an answer; \(transfer.request.method) is not sent twice"
        transfer.failure = TransportError(
            code: .closed,
            message: "\(transfer.request.method) \(transfer.request.url.origin): \(reason)",
            phase: .sending
        )
        return CURL_PREREQFUNC_ABORT
    }

    private func noteSent(_ count: Int) {
        guard request.observer != nil else { return }
        metrics.sentBodyBytes += Int64(count)
        if count > 0 { report(.sent(bytes: metrics.sentBodyBytes, total: request.body.length)) }
        if count == 0 || metrics.sentBodyBytes == request.body.length { reportSent() }
    }

    /// Takes a line of a head, whole with its end, or of the trailers.
    private func receiveHeaderLine(_ line: UnsafeRawBufferPointer, _ handle: EasyHandle) -> Bool {
        noteActivity()
        if !hasResponseBegun {
            noteResponse()
            reportSent()
        }
        guard handle.head.append(line) else { return fail(.tooLarge) }
        // Only the empty line is that short.
        let isEnd = line.count <= 2 && line.last == UInt8(ascii: "\n")
        do throws(HeadFault) {
            if isHeadComplete { return try receiveTrailer(line) }
            return try isEnd ? receiveHead(handle.head) : true
        } catch {
            return fail(error)
        }
    }

    private func fail(_ fault: HeadFault) -> Bool {
        switch fault {
        case .malformed(let reason): failure = failed(.malformed, reason)
        case .tooLarge: failure = failed(.tooLarge, Header.tooLarge)
        }
        return false
    }

    private func receiveHead(_ buffer: HeadBuffer) throws(HeadFault) -> Bool {
        let parsed = try ParsedHead(buffer.bytes)
        version = parsed.version
        do throws(RequestError) {
            let head = try ResponseHead(
                statusCode: parsed.statusCode,
                header: Header(parsed.fields),
                url: request.url,
                httpVersion: parsed.version
            )
            if parsed.isInformational {
                report(.informational(head))
            } else {
                isHeadComplete = true
                deliver(head)
            }
        } catch {
            throw .malformed(error.message)
        }
        // What follows has a limit of its own.
        buffer.removeAll()
        return !isHeadComplete || !isAnsweredEarly
    }

    private func receiveTrailer(_ bytes: UnsafeRawBufferPointer) throws(HeadFault) -> Bool {
        var lines = HeadLines(bytes)
        guard let line = lines.next(), !line.isEmpty else { return true }
        try ParsedHead.read(line, into: &trailers)
        if trailers.count > Header.maximumFields { throw .tooLarge }
        return true
    }

    private func deliver(_ head: ResponseHead) {
        expectedBytes = head.expectedBytes(to: request.method)
        if expectedBytes == nil, !head.header.contains(.transferEncoding) { watchSession() }
        report(.head(head))
        guard let sender else { return }
        self.sender = nil
        driver?.note(Answer(transfer: self, sender: sender, result: .success(head)))
    }

    /// A body of HTTP/1 whose end is the connection's is whole when TLS has ended as well.
    private func watchSession() {
        guard OpenSSL.reportsEnds, request.url.scheme == "https", version != .http2, let session = handle?.tlsSession
        else {
            return
        }
        OpenSSL.watch(session)
        endingSession = session
    }

    private func receiveBody(_ chunk: Data) -> Bool {
        noteActivity()
        receivedBytes += Int64(chunk.count)
        report(.received(bytes: receivedBytes, total: expectedBytes))
        let demand = channel.push(chunk)
        if demand == .pause { pauseReceiving(true) }
        return demand != .stop && !isAnsweredEarly
    }
}

extension LoopDriver {
    static let closeSocket: crc_close_socket_function = { context, socket in
        guard let context else { return -1 }
        Unmanaged<LoopDriver>.fromOpaque(context).takeUnretainedValue().poller.close(socket)
        return 0
    }
}
