import CRequestsCurl
import Foundation
import Requests

extension Transfer {
    /// What libcurl's result means for the reader: the trailers, or why the response is not complete.
    func outcome(of code: CURLcode) -> Result<Header?, any Error> {
        if let failure { return .failure(failure) }
        // A server that has answered need not read the rest of the request.
        guard code == CURLE_OK || isToBeStopped || code == CURLE_SEND_ERROR && isWhole else {
            if let reason = upload?.failure {
                return .failure(TransportError.sourceFailed(reason, of: request, phase: phase))
            }
            let reason = reason(of: code)
            return .failure(specialCase(code, reason) ?? failed(Transfer.codes[code.rawValue] ?? fallbackCode, reason))
        }
        // Libcurl takes a connection that closes inside the head for an empty response.
        guard isHeadComplete else {
            return .failure(failed(hasResponseBegun ? .truncated : .closed, "the connection closed inside the head"))
        }
        if let expectedBytes, receivedBytes < expectedBytes {
            return .failure(
                failed(.truncated, "the connection closed after \(receivedBytes) bytes of \(expectedBytes)")
            )
        }
        // Libcurl does not wait for the last of the line feeds.
        guard chunks?.isAtEnd != false else {
            return .failure(failed(.truncated, "the connection closed before the end of the chunks"))
        }
        // Anybody on the way can close a connection: only TLS can tell that the server did (RFC 9112 §9.8).
        if code == CURLE_OK, let session = endingSession.take(), !OpenSSL.unwatch(session) {
            return .failure(failed(.truncated, "the connection closed without the end of TLS"))
        }
        let trailers = head.header
        return .success(trailers.isEmpty ? nil : trailers)
    }

    /// What the handle says, without what every result of this code says after it.
    private func reason(of code: CURLcode) -> String {
        let (message, general) = (curlMessage, String(cString: curl_easy_strerror(code)))
        let said = message.hasSuffix(": " + general) ? String(message.dropLast(2 + general.count)) : message
        let reason = said.isEmpty ? general : said
        return code == CURLE_COULDNT_CONNECT ? reasonForNoConnection(reason) : reason
    }

    /// What the handle says, and what the system says, which libcurl keeps to itself.
    private func reasonForNoConnection(_ reason: String) -> String {
        let number = socketError == 0 ? Int32(handle?.long(CURLINFO_OS_ERRNO) ?? 0) : socketError
        let cause = number == 0 ? "" : " (\(String(cString: strerror(number))))"
        guard let socket = driver?.settings.configuration.connections.unixSocket else { return reason + cause }
        return "no connection to the socket \(Redaction.quoted(socket))\(cause)"
    }

    /// Results of libcurl that mean more than their code says.
    private func specialCase(_ code: CURLcode, _ reason: String) -> TransportError? {
        if let proxy, code == CURLE_PROXY || isFault(of: proxy, code) {
            return failed(.proxy, "the proxy \(proxy.url): \(reason)")
        }
        // With TLS 1.3 a server judges a certificate when the client has done its part.
        if !hasResponseBegun, reason.contains("alert"), reason.contains("SSL routines") {
            return failed(.tlsFailed, reason)
        }
        // Received bytes that libcurl cannot use and a connection that breaks have one code.
        if code == CURLE_RECV_ERROR, reason.hasPrefix("Too large response headers") {
            return failed(.tooLarge, Header.tooLarge)
        }
        if let fault = framingFault(code, reason) { return fault }
        // Libcurl's own limit for a line of the trailers is 4 KB.
        if reason == "Out of memory in chunked-encoding" {
            return failed(.tooLarge, "a line of the response's trailers is longer than libcurl takes")
        }
        if reason.hasSuffix("in chunked-encoding") { return failed(.malformed, reason) }
        // A line that is longer than libcurl takes, 100 KB, counts as memory that ran out before version 8.6.
        if (code == CURLE_OUT_OF_MEMORY || code.rawValue == Transfer.tooLarge), !isHeadComplete {
            return phase == .connecting
                ? failed(.unsupported, "the request's head is larger than libcurl takes")
                : failed(.tooLarge, "a line of the response's head is longer than libcurl takes")
        }
        // What goes on with the field before a head's first is no argument for libcurl's list of fields.
        if code == CURLE_BAD_FUNCTION_ARGUMENT, hasResponseBegun, !isHeadComplete {
            return failed(.malformed, HeadFault.startsFolded)
        }
        // Only for another connection, in place of a kept one that closed, is a body wanted from its start again.
        if code == CURLE_SEND_FAIL_REWIND {
            return failed(.closed, "a kept connection closed without an answer; the body can be sent only once")
        }
        return nil
    }

    /// What goes wrong with HTTP/2 itself has few codes, and more often that of a connection that breaks.
    private func framingFault(_ code: CURLcode, _ reason: String) -> TransportError? {
        // A connection that takes no more requests, or that its server ends.
        if code == CURLE_HTTP2 {
            let reason = curlMessage.isEmpty ? "the server ended the connection of HTTP/2" : reason
            return failed(hasResponseBegun ? .truncated : .closed, reason)
        }
        if code == CURLE_PARTIAL_FILE, !hasResponseBegun { return failed(.closed, reason) }
        // Whoever says so: libcurl's own library of a response, or the server of the request.
        if code.rawValue == Transfer.streamError, reason.contains("PROTOCOL_ERROR") {
            return failed(.malformed, reason)
        }
        // Libcurl then drops what came before the end, an answer too (RFC 9113 §8.1).
        if code.rawValue == Transfer.streamError, curlMessage.isEmpty, !hasResponseBegun, hasRequestBody {
            return failed(.closed, "the server ended the stream of HTTP/2 before it had the whole request")
        }
        guard code == CURLE_RECV_ERROR else { return nil }
        // Libcurl's limit of a head, and its library's.
        if reason.hasSuffix("The user callback function failed") || reason.contains("Too many CONTINUATION frames") {
            return isHeadComplete
                ? nil : failed(.tooLarge, "the response's head is larger than libcurl takes over HTTP/2")
        }
        return reason.contains("Flooding was detected") ? failed(.malformed, reason) : nil
    }

    /// Until the connection stands, or a tunnel to the host, what goes wrong is the proxy's.
    private func isFault(of proxy: ProxyServer, _ code: CURLcode) -> Bool {
        guard phase == .connecting else { return false }
        if code == CURLE_COULDNT_CONNECT { return true }
        // What goes wrong with TLS in the tunnel has codes of its own.
        let isTunnel = proxy.isHTTP && request.url.isSecure
        return isTunnel
            && [CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_WEIRD_SERVER_REPLY].contains(code)
    }

    func failed(_ code: TransportError.Code, _ reason: String) -> TransportError {
        TransportError(code, of: request, reason, phase: phase)
    }

    func timedOut(_ limit: TransportError.Limit) -> TransportError {
        let wait = hasStarted ? "" : " while it waited for a connection"
        return failed(.timedOut(limit), TransportError.reason(limit, of: request.options.timeouts) + wait)
    }

    /// For results that mean no more than that the connection is of no use: what matters is when.
    private var fallbackCode: TransportError.Code {
        switch phase {
        case .connecting: .cannotConnect
        case .receiving: .truncated
        default: .closed
        }
    }

    /// `CURLE_HTTP2_STREAM` and `CURLE_TOO_LARGE`.
    private static let streamError: UInt32 = 92
    private static let tooLarge: UInt32 = 100

    /// The results of libcurl that have one meaning whenever they come.
    private static let codes: [UInt32: TransportError.Code] = [
        CURLE_UNSUPPORTED_PROTOCOL.rawValue: .malformed,
        CURLE_URL_MALFORMAT.rawValue: .unsupported,
        CURLE_NOT_BUILT_IN.rawValue: .unsupported,
        // A body of unknown length over a kept connection that speaks HTTP/1.0.
        CURLE_UPLOAD_FAILED.rawValue: .unsupported,
        CURLE_COULDNT_RESOLVE_PROXY.rawValue: .proxy,
        CURLE_COULDNT_RESOLVE_HOST.rawValue: .nameNotResolved,
        CURLE_COULDNT_CONNECT.rawValue: .cannotConnect,
        CURLE_WEIRD_SERVER_REPLY.rawValue: .malformed,
        CURLE_PARTIAL_FILE.rawValue: .truncated,
        CURLE_READ_ERROR.rawValue: .sourceFailed,
        CURLE_ABORTED_BY_CALLBACK.rawValue: .sourceFailed,
        // The idle and the total limit are our own: what libcurl measures is the connecting.
        CURLE_OPERATION_TIMEDOUT.rawValue: .timedOut(.connect),
        CURLE_FILESIZE_EXCEEDED.rawValue: .tooLarge,
        CURLE_BAD_CONTENT_ENCODING.rawValue: .decoding,
        CURLE_SSL_CONNECT_ERROR.rawValue: .tlsFailed,
        CURLE_SSL_ENGINE_NOTFOUND.rawValue: .tlsFailed,
        CURLE_SSL_ENGINE_SETFAILED.rawValue: .tlsFailed,
        CURLE_SSL_CERTPROBLEM.rawValue: .tlsFailed,
        CURLE_SSL_CIPHER.rawValue: .tlsFailed,
        CURLE_SSL_CACERT_BADFILE.rawValue: .tlsFailed,
        CURLE_SSL_CRL_BADFILE.rawValue: .tlsFailed,
        CURLE_SSL_CLIENTCERT.rawValue: .tlsFailed,
        CURLE_USE_SSL_FAILED.rawValue: .tlsFailed,
        CURLE_SSL_SHUTDOWN_FAILED.rawValue: .tlsFailed,
        CURLE_PEER_FAILED_VERIFICATION.rawValue: .tlsUntrusted,
        CURLE_SSL_ISSUER_ERROR.rawValue: .tlsUntrusted,
        CURLE_SSL_INVALIDCERTSTATUS.rawValue: .tlsUntrusted,
        CURLE_SSL_PINNEDPUBKEYNOTMATCH.rawValue: .pinMismatch,
        CURLE_PROXY.rawValue: .proxy,
    ]
}
