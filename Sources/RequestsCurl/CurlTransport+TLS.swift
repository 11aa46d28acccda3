#if canImport(CRequestsCurl)
import CRequestsCurl
import Requests
import RequestsClient

extension CurlTransport {
    /// The verification of servers, and the client certificate to present to them.
    public struct TLS: Sendable {
        /// The oldest TLS version to accept. Default: TLS 1.2.
        public var minimumVersion = Version.v1_2

        /// The certificate authorities to trust. Default: ``Authorities/system``.
        public var authorities = Authorities.system

        /// The public keys to require, by host. A server must also have a trusted certificate. Default: any key.
        public var publicKeyPins: PublicKeyPins = [:]

        /// The certificate to present to servers that ask for one. Default: `nil`, none.
        ///
        /// Every server that asks gets it, so create a separate transport for the hosts that it is meant for.
        public var clientCertificate: ClientCertificate?

        /// Hosts whose certificates aren't verified, so anyone on the network can read and change the traffic. Write
        /// them in lowercase, without a port. Pins still apply. Default: none.
        public var dangerouslyUnverifiedHosts: Set<String> = []

        /// Creates the default settings.
        public init() {}

        /// A version of TLS.
        public struct Version: Hashable, Sendable {
            let option: Int

            /// TLS 1.2 (RFC 5246).
            public static let v1_2 = Version(option: crc_tls_v1_2)
            /// TLS 1.3 (RFC 8446).
            public static let v1_3 = Version(option: crc_tls_v1_3)
        }

        /// The certificate authorities that a transport trusts.
        public struct Authorities: Hashable, Sendable {
            enum Source: Hashable, Sendable {
                case system
                case file(URL)
                case pem(Data)
            }

            let source: Source

            var haveCertificates: Bool {
                let pem: Data?
                switch source {
                case .system: return true
                case .file(let url): pem = FileManager.default.contents(atPath: url.path)
                case .pem(let data): pem = data
                }
                // OpenSSL reads PEM blocks with three labels, which all end with CERTIFICATE.
                return pem?.firstRange(of: Data("CERTIFICATE-----".utf8)) != nil
            }

            /// The authorities that libcurl was built to trust, or the system's file if libcurl's doesn't exist.
            public static let system = Authorities(source: .system)

            /// Only the authorities in a PEM file. Apple's libcurl doesn't support this.
            public static func file(_ url: URL) -> Authorities { Authorities(source: .file(url)) }

            /// Only the authorities in PEM data. Apple's libcurl doesn't support this.
            public static func pem(_ data: Data) -> Authorities { Authorities(source: .pem(data)) }
        }
    }
}

extension CurlTransport.TLS {
    /// A certificate with its private key.
    public struct ClientCertificate: Sendable, Redacted {
        enum Source {
            case files(certificate: URL, key: URL?)
            case data(certificate: Data, key: Data?)
        }

        enum Format: String {
            case pem = "PEM"
            case pkcs12 = "P12"
        }

        let source: Source
        let format: Format
        let password: Secret?

        private init(_ source: Source, _ format: Format, _ password: String?) {
            (self.source, self.format, self.password) = (source, format, password.map(Secret.init))
        }

        /// A certificate and its key, in two PEM files.
        ///
        /// - Parameters:
        ///   - certificate: The certificate, with the chain to its authority after it.
        ///   - key: The private key.
        ///   - password: The password of an encrypted key. Default: `nil`, the key isn't encrypted.
        public static func pem(certificate: URL, key: URL, password: String? = nil) -> ClientCertificate {
            ClientCertificate(.files(certificate: certificate, key: key), .pem, password)
        }

        /// A certificate and its key, as PEM data.
        ///
        /// - Parameters:
        ///   - certificate: The certificate, with the chain to its authority after it.
        ///   - key: The private key.
        ///   - password: The password of an encrypted key. Default: `nil`, the key isn't encrypted.
        public static func pem(certificate: Data, key: Data, password: String? = nil) -> ClientCertificate {
            ClientCertificate(.data(certificate: certificate, key: key), .pem, password)
        }

        /// A certificate and its key in a PKCS #12 file (RFC 7292).
        public static func pkcs12(_ file: URL, password: String) -> ClientCertificate {
            ClientCertificate(.files(certificate: file, key: nil), .pkcs12, password)
        }

        /// A certificate and its key as PKCS #12 data (RFC 7292).
        public static func pkcs12(_ data: Data, password: String) -> ClientCertificate {
            ClientCertificate(.data(certificate: data, key: nil), .pkcs12, password)
        }

        /// A fixed text, which reveals nothing about the certificate.
        public var description: String { "a client certificate" }
    }

    /// Throws if a file can't be read. Otherwise libcurl would report it on the first request only.
    func validate(for library: TLSLibrary = LinkedLibcurl.tls) throws(TransportError) {
        try publicKeyPins.validate()
        for name in dangerouslyUnverifiedHosts where (try? RequestURL("https://\(name)/"))?.host != name {
            throw .unsupported(
                "\(Redaction.quoted(name)) in tls.dangerouslyUnverifiedHosts isn't a host; "
                    + "write it in lowercase, without a port"
            )
        }
        guard authorities == .system || !library.alwaysTrustsSystem else {
            throw .unsupported(
                "Apple's libcurl, with \(library.name), also trusts the system's authorities, so tls.authorities can't "
                    + "replace them; use another libcurl, such as Homebrew's"
            )
        }
        var files: [(String, URL)] = []
        if case .file(let url) = authorities.source { files.append(("tls.authorities", url)) }
        if case .data = clientCertificate?.source, !library.isOpenSSLFamily {
            throw .unsupported(
                "libcurl with \(library.name) can't read tls.clientCertificate from memory; use files"
            )
        }
        if case .files(let certificate, let key) = clientCertificate?.source {
            files.append(("tls.clientCertificate", certificate))
            if let key { files.append(("the key of tls.clientCertificate", key)) }
        }
        for (name, file) in files where !FileManager.default.isReadableFile(atPath: file.path) {
            throw .unsupported("\(name) can't be read from \(file.path); check the path and its permissions")
        }
        guard authorities.haveCertificates else {
            throw .unsupported("tls.authorities has no certificate in PEM format; it must contain BEGIN CERTIFICATE")
        }
    }
}
#endif
