#if canImport(CRequestsCurl)
import CRequestsCurl
import Requests
import RequestsClient

extension EasyHandle {
    /// Sets the TLS options that are the same for all hosts, including proxies.
    func configure(_ tls: CurlTransport.TLS) throws(TransportError) {
        guard LinkedLibcurl.has(.tls) else { return }
        // libcurl has these options separately for servers and for HTTPS proxies.
        let options = [
            (CURLOPT_SSLVERSION, CURLOPT_CAINFO, CURLOPT_CAPATH, CURLOPT_CAINFO_BLOB),
            (CURLOPT_PROXY_SSLVERSION, CURLOPT_PROXY_CAINFO, CURLOPT_PROXY_CAPATH, CURLOPT_PROXY_CAINFO_BLOB),
        ]
        for (version, file, directory, blob) in LinkedLibcurl.has(.httpsProxy) ? options : [options[0]] {
            try set(version, tls.minimumVersion.option)
            if tls.authorities == .system, LinkedLibcurl.authorities == nil { continue }
            // Removes the directory of authorities, because with both libcurl would parse the file for each connection.
            try set(directory, nil)
            switch tls.authorities.source {
            case .system:
                // libcurl's own file is replaced only if it doesn't exist on this system.
                guard LinkedLibcurl.lacksAuthorities, let systemFile = EasyHandle.systemAuthorities else { continue }
                try set(file, systemFile)
            case .file(let url): try set(file, url.path)
            case .pem(let data): try set(blob, data, "tls.authorities")
            }
        }
        if let certificate = tls.clientCertificate { try configure(certificate) }
        if OpenSSL.reportsClosure { unsafe check(crc_set_tls_context_function(easy, OpenSSL.prepareContext)) }
    }

    /// Keeps the next transfer away from connections that its origin has left.
    func setTag() throws(TransportError) {
        guard let tag = last.origin?.tag, tag != last.tag else { return }
        try set(CURLOPT_SSL_OPTIONS, tag)
        last.tag = tag
    }

    /// The system's file of certificate authorities, because a libcurl built for another system looks in the wrong
    /// place. `nil` if no known path exists.
    private static let systemAuthorities: String? = [
        "/etc/ssl/certs/ca-certificates.crt",  // Debian, Ubuntu, Arch
        "/etc/pki/tls/certs/ca-bundle.crt",  // Fedora, Red Hat
        "/etc/ssl/ca-bundle.pem",  // SUSE
        "/etc/ssl/cert.pem",  // Alpine, macOS
    ]
    .first { (file: String) in unsafe access(file, R_OK) == 0 }

    private func configure(_ certificate: CurlTransport.TLS.ClientCertificate) throws(TransportError) {
        try set(CURLOPT_SSLCERTTYPE, certificate.format.rawValue)
        // Without a password, OpenSSL would ask for one on the terminal and block the loop. Other libraries expect an
        // encrypted key if there is any password.
        let noPassword = LinkedLibcurl.tls.isOpenSSLFamily ? "" : nil
        try set(CURLOPT_KEYPASSWD, certificate.password?.text ?? noPassword)
        switch certificate.source {
        case .files(let file, let key):
            try set(CURLOPT_SSLCERT, file.path)
            if let key { try set(CURLOPT_SSLKEY, key.path) }
        case .data(let data, let key):
            try set(CURLOPT_SSLCERT_BLOB, data, "tls.clientCertificate")
            if let key { try set(CURLOPT_SSLKEY_BLOB, key, "the key of tls.clientCertificate") }
        }
    }

    private func set(_ option: CURLoption, _ data: Data, _ name: String) throws(TransportError) {
        let code = unsafe data.withUnsafeBytes { bytes in
            // libcurl only reads the bytes, and keeps a copy.
            var blob = unsafe curl_blob(
                data: UnsafeMutableRawPointer(mutating: bytes.baseAddress),
                len: bytes.count,
                flags: crc_blob_copy
            )
            return unsafe crc_set_blob(easy, option, &blob)
        }
        guard code == CURLE_OK else { throw .unsupported("libcurl can't read \(name) from memory; use a file") }
    }

    static func pinList(_ pins: [String]) -> String {
        pins.map { "sha256//\($0)" }.joined(separator: ";")
    }

    /// Sets the TLS options that depend on the host.
    func setTLS(_ tls: CurlTransport.TLS, for url: RequestURL) throws(TransportError) {
        let pins = tls.publicKeyPins.isEmpty ? nil : tls.publicKeyPins[url.host]
        if pins != nil || last.hasPins {
            try set(CURLOPT_PINNEDPUBLICKEY, pins.map(EasyHandle.pinList))
            last.hasPins = pins != nil
        }
        guard !tls.dangerouslyUnverifiedHosts.isEmpty else { return }
        let isVerified = !tls.dangerouslyUnverifiedHosts.contains(url.host)
        try set(CURLOPT_SSL_VERIFYPEER, isVerified ? 1 : 0)
        try set(CURLOPT_SSL_VERIFYHOST, isVerified ? 2 : 0)
    }
}

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

/// Checks the names in a server's certificate with OpenSSL's functions.
@safe struct CertificateNames: Sendable {
    private typealias Object = UnsafeMutableRawPointer
    private typealias Extension = @convention(c) (Object?, CInt, UnsafeMutablePointer<CInt>?, Object?) -> Object?
    private typealias Count = @convention(c) (Object?) -> CInt
    private typealias Element = @convention(c) (Object?, CInt) -> Object?
    private typealias Peer = @convention(c) (UnsafeRawPointer?) -> Object?
    private typealias Free = @convention(c) (Object?) -> Void

    private let peer: Peer
    private let readExtension: Extension
    private let count: Count
    private let element: Element
    private let freeNames: Free
    private let free: Free

    /// `nil` if OpenSSL's functions can't be found.
    static let shared = try? unsafe CertificateNames(
        // The function's name changed in OpenSSL 3.0.
        peer: (try? OpenSSL.find("SSL_get1_peer_certificate")) ?? OpenSSL.find("SSL_get_peer_certificate"),
        readExtension: OpenSSL.find("X509_get_ext_d2i"),
        count: OpenSSL.find("OPENSSL_sk_num"),
        element: OpenSSL.find("OPENSSL_sk_value"),
        freeNames: OpenSSL.find("GENERAL_NAMES_free"),
        free: OpenSSL.find("X509_free")
    )

    /// Whether the server's certificate has a host name or address in its subjectAltName, as RFC 9110 §4.3.4 requires.
    /// libcurl also accepts a name in the subject.
    func includeHost(_ session: UnsafeMutableRawPointer) -> Bool {
        guard let certificate = unsafe peer(session) else { return false }
        defer { unsafe free(certificate) }
        // 85 is OpenSSL's NID_subject_alt_name.
        guard let names = unsafe readExtension(certificate, 85, nil, nil) else { return false }
        defer { unsafe freeNames(names) }
        return unsafe (0..<count(names)).contains { index in
            // A name begins with its type: GEN_DNS (2) or GEN_IPADD (7).
            unsafe [2, 7].contains(element(names, index)?.load(as: CInt.self))
        }
    }
}
#endif
