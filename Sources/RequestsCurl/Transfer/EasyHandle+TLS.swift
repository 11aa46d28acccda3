import CRequestsCurl
import Foundation
import Requests
import RequestsClient

extension EasyHandle {
    /// Sets the options that are the same for all hosts, including proxies.
    func configure(_ tls: CurlTransport.TLS) throws(TransportError) {
        guard LinkedLibcurl.has(.tls) else { return }
        let version = tls.minimumVersion == .v1_3 ? crc_tls_v1_3 : crc_tls_v1_2
        let hasProxyTLS = LinkedLibcurl.has(.httpsProxy)
        try set(CURLOPT_SSLVERSION, version)
        if hasProxyTLS { try set(CURLOPT_PROXY_SSLVERSION, version) }
        switch tls.authorities.source {
        case .system: try useSystemAuthorities(hasProxyTLS)
        case .file(let url):
            try set(CURLOPT_CAINFO, url.path)
            try set(CURLOPT_CAPATH, nil)
            guard hasProxyTLS else { break }
            try set(CURLOPT_PROXY_CAINFO, url.path)
            try set(CURLOPT_PROXY_CAPATH, nil)
        case .pem(let data):
            try set(CURLOPT_CAPATH, nil)
            try set(CURLOPT_CAINFO_BLOB, data, "certificate authorities")
            guard hasProxyTLS else { break }
            try set(CURLOPT_PROXY_CAPATH, nil)
            try set(CURLOPT_PROXY_CAINFO_BLOB, data, "certificate authorities")
        }
        if let certificate = tls.clientCertificate { try configure(certificate) }
        if OpenSSL.reportsClosure { unsafe check(crc_set_tls_context_function(easy, OpenSSL.prepareContext)) }
    }

    /// Uses the file of authorities that libcurl was built with, or the system's if that one doesn't exist here.
    private func useSystemAuthorities(_ hasProxyTLS: Bool) throws(TransportError) {
        guard LinkedLibcurl.authorities != nil else { return }
        // If a directory of authorities is set too, libcurl parses the file for each connection.
        try set(CURLOPT_CAPATH, nil)
        if hasProxyTLS { try set(CURLOPT_PROXY_CAPATH, nil) }
        guard LinkedLibcurl.lacksAuthorities, let file = EasyHandle.systemAuthorities else { return }
        try set(CURLOPT_CAINFO, file)
        if hasProxyTLS { try set(CURLOPT_PROXY_CAINFO, file) }
    }

    /// Where systems keep the certificates of their authorities: a libcurl that was built elsewhere looks in the wrong
    /// place.
    private static let systemAuthorities: String? = [
        "/etc/ssl/certs/ca-certificates.crt",  // Debian, Ubuntu, Arch
        "/etc/pki/tls/certs/ca-bundle.crt",  // Fedora, Red Hat
        "/etc/ssl/ca-bundle.pem",  // SUSE
        "/etc/ssl/cert.pem",  // Alpine, macOS
    ]
    .first { (file: String) in unsafe access(file, R_OK) == 0 }

    private func configure(_ certificate: CurlTransport.TLS.ClientCertificate) throws(TransportError) {
        try set(CURLOPT_SSLCERTTYPE, certificate.format.rawValue)
        // Without a password OpenSSL would ask for one on the terminal, on the loop's thread. Others take any password
        // for a sign that the key is encrypted.
        let noPassword = LinkedLibcurl.usesOpenSSLFamily ? "" : nil
        try set(CURLOPT_KEYPASSWD, certificate.password?.text ?? noPassword)
        switch certificate.source {
        case .files(let file, let key):
            try set(CURLOPT_SSLCERT, file.path)
            if let key { try set(CURLOPT_SSLKEY, key.path) }
        case .data(let data, let key):
            try set(CURLOPT_SSLCERT_BLOB, data, "a client certificate")
            if let key { try set(CURLOPT_SSLKEY_BLOB, key, "a client certificate's key") }
        }
    }

    private func set(_ option: CURLoption, _ data: Data, _ name: String) throws(TransportError) {
        let code = unsafe data.withUnsafeBytes { bytes in
            // libcurl only reads from the address, and keeps a copy.
            var blob = unsafe curl_blob(
                data: UnsafeMutableRawPointer(mutating: bytes.baseAddress),
                len: bytes.count,
                flags: crc_blob_copy
            )
            return unsafe crc_set_blob(easy, option, &blob)
        }
        guard code == CURLE_OK else { throw .unsupported("libcurl does not take \(name) from memory; use a file") }
    }

    /// Sets the keys that the next transfer's proxy may have; `nil` for any.
    func setProxyPins(_ pins: [String]?) throws(TransportError) {
        try set(CURLOPT_PROXY_PINNEDPUBLICKEY, pins.map(EasyHandle.pinList))
    }

    /// Returns keys in libcurl's format.
    private static func pinList(_ pins: [String]) -> String {
        pins.map { "sha256//\($0)" }.joined(separator: ";")
    }

    /// Sets the options that depend on the host.
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
