import CRequestsCurl
import Foundation
import Requests

extension EasyHandle {
    /// Sets what is the same for all hosts.
    func configure(_ tls: CurlTransport.TLS) throws(TransportError) {
        let version = tls.minimumVersion == .v1_3 ? CURL_SSLVERSION_TLSv1_3 : CURL_SSLVERSION_TLSv1_2
        try set(CURLOPT_SSLVERSION, Int(version))
        switch tls.authorities.source {
        case .system: try useOneFileOfAuthorities()
        case .file(let path):
            try set(CURLOPT_CAINFO, path)
            try set(CURLOPT_CAPATH, nil)
        case .pem(let data):
            try set(CURLOPT_CAPATH, nil)
            try setAuthorities(data)
        }
    }

    /// With a directory of authorities beside the file, libcurl reads the file again for each connection.
    private func useOneFileOfAuthorities() throws(TransportError) {
        var file: UnsafeMutablePointer<CChar>?
        guard crc_get_string(easy, CURLINFO_CAINFO, &file) == CURLE_OK, file != nil else { return }
        try set(CURLOPT_CAPATH, nil)
    }

    private func setAuthorities(_ data: Data) throws(TransportError) {
        let code = data.withUnsafeBytes { bytes in
            // Libcurl only reads from the address, and keeps a copy.
            var blob = curl_blob(
                data: UnsafeMutableRawPointer(mutating: bytes.baseAddress),
                len: bytes.count,
                flags: UInt32(CURL_BLOB_COPY)
            )
            return crc_set_blob(easy, CURLOPT_CAINFO_BLOB, &blob)
        }
        guard code == CURLE_OK else {
            throw .unsupported("libcurl does not take certificate authorities from memory; use a file")
        }
    }

    /// Sets what depends on the host, whichever host the handle served before.
    func configure(_ tls: CurlTransport.TLS, for url: RequestURL) throws(TransportError) {
        let pins = tls.publicKeyPins[url.host]
        if pins != nil || hasPins {
            try set(CURLOPT_PINNEDPUBLICKEY, pins.map { $0.map { "sha256//\($0)" }.joined(separator: ";") })
            hasPins = pins != nil
        }
        guard !tls.dangerouslyUnverifiedHosts.isEmpty else { return }
        let isVerified = !tls.dangerouslyUnverifiedHosts.contains(url.host)
        try set(CURLOPT_SSL_VERIFYPEER, isVerified ? 1 : 0)
        try set(CURLOPT_SSL_VERIFYHOST, isVerified ? 2 : 0)
    }
}
