import CRequestsCurl
import Requests
import RequestsClient
import RequestsLibcurlMessages

/// Receives a response: its heads, its body and its trailers.
extension Transfer {
    /// Receives a complete line of a head or of the trailers.
    func receiveHeaderLine(_ line: UnsafeRawBufferPointer, at now: UInt64) -> Bool {
        deadlines.noteActivity(at: now)
        if stage < .receivingHead {
            noteResponse()
            reportSent()
        }
        do throws(HeadFault) {
            let isEnd = try unsafe reception.head.read(line)
            if reception.head.isAtFirstField, reception.head.version == .http2, request.header.asksForTrailers {
                handle?.ignoreLength()
            }
            guard isEnd, stage < .receivingBody else { return true }
            try receiveHead()
        } catch {
            note(error)
            return false
        }
        return stage < .receivingBody || !isToBeStopped
    }

    /// Checks a line of a head before libcurl reads it; see ``Quirks/keepsFreedFields``.
    func allowsHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
        // A long line comes in pieces.
        defer { reception.isInsideLine = unsafe line.last != UInt8(ascii: "\n") }
        guard !reception.isInsideLine, reception.head.isAtFirstField, unsafe HeadLine(line).isFolded
        else { return true }
        note(.foldedStart)
        return false
    }

    private func note(_ fault: HeadFault) {
        failure =
            switch fault {
            case .malformed(let reason): failed(.malformed, reason)
            case .tooLarge: failed(.tooLarge, Header.tooLarge)
            }
    }

    private func receiveHead() throws(HeadFault) {
        driver?.poller.noteProgress()
        let head = reception.head.finish()
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
                reception.head = HeadReader(driver?.headCache, after: reception.head.size)
            } else {
                stage = .receivingBody
                reception.head.beginTrailers()
                noteHead(response, head.framing)
                deliver(response)
            }
        } catch {
            throw .malformed(error.message)
        }
    }

    /// Returns why a response switches protocols without being asked. libcurl would take what follows for the body, or
    /// for another version of HTTP.
    private var faultOfSwitching: String? {
        if reception.head.statusCode == 101, !request.header.contains("Upgrade") {
            return "the server switches to a protocol that it was not asked for"
        }
        if reception.head.version == .http2, driver?.settings.offersHTTP2(to: request.url) == false {
            return "the server responds in HTTP/2, which it was not offered"
        }
        if reception.head.version == .http2, request.body.trailers != nil {
            return "the request's trailers weren't sent, because libcurl used HTTP/2"
        }
        return nil
    }

    private func noteHead(_ response: ResponseHead, _ framing: Framing) {
        noteVersion()
        if reception.head.version == .http2, handle?.quirks.readsIdleFrames == true, let socket = connection.socket {
            driver?.poller.update(socket) { $0.isMultiplexed = true }
        }
        reception.expectedBytes = response.isWithoutBody(to: request.method) ? 0 : framing.bodyLength
        if reception.head.version != .http2 { noteFraming(of: response, framing) }
        if reception.expectedBytes == 0, let handle, handle.quirks.dropsSurplus { handle.turnOn(CURLOPT_VERBOSE) }
        report(.head(response))
        noteEarlyEnd()
    }

    private func noteVersion() {
        // The request that made the connection tells for all later ones.
        if connection.made > 0, let socket = connection.socket {
            driver?.connections.note(reception.head.version, of: socket)
        }
        guard let origin = handle?.last.origin else { return }
        origin.isOfHTTP1 = reception.head.version != .http2
        if !origin.isOfHTTP1 { return driver?.noteSettled(origin) ?? () }
        if !origin.waiting.isEmpty { driver?.releaseAll(origin) }
    }

    private func noteFraming(of response: ResponseHead, _ framing: Framing) {
        if reception.expectedBytes == nil {
            if framing.isChunked { reception.chunks = ChunkReader() } else { watchSession() }
        }
        // To libcurl, any transfer coding but chunked lasts until the connection closes.
        reception.mustBeStopped =
            framing.hasTransferCoding && !framing.isChunked && reception.expectedBytes != nil
        if framing.isDoubtful(for: response, in: reception.head.version) { handle?.forbidReuse() }
    }

    func receiveBody(_ piece: UnsafeRawBufferPointer, at now: UInt64) -> Bool {
        deadlines.noteActivity(at: now)
        driver?.poller.noteProgress()
        guard reception.chunks != nil else { return unsafe receiveData(piece) }
        do throws(HeadFault) {
            defer { noteEarlyEnd() }
            return try unsafe receiveChunks(piece)
        } catch {
            note(error)
            return false
        }
    }

    /// Delivers the body at the end of the turn.
    private func noteGathering() {
        if !reception.isGathering { driver?.gathering.append(self) }
        reception.isGathering = true
    }

    /// Delivers the end at the end of the turn if the response is complete, because a request body can go on.
    private func noteEarlyEnd() {
        if hasRequestBody, isWhole { noteGathering() }
    }

    /// Receives a chunked body as it is on the wire.
    private func receiveChunks(_ piece: UnsafeRawBufferPointer) throws(HeadFault) -> Bool {
        var rest = unsafe piece[...]
        while let part = try unsafe reception.chunks?.next(in: &rest) {
            switch part {
            case .data(let data): if unsafe !receiveData(data) { return false }
            case .trailer(let line): _ = try reception.head.read(line)
            // It would be read as part of the connection's next response.
            case .surplus: handle?.forbidReuse()
            }
        }
        return true
    }

    private func receiveData(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let piece = unsafe UnsafeRawBufferPointer(
            rebasing: bytes.prefix(Int(clamping: (reception.expectedBytes ?? .max) - reception.receivedBytes))
        )
        reception.receivedBytes += Int64(piece.count)
        report(.received(bytes: reception.receivedBytes, total: reception.expectedBytes))
        noteGathering()
        guard unsafe reception.gathered.append(piece) else { return false }
        return (reception.gathered.count < BodyBuffer.limit || handOver()) && !isToBeStopped
    }
}
