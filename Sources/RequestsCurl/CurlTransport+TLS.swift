import CRequestsCurl
import Requests
import RequestsClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension CurlTransport {
    /// How servers are verified, and which certificate is presented to them.
    public struct TLS: Sendable {
        /// The oldest TLS version to accept. Default: TLS 1.2.
        public var minimumVersion = Version.v1_2

        /// The certificate authorities to trust. Default: libcurl's own.
        public var authorities = Authorities.system

        /// The public keys that servers may have, in addition to being trusted. Default: any.
        public var publicKeyPins: PublicKeyPins = [:]

        /// The certificate to present to servers that ask for one. Default: none.
        ///
        /// Every server that asks gets it: make a separate transport for the hosts that it is meant for.
        public var clientCertificate: ClientCertificate?

        /// Hosts whose certificates aren't verified, so that anyone on the network can read and change the traffic.
        /// Lowercase, without a port. Pins still apply. Default: none.
        public var dangerouslyUnverifiedHosts: Set<String> = []

        /// Creates the default verification.
        public init() {}

        /// A version of TLS.
        public struct Version: Hashable, Sendable {
            /// libcurl's name for it.
            let option: Int

            /// TLS 1.2 (RFC 5246).
            public static let v1_2 = Version(option: crc_tls_v1_2)
            /// TLS 1.3 (RFC 8446).
            public static let v1_3 = Version(option: crc_tls_v1_3)
        }

        /// Certificates of authorities.
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
                // OpenSSL reads certificates under three names that end like this.
                return pem?.firstRange(of: Data("CERTIFICATE-----".utf8)) != nil
            }

            /// The authorities that libcurl was built to trust, or the system's if libcurl's file doesn't exist.
            public static let system = Authorities(source: .system)

            /// The authorities in a PEM file, instead of the system's.
            public static func file(_ url: URL) -> Authorities { Authorities(source: .file(url)) }

            /// The authorities in PEM data, instead of the system's.
            public static func pem(_ data: Data) -> Authorities { Authorities(source: .pem(data)) }
        }
    }
}

extension CurlTransport.TLS {
    /// A certificate with its private key.
    public struct ClientCertificate: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
    {
        enum Source {
            case files(certificate: URL, key: URL?)
            case data(certificate: Data, key: Data?)
        }

        /// libcurl's name of a file format.
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

        /// A certificate and a key in files in PEM.
        ///
        /// - Parameters:
        ///   - certificate: The certificate, with the chain to its authority after it.
        ///   - key: The private key.
        ///   - password: The password of an encrypted key. Default: `nil`, the key isn't encrypted.
        public static func pem(certificate: URL, key: URL, password: String? = nil) -> ClientCertificate {
            ClientCertificate(.files(certificate: certificate, key: key), .pem, password)
        }

        /// A certificate and a key in memory in PEM.
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

        /// A fixed text that shows nothing of the certificate.
        public var description: String { "a client certificate" }
        /// The same as ``description``, because debug output ends up in logs too.
        public var debugDescription: String { description }
        /// Empty, for the same reason.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// Throws if a file can't be read, which libcurl would only report with the first exchange.
    func validate() throws(TransportError) {
        try publicKeyPins.validate()
        for name in dangerouslyUnverifiedHosts where (try? RequestURL("https://\(name)/"))?.host != name {
            throw .unsupported(
                "\(Redaction.quoted(name)), which isn't to be verified, isn't a host; "
                    + "write it as in a URL, without a port"
            )
        }
        var files: [(String, URL)] = []
        if case .file(let url) = authorities.source { files.append(("the certificate authorities", url)) }
        if case .data = clientCertificate?.source, !LinkedLibcurl.usesOpenSSLFamily {
            throw .unsupported(
                "libcurl with \(LinkedLibcurl.tlsLibrary) takes no client certificate from memory; use files"
            )
        }
        if case .files(let certificate, let key) = clientCertificate?.source {
            files.append(("the client certificate", certificate))
            if let key { files.append(("the client certificate's key", key)) }
        }
        for (name, file) in files where !FileManager.default.isReadableFile(atPath: file.path) {
            throw .unsupported("the file of \(name) cannot be read: \(file.path)")
        }
        guard authorities.haveCertificates else {
            throw .unsupported("the certificate authorities aren't certificates in PEM: BEGIN CERTIFICATE is missing")
        }
    }
}
