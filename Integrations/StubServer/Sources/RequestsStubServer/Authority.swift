import Crypto
import Foundation
import NIOSSL
import SwiftASN1
import X509

/// A certificate authority, and the certificate that it issued for the servers of this process.
struct Authority: Sendable {
    static let shared = Result { try Authority() }

    /// The certificate of the authority.
    let pem: Data

    private let serverCertificate: String
    private let serverKey: String

    private init() throws {
        let name = try DistinguishedName { CommonName("Requests stub server authority") }
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let root = try Certificate(
            name,
            key.publicKey,
            issuedBy: (name, key),
            Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true))
            }
        )
        let serverKey = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let server = try Certificate(
            DistinguishedName { CommonName("localhost") },
            serverKey.publicKey,
            issuedBy: (name, key),
            Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames([
                    .dnsName("localhost"), .ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1])),
                ])
            }
        )
        pem = Data(try root.serializeAsPEM().pemString.utf8)
        serverCertificate = try server.serializeAsPEM().pemString
        self.serverKey = try serverKey.serializeAsPEM().pemString
    }

    /// The TLS configuration of a server.
    func serverConfiguration() throws -> TLSConfiguration {
        try TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(NIOSSLCertificate(bytes: Array(serverCertificate.utf8), format: .pem))],
            privateKey: .privateKey(NIOSSLPrivateKey(bytes: Array(serverKey.utf8), format: .pem))
        )
    }
}

extension Certificate {
    /// Issues a certificate that is valid from an hour ago, for clocks that differ, for a day.
    fileprivate init(
        _ subject: DistinguishedName,
        _ key: PublicKey,
        issuedBy issuer: (name: DistinguishedName, key: PrivateKey),
        _ extensions: Extensions
    ) throws {
        let start = Date.now.addingTimeInterval(-3600)
        try self.init(
            version: .v3,
            serialNumber: SerialNumber(),
            publicKey: key,
            notValidBefore: start,
            notValidAfter: start.addingTimeInterval(25 * 3600),
            issuer: issuer.name,
            subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: extensions,
            issuerPrivateKey: issuer.key
        )
    }
}
