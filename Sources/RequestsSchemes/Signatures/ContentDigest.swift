import Requests

extension Field.Name {
    /// `Content-Digest` (RFC 9530 §2).
    public static let contentDigest: Field.Name = "Content-Digest"
}

extension Field {
    /// Returns a `Content-Digest` field with the digest of a body, which lets the recipient detect changes.
    ///
    /// - Parameters:
    ///   - content: The body as it is sent, after content encodings.
    ///   - algorithm: The algorithm. Default: SHA-256.
    ///
    /// Specification: RFC 9530 §2.
    public static func contentDigest(of content: Data, _ algorithm: ContentDigestAlgorithm = .sha256) -> Field {
        contentDigest(algorithm.digest(content), algorithm)
    }

    static func contentDigest(_ digest: [UInt8], _ algorithm: ContentDigestAlgorithm) -> Field {
        Field(name: .contentDigest, value: "\(algorithm.rawValue)=:\(Data(digest).base64EncodedString()):")
    }
}

/// An algorithm for `Content-Digest`. Other registered algorithms aren't supported because they are insecure or rare.
///
/// Specification: RFC 9530 §5.
public enum ContentDigestAlgorithm: String, Sendable {
    /// SHA-256.
    case sha256 = "sha-256"
    /// SHA-512.
    case sha512 = "sha-512"

    fileprivate func digest(_ content: Data) -> [UInt8] {
        switch self {
        case .sha256: SHA2.sha256(content)
        case .sha512: SHA2.sha512(content)
        }
    }
}
