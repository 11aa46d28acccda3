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
        guard let transfer = Transfer.from(context) else { return 0 }
        return transfer.receiveHeaderLine(UnsafeRawBufferPointer(start: bytes, count: length)) ? length : 0
    }

    static let receiveBody: crc_bytes_function = { bytes, size, count, context in
        let length = size * count
        guard let transfer = Transfer.from(context), let bytes else { return 0 }
        return transfer.receiveBody(Data(bytes: bytes, count: length)) ? length : 0
    }

    static let sendBody: crc_bytes_function = { buffer, size, count, context in
        guard let transfer = Transfer.from(context), let upload = transfer.upload else {
            return Int(CURL_READFUNC_ABORT)
        }
        transfer.noteActivity()
        switch upload.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size * count)) {
        case .bytes(let count):
            transfer.noteSent(count)
            return count
        case .pause: return Int(CURL_READFUNC_PAUSE)
        case .fail: return Int(CURL_READFUNC_ABORT)
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

    private func receiveHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
        noteActivity()
        if !parser.hasStarted { reportSent() }
        do {
            switch parser.append(line) {
            case .none: return true
            case .malformed(let reason): failure = failed(.malformed, reason)
            case .tooLarge(let reason): failure = failed(.tooLarge, reason)
            case .informational:
                if let observer = request.observer { observer(.informational(try parsedHead())) }
                return true
            case .head:
                deliver(try parsedHead())
                return !isAnsweredEarly
            }
        } catch {
            failure = failed(.malformed, "\(error)")
        }
        return false
    }

    private func parsedHead() throws -> ResponseHead {
        try ResponseHead(
            statusCode: parser.statusCode,
            header: Header(parser.fields),
            url: request.url,
            httpVersion: parser.version
        )
    }

    private func deliver(_ head: ResponseHead) {
        expectedBytes = head.expectedBytes(to: request.method)
        measureHead()
        report(.head(head))
        guard let sender else { return }
        self.sender = nil
        driver?.note(Answer(sender: sender, result: .success(head)))
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
