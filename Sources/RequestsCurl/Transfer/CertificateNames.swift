/// Reads the names in the certificate that a server presented, with OpenSSL's functions.
struct CertificateNames: Sendable {
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

    /// `nil` if the functions aren't in the process.
    static let shared = CertificateNames()

    private init?() {
        // SSL_get1_peer_certificate had another name before OpenSSL 3.0.
        guard
            let peer = OpenSSL.find("SSL_get1_peer_certificate", as: Peer.self)
                ?? OpenSSL.find("SSL_get_peer_certificate", as: Peer.self),
            let readExtension = OpenSSL.find("X509_get_ext_d2i", as: Extension.self),
            let count = OpenSSL.find("OPENSSL_sk_num", as: Count.self),
            let element = OpenSSL.find("OPENSSL_sk_value", as: Element.self),
            let freeNames = OpenSSL.find("GENERAL_NAMES_free", as: Free.self),
            let free = OpenSSL.find("X509_free", as: Free.self)
        else { return nil }
        self.peer = peer
        self.readExtension = readExtension
        self.count = count
        self.element = element
        self.freeNames = freeNames
        self.free = free
    }

    /// Whether the server's certificate has a host name or address in its subjectAltName. libcurl also accepts one in
    /// the subject (RFC 9110 §4.3.4).
    func includeHost(_ session: UnsafeMutableRawPointer) -> Bool {
        guard let certificate = peer(session) else { return false }
        defer { free(certificate) }
        // NID_subject_alt_name.
        guard let names = readExtension(certificate, 85, nil, nil) else { return false }
        defer { freeNames(names) }
        return (0..<count(names)).contains { index in
            // A name begins with its type: GEN_DNS or GEN_IPADD.
            [2, 7].contains(element(names, index)?.load(as: CInt.self))
        }
    }
}
