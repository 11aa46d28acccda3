import Foundation
import Requests

extension CurlTransport {
    /// How the servers of `https` URLs are verified.
    public struct TLS: Sendable {
        /// The oldest version that is spoken; TLS 1.2 by default.
        public var minimumVersion = Version.v1_2

        /// Whose certificates are trusted; those that libcurl was built to trust, by default.
        public var authorities = Authorities.system

        /// The public keys that servers may have, beyond being trusted; none by default.
        public var publicKeyPins: PublicKeyPins = [:]

        /// Hosts whose certificates are not verified at all, so that anybody on the way can read and change what is
        /// sent; none by default. Pins still hold.
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
                case file(String)
                case pem(Data)
            }

            let source: Source

            /// Those that libcurl was built to trust.
            public static let system = Authorities(source: .system)

            /// Those in a file, in PEM, in place of the system's.
            public static func file(_ url: URL) -> Authorities { Authorities(source: .file(url.path())) }

            /// Those in memory, in PEM, in place of the system's.
            public static func pem(_ data: Data) -> Authorities { Authorities(source: .pem(data)) }
        }
    }
}
