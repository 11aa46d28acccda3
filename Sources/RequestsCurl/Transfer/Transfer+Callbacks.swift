import CRequestsCurl
import Foundation
import Requests

/// What libcurl calls, on the loop's thread, while it works on the transfer.
extension Transfer {
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
        case .bytes(let count): return count
        case .pause: return Int(CURL_READFUNC_PAUSE)
        case .fail: return Int(CURL_READFUNC_ABORT)
        }
    }

    static let rewindBody: crc_seek_function = { context, offset, origin in
        guard origin == SEEK_SET, let upload = Transfer.from(context)?.upload, upload.rewind(to: Int64(offset)) else {
            return CURL_SEEKFUNC_CANTSEEK
        }
        return CURL_SEEKFUNC_OK
    }

    /// Libcurl sends a request again when a kept connection turns out dead. Only an idempotent one may do its work
    /// twice (RFC 9110 §9.2.2).
    static let beforeSending: crc_prerequest_function = { context, _, _, _, _ in
        guard let transfer = Transfer.from(context) else { return CURL_PREREQFUNC_ABORT }
        transfer.attempts += 1
        guard transfer.attempts > 1, !transfer.request.method.isIdempotent else { return CURL_PREREQFUNC_OK }
        let reason = "a kept connection closed without an answer; \(transfer.request.method) is not sent twice"
        transfer.failure = TransportError(
            code: .closed,
            message: "\(transfer.request.method) \(transfer.request.url.origin): \(reason)",
            phase: .sending
        )
        return CURL_PREREQFUNC_ABORT
    }

    private func receiveHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
        noteActivity()
        switch parser.append(line) {
        case .none: return true
        case .malformed(let reason): failure = failed(.malformed, reason)
        case .tooLarge(let reason): failure = failed(.tooLarge, reason)
        case .head:
            do {
                let head = try ResponseHead(
                    statusCode: parser.statusCode,
                    header: Header(parser.fields),
                    url: request.url,
                    httpVersion: parser.version
                )
                expectedBytes = head.expectedBytes(to: request.method)
                answer?(.success(head))
                answer = nil
                return !isAnsweredEarly
            } catch {
                failure = failed(.malformed, error.message)
            }
        }
        return false
    }

    private func receiveBody(_ chunk: Data) -> Bool {
        noteActivity()
        receivedBytes += Int64(chunk.count)
        let demand = channel.push(chunk)
        if demand == .pause { pauseReceiving(true) }
        return demand != .stop && !isAnsweredEarly
    }
}
