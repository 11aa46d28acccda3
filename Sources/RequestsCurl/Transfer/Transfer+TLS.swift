import CRequestsCurl
import Requests
import RequestsClient

/// The checks of a TLS connection that libcurl doesn't do.
extension Transfer {
    /// Rejects a certificate that names the host only in its subject (RFC 9110 §4.3.4).
    func hasNamedServer() -> Bool {
        guard let names = CertificateNames.shared, request.url.isSecure, let handle,
            handle.long(CURLINFO_NUM_CONNECTS) > 0,
            driver?.settings.tls.dangerouslyUnverifiedHosts.contains(request.url.host) == false
        else { return true }
        if let session = unsafe handle.tlsSession, unsafe names.includeHost(session) { return true }
        handle.forbidReuse()
        let reason = "the server's certificate has no host name in its subjectAltName; replace the certificate"
        failure = TransportError(.tlsUntrusted, of: request, reason, phase: .connecting)
        return false
    }

    /// Watches for the close_notify that must end a close-delimited HTTP/1 body.
    func watchSession() {
        guard OpenSSL.reportsClosure, request.url.isSecure || proxy?.kind == .https,
            let session = unsafe handle?.tlsSession
        else { return }
        unsafe OpenSSL.watch(session)
        unsafe reception.endingSession = session
    }
}
