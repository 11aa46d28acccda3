import CRequestsCurl
import Foundation
import Requests
import RequestsClient

/// Receives a response: its heads, its body and its trailers.
extension Transfer {
    /// Receives a complete line of a head or of the trailers.
    func receiveHeaderLine(_ line: UnsafeRawBufferPointer, at now: UInt64) -> Bool {
        deadlines.noteActivity(at: now)
        if !hasResponseBegun {
            noteResponse()
            reportSent()
        }
        do throws(HeadFault) {
            let isEnd = try head.read(line)
            if head.isAtFirstField, head.version == .http2, request.header.asksForTrailers { handle?.ignoreLength() }
            guard isEnd, !isHeadComplete else { return true }
            try receiveHead()
        } catch {
            note(error)
            return false
        }
        return !isHeadComplete || !isToBeStopped
    }

    /// Checks a line of a head before libcurl reads it; see ``LinkedLibcurl/keepsFreedFields``.
    func allowsHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
        // A long line comes in pieces.
        defer { isInsideLine = line.last != UInt8(ascii: "\n") }
        guard !isInsideLine, head.isAtFirstField, HeadLine(line).isFolded else { return true }
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
        let header = head.header
        if head.version == .http2, LibcurlMessage.reportsDroppedField(curlMessage) {
            throw .malformed(LibcurlMessage.malformedHTTP2)
        }
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

    /// Returns why a response switches protocols without being asked. libcurl would take what follows for the body, or
    /// for another version of HTTP.
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
        if head.version != .http2 { noteFraming(of: response) }
        if expectedBytes == 0, LinkedLibcurl.dropsSurplus { handle?.log(true) }
        report(.head(response))
        guard let sender = sender.take() else { return }
        answer = .success(response)
        driver?.note(Answer(transfer: self, sender: sender))
    }

    private func noteFraming(of response: ResponseHead) {
        let hasCoding = response.header.contains(.transferEncoding)
        let isChunked = hasCoding && response.header.isChunked
        if expectedBytes == nil { if isChunked { chunks = ChunkReader() } else { watchSession() } }
        // To libcurl, any transfer coding but chunked lasts until the connection closes.
        mustBeStopped = hasCoding && !isChunked && expectedBytes != nil
        if isEndDoubtful(of: response, hasCoding: hasCoding) { handle?.forbidReuse() }
    }

    /// Whether an intermediary could frame this message differently (response splitting).
    private func isEndDoubtful(of response: ResponseHead, hasCoding: Bool) -> Bool {
        let header = response.header
        // A head must not have both, nor a transfer coding in HTTP/1.0 (RFC 9112 §6.1).
        if hasCoding, header.contains(.contentLength) || head.version == .http1_0 { return true }
        // A server that announces a body with such a status may send it (RFC 9110 §8.6).
        if response.statusCode == 204 { return hasCoding || header[.contentLength].map { $0 != "0" } ?? false }
        // libcurl gives `keep-alive` precedence (RFC 9112 §9.3).
        return head.version == .http1_0 && header.closesConnection
    }

    func receiveBody(_ piece: UnsafeRawBufferPointer, at now: UInt64) -> Bool {
        deadlines.noteActivity(at: now)
        guard chunks != nil else { return receiveData(piece) }
        do throws(HeadFault) {
            return try receiveChunks(piece)
        } catch {
            note(error)
            return false
        }
    }

    /// Receives a chunked body as it is on the wire.
    private func receiveChunks(_ piece: UnsafeRawBufferPointer) throws(HeadFault) -> Bool {
        var rest = piece[...]
        while let part = try chunks?.next(in: &rest) {
            switch part {
            case .data(let data): if !receiveData(data) { return false }
            case .trailer(let line): _ = try head.read(line)
            // It would be read as part of the connection's next response.
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
        if !isGathering { driver?.noteGathering(self) }
        isGathering = true
        guard gathered.append(piece) else { return false }
        return (gathered.count < BodyBuffer.limit || handOver()) && !isToBeStopped
    }

    /// Passes the gathered data to the reader.
    ///
    /// - Returns: Whether there still is a reader.
    @discardableResult
    func handOver() -> Bool {
        gatheredBefore = 0
        guard let chunk = gathered.take() else { return true }
        let demand = channel.push(chunk)
        if demand == .pause { pauseReceiving(true) }
        return demand != .stop
    }
}
