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
        transfer.deadlines.noteActivity(at: LoopClock.time)
        transfer.reportAddress(address)
        return socket
    }

    static let receiveHeaderLine: crc_bytes_function = { bytes, size, count, context in
        let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
        return EasyHandle.with(context) { handle, transfer in
            if transfer.receiveHeaderLine(line, at: handle.clock.now) { return line.count }
            handle.giveUp()
            return 0
        } ?? 0
    }

    static let receiveBody: crc_bytes_function = { bytes, size, count, context in
        let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
        return EasyHandle.with(context) { handle, transfer in
            let goesOn =
                transfer.isHeadComplete
                ? transfer.receiveBody(piece, at: handle.clock.now) : transfer.allowsHeaderLine(piece)
            if goesOn { return piece.count }
            handle.giveUp()
            return 0
        } ?? 0
    }

    static let sendBody: crc_bytes_function = { buffer, size, count, context in
        let room = UnsafeMutableRawBufferPointer(start: buffer, count: size * count)
        return EasyHandle.with(context) { handle, transfer in
            transfer.deadlines.noteActivity(at: handle.clock.now)
            switch transfer.upload?.read(into: room) {
            case .bytes(let count):
                transfer.noteSent(count)
                return count
            case .pause: return Int(CURL_READFUNC_PAUSE)
            case .fail, nil:
                handle.giveUp()
                return Int(CURL_READFUNC_ABORT)
            }
        } ?? Int(CURL_READFUNC_ABORT)
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
        let mayBeSent = EasyHandle.with(context) { handle, transfer in
            transfer.deadlines.noteConnected(at: handle.clock.now)
            transfer.driver?.noteOpened(by: transfer)
            guard transfer.mayBeSent(), transfer.hasNamedServer() else { return false }
            transfer.reportConnection(local: local, localPort, remote: remote, remotePort)
            return true
        }
        return mayBeSent == true ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }

    /// Looks in libcurl's log for bytes that came with a head that has no body: the connection's next reply would begin in
    /// the middle of them.
    static let readLog: crc_debug_function = { _, kind, bytes, count, context in
        guard kind == CURLINFO_TEXT, let bytes, let handle = EasyHandle.from(context) else { return 0 }
        let surplus: StaticString = "Excess found"
        let line = UnsafeRawBufferPointer(start: bytes, count: count)
        if surplus.withUTF8Buffer({ line.starts(with: $0) }) { handle.forbidReuse() }
        return 0
    }

    private func mayBeSent() -> Bool {
        attempts += 1
        if attempts == 1 || request.method.isIdempotent { return true }
        let reason = "a kept connection closed without an answer; \(request.method) is not sent twice"
        failure = TransportError(
            code: .closed,
            message: "\(request.method) \(request.url.origin): \(reason)",
            phase: .sending
        )
        return false
    }

    private func noteSent(_ count: Int) {
        guard request.observer != nil else { return }
        metrics.sentBodyBytes += Int64(count)
        if count > 0 { report(.sent(bytes: metrics.sentBodyBytes, total: request.body.length)) }
        if count == 0 || metrics.sentBodyBytes == request.body.length { reportSent() }
    }

    /// Takes a line of a head, whole with its end, or of the trailers.
    private func receiveHeaderLine(_ line: UnsafeRawBufferPointer, at now: UInt64) -> Bool {
        deadlines.noteActivity(at: now)
        if !hasResponseBegun {
            noteResponse()
            reportSent()
        }
        do throws(HeadFault) {
            guard try head.read(line), !isHeadComplete else { return true }
            try receiveHead()
        } catch {
            return fail(error)
        }
        return !isHeadComplete || !isToBeStopped
    }

    /// Looks at a line of a head that libcurl has not read yet; see ``LinkedLibcurl/keepsFreedFields``.
    private func allowsHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
        // A long line comes in pieces.
        defer { isInsideLine = line.last != UInt8(ascii: "\n") }
        return isInsideLine || !HeadLine(line).isFolded || !head.isAtFirstField || fail(.foldedStart)
    }

    private func fail(_ fault: HeadFault) -> Bool {
        switch fault {
        case .malformed(let reason): failure = failed(.malformed, reason)
        case .tooLarge: failure = failed(.tooLarge, Header.tooLarge)
        }
        return false
    }

    private func receiveHead() throws(HeadFault) {
        let header = head.header
        if let fault = head.isKnown ? faultOfSwitching : header.lengthFault ?? faultOfSwitching {
            throw .malformed(fault)
        }
        do throws(RequestError) {
            let response = try ResponseHead(
                statusCode: head.statusCode,
                header: header,
                url: request.url,
                httpVersion: head.version
            )
            if head.isInformational {
                report(.informational(response))
                head = HeadReader(known: driver?.lastHead, after: head.size)
            } else {
                isHeadComplete = true
                driver?.lastHead = head.memory ?? driver?.lastHead
                head.beginTrailers()
                deliver(response)
            }
        } catch {
            throw .malformed(error.message)
        }
    }

    /// Libcurl would take what follows on the connection for the body, or for another version of HTTP.
    private var faultOfSwitching: String? {
        if head.statusCode == 101, !request.header.contains("Upgrade") {
            return "the server switches to a protocol that it was not asked for"
        }
        if head.version == .http2, driver?.settings.offersHTTP2(to: request.url) == false {
            return "the server answers in HTTP/2, which it was not offered"
        }
        return nil
    }

    private func deliver(_ response: ResponseHead) {
        handle?.last.origin?.isOfHTTP1 = head.version != .http2
        if head.version == .http2, LinkedLibcurl.readsIdleFrames, let handle {
            driver?.poller.noteMultiplexed(onPort: handle.long(CURLINFO_LOCAL_PORT))
        }
        expectedBytes = response.expectedBytes(to: request.method)
        if expectedBytes == nil { noteEnd(of: response) }
        // Libcurl takes any transfer coding but chunks for one that lasts until the connection closes.
        mustBeStopped =
            expectedBytes != nil && head.version != .http2 && response.header.contains(.transferEncoding)
        if expectedBytes == 0, LinkedLibcurl.dropsSurplus { handle?.log(true) }
        report(.head(response))
        guard let sender = sender.take() else { return }
        answer = .success(response)
        driver?.note(Answer(transfer: self, sender: sender))
    }

    private func noteEnd(of response: ResponseHead) {
        guard response.header.isChunked else { return watchSession() }
        if head.version != .http2 { chunks = ChunkReader() }
        // Somebody on the way can see another end, and what follows as the answer to the next request (RFC 9112 §6.1).
        if response.header.contains(.contentLength) || head.version == .http1_0 { handle?.forbidReuse() }
    }

    private func receiveBody(_ piece: UnsafeRawBufferPointer, at now: UInt64) -> Bool {
        deadlines.noteActivity(at: now)
        guard chunks != nil else { return receiveData(piece) }
        do throws(HeadFault) {
            return try receiveChunks(piece)
        } catch {
            return fail(error)
        }
    }

    /// Takes bytes of a chunked body as they are on the wire.
    private func receiveChunks(_ piece: UnsafeRawBufferPointer) throws(HeadFault) -> Bool {
        var rest = piece[...]
        while let part = try chunks?.next(in: &rest) {
            switch part {
            case .data(let data): if !receiveData(data) { return false }
            case .trailer(let line): _ = try head.read(line)
            // The connection's next reply would begin in the middle of it.
            case .surplus: handle?.forbidReuse()
            }
        }
        return true
    }

    private func receiveData(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let piece = UnsafeRawBufferPointer(
            rebasing: bytes.prefix(Int(clamping: (expectedBytes ?? .max) - receivedBytes))
        )
        receivedBytes += Int64(piece.count)
        report(.received(bytes: receivedBytes, total: expectedBytes))
        if gathered.count == 0 { driver?.noteGathering(self) }
        guard gathered.append(piece) else { return false }
        return (gathered.count < BodyBuffer.limit || handOver()) && !isToBeStopped
    }

    /// Gives the reader what has been gathered.
    ///
    /// - Returns: Whether there still is a reader.
    @discardableResult
    func handOver() -> Bool {
        guard let chunk = gathered.take() else { return true }
        let demand = channel.push(chunk)
        if demand == .pause { pauseReceiving(true) }
        return demand != .stop
    }
}

extension LoopDriver {
    static let closeSocket: crc_close_socket_function = { context, socket in
        guard let context else { return -1 }
        Unmanaged<LoopDriver>.fromOpaque(context).takeUnretainedValue().poller.close(socket)
        return 0
    }
}
