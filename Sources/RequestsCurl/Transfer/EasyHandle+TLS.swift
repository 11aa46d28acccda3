import CRequestsCurl
import Requests
import RequestsClient

extension EasyHandle {
    /// Sets the TLS options that are the same for all hosts, including proxies.
    func configure(_ tls: CurlTransport.TLS) throws(TransportError) {
        guard LinkedLibcurl.has(.tls) else { return }
        try configure(tls, AuthorityOptions.server)
        if LinkedLibcurl.has(.httpsProxy) { try configure(tls, AuthorityOptions.proxy) }
        if let certificate = tls.clientCertificate { try configure(certificate) }
        if OpenSSL.reportsClosure { unsafe check(crc_set_tls_context_function(easy, OpenSSL.prepareContext)) }
    }

    /// The options that libcurl has separately for servers and for HTTPS proxies.
    private struct AuthorityOptions {
        let version, file, directory, blob: CURLoption

        static let server = AuthorityOptions(
            version: CURLOPT_SSLVERSION,
            file: CURLOPT_CAINFO,
            directory: CURLOPT_CAPATH,
            blob: CURLOPT_CAINFO_BLOB
        )
        static let proxy = AuthorityOptions(
            version: CURLOPT_PROXY_SSLVERSION,
            file: CURLOPT_PROXY_CAINFO,
            directory: CURLOPT_PROXY_CAPATH,
            blob: CURLOPT_PROXY_CAINFO_BLOB
        )
    }

    private func configure(_ tls: CurlTransport.TLS, _ options: AuthorityOptions) throws(TransportError) {
        try set(options.version, tls.minimumVersion.option)
        if tls.authorities == .system, LinkedLibcurl.authorities == nil { return }
        // Removes the directory of authorities, because with both libcurl would parse the file for each connection.
        try set(options.directory, nil)
        switch tls.authorities.source {
        case .system:
            // libcurl's own file is replaced only if it doesn't exist on this system.
            guard LinkedLibcurl.lacksAuthorities, let file = EasyHandle.systemAuthorities else { return }
            try set(options.file, file)
        case .file(let url): try set(options.file, url.path)
        case .pem(let data): try set(options.blob, data, "tls.authorities")
        }
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
        let noPassword = LinkedLibcurl.usesOpenSSLFamily ? "" : nil
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

    /// Sets the public keys that the next transfer's proxy may have. `nil` allows any.
    func setProxyPins(_ pins: [String]?) throws(TransportError) {
        try set(CURLOPT_PROXY_PINNEDPUBLICKEY, pins.map(EasyHandle.pinList))
    }

    private static func pinList(_ pins: [String]) -> String {
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
