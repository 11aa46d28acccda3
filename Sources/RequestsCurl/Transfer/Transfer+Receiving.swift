#if canImport(CRequestsCurl)
import CRequestsCurl
import Requests
import RequestsClient
import RequestsSystem

/// Handles a response's data: its heads, its body and its trailers.
extension Transfer {
    /// Receives a complete line of a head or of the trailers.
    func receiveHeaderLine(_ line: UnsafeRawBufferPointer, at now: UInt64) -> Bool {
        deadlines.noteActivity(at: now)
        if stage < .receivingHead, !connecting.isTunneling {
            noteResponse()
            reportSent()
        }
        do throws(HeadFault) {
            let isEnd = try unsafe reception.head.read(line)
            if isEnd, stage < .receivingBody, asksForProxyCredentials() { return false }
            if connecting.isTunneling {
                if isEnd { reception.head = HeadReader(driver?.knownHead) }
                return true
            }
            if reception.head.isAtFirstField, reception.head.isMultiplexed, needsEndOfStream {
                handle?.ignoreLength()
            }
            guard isEnd, stage < .receivingBody else { return true }
            try receiveHead()
        } catch {
            note(error)
            return false
        }
        return stage < .receivingBody || goesOn()
    }

    /// Whether libcurl must read on after the declared length of the body: trailers may follow (RFC 9113 §8.1), or an
    /// upload goes on, whose window grows or whose stream is reset.
    private var needsEndOfStream: Bool { request.header.asksForTrailers || hasUnsentBody }

    /// Checks a line of a head before libcurl parses it, because of ``Quirks/keepsFreedFields``.
    func allowsHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
        // A long line arrives in pieces.
        defer { reception.isInsideLine = unsafe line.last != UInt8(ascii: "\n") }
        guard !reception.isInsideLine, reception.head.isAtFirstField, unsafe HeadLine(line).isFolded
        else { return true }
        note(.foldedStart)
        return false
    }

    private func note(_ fault: HeadFault) {
        failure =
            switch fault {
            case .malformed(let reason): failed(connecting.isTunneling ? .proxy : .malformed, reason)
            case .tooLarge: failed(connecting.isTunneling ? .proxy : .tooLarge, Header.tooLarge)
            }
    }

    /// Whether the proxy asks for credentials, so that the request must be sent again.
    private func asksForProxyCredentials() -> Bool {
        guard let proxy, proxy.requestedCredentials != nil, connecting.isTunneling || !proxy.tunnels(to: request.url)
        else { return false }
        let (code, header) = (reception.head.statusCode, reception.head.header)
        guard driver?.proxySessions.begin(after: code, header, from: proxy, for: self) == true else { return false }
        if connecting.isTunneling || request.body.isReplayable {
            noteChallenge()
        } else {
            let reason = "the proxy asks for credentials; use a replayable body, or tunneling()"
            failure = TransportError(.proxy, of: request, reason, phase: .connecting)
        }
        return true
    }

    private func receiveHead() throws(HeadFault) {
        driver?.poller.noteProgress()
        let head = reception.head.finish()
        driver?.knownHead = head
        if reception.head.version == .http2, LibcurlMessage.reportsDroppedField(curlMessage) {
            throw .malformed(LibcurlMessage.malformedHTTP2)
        }
        if let fault = head.framing.fault ?? faultOfSwitching { throw .malformed(fault) }
        do throws(RequestError) {
            let response = try ResponseHead(
                statusCode: reception.head.statusCode,
                header: head.header,
                url: request.url,
                httpVersion: reception.head.version
            )
            if reception.head.isInformational {
                report(.informational(response))
                if response.statusCode == 100 { releaseBody() }
                reception.head = HeadReader(driver?.knownHead, after: reception.head.size)
            } else {
                stage = .receivingBody
                reception.head.beginTrailers()
                noteHead(response, head)
                deliver(response)
            }
        } catch {
            throw .malformed(error.message)
        }
    }

    /// Returns the fault of a response that switches to a protocol the request didn't ask for. libcurl would read the
    /// following data as a body or as another HTTP version.
    private var faultOfSwitching: String? {
        if reception.head.statusCode == 101, !request.header.contains("Upgrade") {
            return "the server switched protocols (101), but the request has no Upgrade field"
        }
        guard let version = reception.head.version, version.isMultiplexed else { return nil }
        if driver?.settings.offersMultiplexing(to: request.url) == false {
            return "the server responded in \(version), which the transport didn't offer"
        }
        if request.body.trailers != nil {
            return "libcurl used \(version) and didn't send the request's trailers; set httpVersion to .http1_1"
        }
        return nil
    }

    private func noteHead(_ response: ResponseHead, _ head: KnownHead) {
        noteVersion()
        if reception.head.isMultiplexed, let quirks = handle?.quirks, let socket = connection?.socket {
            let isUploading = quirks.stallsUploads && hasUnsentBody
            driver?.poller.update(socket) { use in
                use.isMultiplexed = true
                if isUploading { use.writesAfterReading = true }
            }
        }
        reception.expectedBytes = response.isWithoutBody(to: request.method) ? 0 : head.framing.bodyLength
        if !reception.head.isMultiplexed { noteFraming(of: response, head) }
        if reception.expectedBytes == 0, let handle, handle.quirks.dropsSurplus { handle.turnOn(CURLOPT_VERBOSE) }
        if !refusesUpload { releaseBody() }
        if hasRequestBody, refusesUpload, let driver {
            suspendIdle(at: driver.clock.now)
            driver.noteDeadline(of: self)
        }
        report(.head(response))
    }

    private func noteVersion() {
        // Only the request that opened the connection records its version.
        if connecting.made > 0 { connection?.version = reception.head.version }
        guard let driver, let origin = handle?.last.origin, handle?.last.isForHTTP1 != true else { return }
        driver.connections.noteVersion(reception.head.version, of: origin, at: driver.clock.now)
    }

    private func noteFraming(of response: ResponseHead, _ head: KnownHead) {
        let framing = head.framing
        connection?.keepAlive = head.keepAlive
        if reception.expectedBytes == nil {
            if framing.isChunked { reception.chunks = ChunkReader() } else { watchSession() }
        }
        // libcurl reads a body with any other transfer coding until the connection closes.
        reception.mustBeStopped =
            framing.hasTransferCoding && !framing.isChunked && reception.expectedBytes != nil
        if framing.isDoubtful(for: response, in: reception.head.version) || mayHaveUnreadBody { handle?.forbidReuse() }
    }

    /// Whether the server may have refused the request before it read the whole body, which it then reads as the next
    /// request, or closes the connection. A small body arrives with the head.
    private var mayHaveUnreadBody: Bool {
        hasRequestBody && refusesUpload && request.body.length ?? .max > EasyHandle.inlineBodyLimit
    }

    func receiveBody(_ piece: UnsafeRawBufferPointer, at now: UInt64) -> Bool {
        deadlines.noteActivity(at: now)
        driver?.poller.noteProgress()
        guard reception.chunks != nil else { return unsafe receiveData(piece) }
        do throws(HeadFault) {
            return try unsafe receiveChunks(piece)
        } catch {
            note(error)
            return false
        }
    }

    /// Schedules the delivery of the body for the end of the turn.
    private func noteGathering() {
        if !reception.isGathering { driver?.gathering.append(self) }
        reception.isGathering = true
    }

    /// Receives a part of a body that is still chunked.
    private func receiveChunks(_ piece: UnsafeRawBufferPointer) throws(HeadFault) -> Bool {
        var rest = unsafe piece[...]
        while let part = try unsafe reception.chunks?.next(in: &rest) {
            switch part {
            case .data(let data): if unsafe !receiveData(data) { return false }
            case .trailer(let line): _ = try reception.head.read(line)
            // These bytes would be read as part of the connection's next response.
            case .surplus: handle?.forbidReuse()
            }
        }
        return goesOn()
    }

    private func receiveData(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let piece = unsafe UnsafeRawBufferPointer(
            rebasing: bytes.prefix(Int(clamping: (reception.expectedBytes ?? .max) - reception.receivedBytes))
        )
        reception.receivedBytes += Int64(piece.count)
        report(.received(bytes: reception.receivedBytes, total: reception.expectedBytes))
        noteGathering()
        guard unsafe reception.gathered.append(piece) else { return false }
        return (reception.gathered.count < BodyBuffer.limit || handOver()) && goesOn()
    }

    /// Returns whether libcurl may continue after a part of the response.
    private func goesOn() -> Bool {
        if isWhole, hasUnsentBody { reception.isEarly = true }
        return !isToBeStopped
    }
}

extension Transfer {
    /// Returns the fields to send after a chunked body to libcurl, which frees the list.
    static let sendTrailers: crc_trailer_function = { list, context in
        guard let list = unsafe list else { return crc_trailers_abort }
        return unsafe EasyHandle.with(context) { handle, transfer in
            guard let lines = transfer.upload?.trailerLines() else {
                handle.resetPromptly()
                return crc_trailers_abort
            }
            for line in lines {
                // If memory for a line is missing, the exchange fails instead of dropping the line.
                guard let longer = unsafe curl_slist_append(list.pointee, line) else { return crc_trailers_abort }
                unsafe list.pointee = longer
            }
            return crc_trailers_ok
        } ?? crc_trailers_abort
    }
}

extension EasyHandle {
    /// Makes libcurl send trailers, for which it needs HTTP/1.1. Over HTTP/2 it drops them without an error.
    ///
    /// libcurl before 8.7 writes outside its buffer if a handle sends another chunked body after trailers. So the
    /// handle isn't reused, and the connection is new because a request over a kept one may be resent.
    func turnOnTrailers() throws(TransportError) {
        try turnOnHTTP1()
        unsafe check(crc_set_trailer_function(easy, Transfer.sendTrailers))
    }

    /// Makes libcurl send this request over HTTP/1.1 and a new connection. It would also use one of HTTP/2.
    func turnOnHTTP1() throws(TransportError) {
        last.isForHTTP1 = true
        try setVersion(.http1_1)
        turnOn(CURLOPT_FRESH_CONNECT)
    }
}
#endif
