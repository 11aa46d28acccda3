import Foundation
import Requests

extension CurlTransport {
    /// How the servers of `https` URLs are verified, and what they are shown.
    public struct TLS: Sendable {
        /// The oldest version that is spoken; TLS 1.2 by default.
        public var minimumVersion = Version.v1_2

        /// Whose certificates are trusted; those that libcurl was built to trust, by default.
        public var authorities = Authorities.system

        /// The public keys that servers may have, beyond being trusted; none by default.
        public var publicKeyPins: PublicKeyPins = [:]

        /// What is shown to servers that ask for a certificate; nothing by default.
        ///
        /// Every server of the transport that asks gets it: make a transport for the hosts that it is for.
        public var clientCertificate: ClientCertificate?

        /// Hosts whose certificates are not verified at all, so that anybody on the way can read and change what is
        /// sent; none by default, and as URLs have them: in lower case, without a port. Pins still hold.
        public var dangerouslyUnverifiedHosts: Set<String> = []

        /// Creates the default verification.
        public init() {}

        /// A version of TLS.
        public struct Version: Hashable, Sendable {
            let minor: Int

            /// TLS 1.2 (RFC 5246).
            public static let v1_2 = Version(minor: 2)
            /// TLS 1.3 (RFC 8446).
            public static let v1_3 = Version(minor: 3)
        }

        /// Certificates of authorities.
        public struct Authorities: Hashable, Sendable {
            enum Source: Hashable, Sendable {
                case system
                case file(URL)
                case pem(Data)
            }

            let source: Source

            /// Whether there is anything of a certificate.
            var haveCertificates: Bool {
                let pem: Data?
                switch source {
                case .system: return true
                case .file(let url): pem = FileManager.default.contents(atPath: url.path)
                case .pem(let data): pem = data
                }
                // OpenSSL reads certificates under three names, of which this is the end.
                return pem?.range(of: Data("CERTIFICATE-----".utf8)) != nil
            }

            /// Those that libcurl was built to trust, or the system's if libcurl's file doesn't exist.
            public static let system = Authorities(source: .system)

            /// Those in a file, in PEM, in place of the system's.
            public static func file(_ url: URL) -> Authorities { Authorities(source: .file(url)) }

            /// Those in memory, in PEM, in place of the system's.
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

        /// A file's format, as libcurl calls it.
        enum Format: String {
            case pem = "PEM"
            case pkcs12 = "P12"
        }

        let source: Source
        let format: Format
        let password: Secret?

        /// A certificate and a key in files in PEM.
        ///
        /// - Parameters:
        ///   - certificate: The certificate, with the chain to its authority after it.
        ///   - key: The private key.
        ///   - password: Opens the key; `nil`, the default, for a key that is not encrypted.
        public static func pem(certificate: URL, key: URL, password: String? = nil) -> ClientCertificate {
            let source = Source.files(certificate: certificate, key: key)
            return ClientCertificate(source: source, format: .pem, password: password.map(Secret.init))
        }

        /// A certificate and a key in memory in PEM.
        ///
        /// - Parameters:
        ///   - certificate: The certificate, with the chain to its authority after it.
        ///   - key: The private key.
        ///   - password: Opens the key; `nil`, the default, for a key that is not encrypted.
        public static func pem(certificate: Data, key: Data, password: String? = nil) -> ClientCertificate {
            let source = Source.data(certificate: certificate, key: key)
            return ClientCertificate(source: source, format: .pem, password: password.map(Secret.init))
        }

        /// A certificate and its key in a file of PKCS #12 (RFC 7292).
        public static func pkcs12(_ file: URL, password: String) -> ClientCertificate {
            let source = Source.files(certificate: file, key: nil)
            return ClientCertificate(source: source, format: .pkcs12, password: Secret(text: password))
        }

        /// A certificate and its key in memory, as PKCS #12 (RFC 7292).
        public static func pkcs12(_ data: Data, password: String) -> ClientCertificate {
            let source = Source.data(certificate: data, key: nil)
            return ClientCertificate(source: source, format: .pkcs12, password: Secret(text: password))
        }

        /// That it is one, and nothing else.
        public var description: String { "a client certificate" }
        /// The same as ``description``: a debugger's output ends up in logs too.
        public var debugDescription: String { description }
        /// Nothing, for the same reason.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// Throws for files that cannot be read: libcurl would say so with the first exchange only.
    func validate() throws(TransportError) {
        try publicKeyPins.validate()
        for name in dangerouslyUnverifiedHosts where (try? RequestURL("https://\(name)/"))?.host != name {
            throw .unsupported(
                "\(Redaction.quoted(name)) is not to be verified and is no host; write it as in a URL, without a port"
            )
        }
        var files: [(String, URL)] = []
        if case .file(let url) = authorities.source { files.append(("the certificate authorities", url)) }
        if case .files(let certificate, let key) = clientCertificate?.source {
            files.append(("the client certificate", certificate))
            if let key { files.append(("the client certificate's key", key)) }
        }
        for (name, file) in files where !FileManager.default.isReadableFile(atPath: file.path) {
            throw .unsupported("the file of \(name) cannot be read: \(file.path)")
        }
        guard authorities.haveCertificates else {
            throw .unsupported("the certificate authorities are no certificates in PEM: BEGIN CERTIFICATE is not there")
        }
    }
}
