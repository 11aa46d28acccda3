#if canImport(CRequestsCurl)
import CRequestsCurl
import Requests
import RequestsClient

extension Transfer {
    /// Returns what libcurl's result means for the reader: the trailers, or the error of an incomplete response.
    func outcome(of code: CURLcode) -> Result<Header?, any Error> {
        if let failure { return .failure(failure) }
        guard code == CURLE_OK || isToBeStopped || isHarmless(code) else {
            if let reason = upload?.failure {
                return .failure(TransportError.sourceFailed(reason, of: request, phase: phase))
            }
            return .failure(isWhole && hasRequestBody ? unsent : fault(code))
        }
        if let fault = incompleteness(code) { return .failure(fault) }
        let trailers = reception.head.header
        return .success(trailers.isEmpty ? nil : trailers)
    }

    /// Returns the error for an incomplete response that libcurl accepts. `nil` if it is complete.
    private func incompleteness(_ code: CURLcode) -> TransportError? {
        // libcurl reports a connection that closed inside the head as an empty response.
        guard stage == .receivingBody else {
            return failed(codeOfClosure, "the connection closed before the end of the response's header")
        }
        if let expected = reception.expectedBytes, reception.receivedBytes < expected {
            return failed(.truncated, "the connection closed after \(reception.receivedBytes) bytes of \(expected)")
        }
        // libcurl accepts a chunked body without its last line feed.
        guard reception.chunks?.isAtEnd != false else {
            return failed(.truncated, "the connection closed before the last chunk of the body")
        }
        // A close-delimited body is complete only after close_notify (RFC 9112 §9.8).
        if code == CURLE_OK, let session = unsafe reception.endingSession.take(), unsafe !OpenSSL.unwatch(session) {
            return failed(.truncated, "the connection closed without TLS close_notify, so the body may be incomplete")
        }
        // Over HTTP/1, libcurl stops an upload if the connection closes after the response. Over HTTP/2, 7.88 may lose
        // the last frame of the upload.
        let isLost =
            reception.head.isMultiplexed
            ? reception.isEarly && handle?.quirks.stallsUploads == true && !hasSentOneFrame && !reception.isUploadSent
            : hasUnsentBody
        if code == CURLE_OK, isLost, !refusesUpload {
            return upload?.failure.map { .sourceFailed($0, of: request, phase: phase) } ?? unsent
        }
        return nil
    }

    /// Whether the request body fits into a frame of the usual size (RFC 9113 §4.2), and its connection is still open.
    private var hasSentOneFrame: Bool { isConnectionOpen && request.body.length ?? .max <= 16_384 }

    private var isConnectionOpen: Bool {
        connection.map { driver?.connections.has($0) == true } ?? false
    }

    /// Whether a failure to send the rest of the request doesn't harm the response.
    private func isHarmless(_ code: CURLcode) -> Bool {
        switch code {
        case CURLE_SEND_ERROR: hasEndedUpload || hasSentEnd
        // The server has closed the stream without an error, so it doesn't want the rest (RFC 9113 §8.1).
        case CURLE_HTTP2_STREAM: isWhole && curlMessage.isEmpty && (upload?.isRead == false || isConnectionOpen)
        default: false
        }
    }

    /// Whether libcurl failed only because of ``Quirks/failsAfterUploads``: both sides have ended the stream. Any other
    /// failure has a message, also a reset by the server, because libcurl reads before it writes.
    private var hasSentEnd: Bool {
        handle?.quirks.failsAfterUploads == true && reception.head.version == .http2 && stage == .receivingBody
            && upload?.isRead != false && curlMessage.isEmpty && !isReceivingPaused
    }

    /// The error for a server that responds as if it accepted the request, but doesn't take the rest of it.
    private var unsent: TransportError {
        let reason =
            "the server responded with \(reception.head.statusCode), but may not have received the whole request body"
        return TransportError(.closed, of: request, reason, phase: .sending)
    }

    /// Whether libcurl failed because of the connection. 7.88 reports the end of one with HTTP/2 as a partial file.
    func isOfConnection(_ code: CURLcode) -> Bool {
        [CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP3, CURLE_PARTIAL_FILE].contains(code)
    }

    /// Returns the error for libcurl's result.
    private func fault(_ code: CURLcode) -> TransportError {
        if isUnprocessed, isOfConnection(code) {
            return failed(.closed, "the server refused the request; retry it later")
        }
        // libcurl's own connect timeout may fire first, with various error codes.
        if phase == .connecting, deadlines.reached(at: LoopClock.time) == .connect { return timedOut(.connect) }
        if phase == .connecting, code == CURLE_COULDNT_CONNECT, let address = connecting.rejectedAddress {
            return failed(.addressNotAllowed, AddressCheck.reason(address, ofProxy: proxy != nil))
        }
        let message = message(of: code)
        if let proxy, code == CURLE_PROXY || isFault(of: proxy, code) {
            guard handle?.long(CURLINFO_HTTP_CONNECTCODE) == 407 else {
                return failed(.proxy, "the proxy \(proxy.url): \(message)")
            }
            let demand = proxy.credentials == nil ? "; set them with authenticated" : " again; check them"
            return failed(.proxy, "the proxy \(proxy.url) asks for credentials\(demand)")
        }
        if stage < .receivingHead, LibcurlMessage.isRejectedHandshake(message) { return failed(.tlsFailed, message) }
        if LibcurlMessage.reportsBrokenRules(message) {
            return failed(stage < .receivingBody ? .malformed : .truncated, "the response isn't valid HTTP/3")
        }
        if let known = Transfer.meaning(of: code) { return failed(known, message) }
        if let meaning = LibcurlMessage.meaning(of: curlMessage) {
            return failed(meaning.code, meaning.reason ?? message)
        }
        return faultOfStage(code, message)
    }

    /// Returns the error for a result that means only that the connection is unusable, depending on the stage.
    private func faultOfStage(_ code: CURLcode, _ message: String) -> TransportError {
        switch code {
        case CURLE_OUT_OF_MEMORY where phase == .sending && handle?.long(CURLINFO_REQUEST_SIZE) == 0:
            return failed(.outOfMemory, "out of memory sending the request; try again later")
        // libcurl limits a header line to 100 KiB. Before 8.6 it reported a longer one as out of memory.
        case CURLE_OUT_OF_MEMORY where phase != .connecting && stage < .receivingBody,
            crc_error_too_large where phase != .connecting && stage < .receivingBody:
            return failed(.tooLarge, "a line of the response's header is longer than libcurl's limit of 100 KiB")
        // libcurl 8.16 and later reports an unusable client key this way.
        case CURLE_BAD_FUNCTION_ARGUMENT where phase == .connecting && request.url.isSecure:
            return failed(.tlsFailed, message)
        // libcurl reports a folded line before the first field this way.
        case CURLE_BAD_FUNCTION_ARGUMENT where stage == .receivingHead:
            return failed(.malformed, HeadFault.startsFolded)
        case CURLE_HTTP2:
            let reason = curlMessage.isEmpty ? "the server ended the HTTP/2 connection" : message
            return failed(codeOfClosure, reason)
        case CURLE_HTTP3: return failed(codeOfClosure, message)
        // libcurl discards a response that the server sent before it reset the stream (RFC 9113 §8.1).
        case CURLE_HTTP2_STREAM where curlMessage.isEmpty && stage < .receivingHead && hasRequestBody:
            return failed(.closed, "the server reset the HTTP/2 stream before it received the whole request")
        case CURLE_WEIRD_SERVER_REPLY: return failed(.malformed, message)
        case CURLE_PARTIAL_FILE: return failed(codeOfClosure, message)
        default: return failed(codeOfPhase, message)
        }
    }

    /// Returns the error for a failure of libcurl that affects all transfers.
    func fault(_ code: CURLMcode) -> TransportError {
        let reason = unsafe String(cString: curl_multi_strerror(code))
        return failure ?? failed(codeOfPhase, "libcurl failed: \(reason)")
    }

    /// Ends the transfer after libcurl returns, because of a system error such as a socket that can't be watched.
    func stop(because error: Int32) {
        let reason = unsafe String(cString: strerror(error))
        failure = failure ?? failed(codeOfPhase, "the system can't use the connection: \(reason)")
        cancel()
    }

    var codeOfClosure: TransportError.Code { stage >= .receivingHead ? .truncated : .closed }

    /// The code for an unusable connection, by phase.
    private var codeOfPhase: TransportError.Code {
        switch phase {
        case .connecting: .cannotConnect
        case .receiving: .truncated
        default: .closed
        }
    }

    /// Returns libcurl's message about the transfer, without the general text that it appends to some messages.
    private func message(of code: CURLcode) -> String {
        let (message, general) = unsafe (curlMessage, String(cString: curl_easy_strerror(code)))
        if code == CURLE_COULDNT_CONNECT { return messageOfNoConnection }
        if code == CURLE_SSL_CACERT_BADFILE {
            return "libcurl found no certificate authorities to verify the server with; set tls.authorities"
        }
        if code == CURLE_SSL_PINNEDPUBKEYNOTMATCH {
            return "the public key of the server isn't one of tls.publicKeyPins for its host"
        }
        let specific = message.hasSuffix(": " + general) ? String(message.dropLast(2 + general.count)) : message
        let reason = specific.isEmpty ? general : specific
        if LibcurlMessage.reportsQUICEnd(reason) { return "the server closed the QUIC connection" }
        guard let advice = LibcurlMessage.advice(about: reason, isSecure: request.url.isSecure) else { return reason }
        return "\(reason); \(advice)"
    }

    /// The message for a failed connection. libcurl's own differs by version and omits the system's error.
    private var messageOfNoConnection: String {
        let number = connecting.socketError == 0 ? Int32(handle?.long(CURLINFO_OS_ERRNO) ?? 0) : connecting.socketError
        let cause = number == 0 ? "" : unsafe " (\(String(cString: strerror(number))))"
        if let socket = driver?.settings.configuration.connections.unixSocket {
            return "can't connect to the socket \(Redaction.quoted(socket))\(cause)"
        }
        let origin = request.url.origin
        let (host, port) = proxy.map { ($0.host, $0.port) } ?? (origin.host, origin.port)
        return "can't connect to \(host) port \(port)\(cause)"
    }

    /// Whether an error is the proxy's, which is true until the connection or the tunnel to the host is open.
    private func isFault(of proxy: ProxyServer, _ code: CURLcode) -> Bool {
        guard phase == .connecting else { return false }
        if code == CURLE_COULDNT_CONNECT { return true }
        // A TLS error with the server inside the tunnel has its own code.
        return proxy.tunnels(to: request.url) && Transfer.meaning(of: code) == nil
    }

    func failed(_ code: TransportError.Code, _ reason: String) -> TransportError {
        TransportError(code, of: request, reason, phase: phase)
    }

    func timedOut(_ limit: TransportError.Limit) -> TransportError {
        let wait = stage > .queued ? "" : " while it waited for a connection"
        let reason = TransportError.reason(limit, of: request.options.timeouts, total: context.deadline.total)
        return failed(.timedOut(limit), reason + wait)
    }

    /// Returns the error code for a result of libcurl that means the same at every stage. `nil` for others.
    private static func meaning(of code: CURLcode) -> TransportError.Code? {
        switch code {
        case CURLE_UNSUPPORTED_PROTOCOL: .malformed
        // CURLE_UPLOAD_FAILED is a body of unknown length over a kept HTTP/1.0 connection.
        case CURLE_URL_MALFORMAT, CURLE_NOT_BUILT_IN, CURLE_UPLOAD_FAILED: .unsupported
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: .proxy
        case CURLE_COULDNT_RESOLVE_HOST: .nameNotResolved
        case CURLE_COULDNT_CONNECT: .cannotConnect
        case CURLE_READ_ERROR, CURLE_ABORTED_BY_CALLBACK: .sourceFailed
        // This is always the connect timeout, because the transport enforces all other limits itself.
        case CURLE_OPERATION_TIMEDOUT: .timedOut(.connect)
        case CURLE_FILESIZE_EXCEEDED: .tooLarge
        case CURLE_BAD_CONTENT_ENCODING: .decoding
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_CERTPROBLEM,
            CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_CLIENTCERT,
            CURLE_USE_SSL_FAILED, CURLE_SSL_SHUTDOWN_FAILED:
            .tlsFailed
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS: .tlsUntrusted
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH: .pinMismatch
        default: nil
        }
    }
}
#endif
