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
