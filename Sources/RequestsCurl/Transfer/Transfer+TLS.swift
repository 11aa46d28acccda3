import CRequestsCurl
import Requests

/// What libcurl leaves open of a connection over TLS.
extension Transfer {
    /// The subject of a certificate is no place for a host's name (RFC 9110 §4.3.4).
    func hasNamedServer() -> Bool {
        guard request.url.isSecure, let handle, handle.long(CURLINFO_NUM_CONNECTS) > 0,
            driver?.settings.tls.dangerouslyUnverifiedHosts.contains(request.url.host) == false,
            let session = handle.tlsSession, !OpenSSL.hasNames(session)
        else { return true }
        handle.forbidReuse()
        let reason = "the server's certificate names no host in its subjectAltName"
        failure = TransportError(.tlsUntrusted, of: request, reason, phase: .connecting)
        return false
    }

    /// A body of HTTP/1 whose end is the connection's is whole when TLS has ended as well.
    func watchSession() {
        guard OpenSSL.reportsEnds, request.url.isSecure || proxy?.kind == .https, let session = handle?.tlsSession
        else {
            return
        }
        OpenSSL.watch(session)
        endingSession = session
    }
}
