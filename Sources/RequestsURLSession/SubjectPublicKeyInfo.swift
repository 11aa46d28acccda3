#if FullFoundation
import Foundation

/// An encoder for public keys in the form that pins are computed from.
///
/// Specification: RFC 5280 §4.1, with the algorithm identifiers of RFC 3279 §2.3.1 and RFC 5480 §2.1.1.
enum SubjectPublicKeyInfo {
    /// The algorithms of the keys that TLS servers use.
    enum Algorithm {
        case rsa
        case p256
        case p384
        case p521

        /// The algorithm's identifier in DER.
        fileprivate var identifier: [UInt8] {
            let rsaEncryption: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
            let ecPublicKey: [UInt8] = [0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
            let null: [UInt8] = [0x05, 0x00]
            return switch self {
            case .rsa: rsaEncryption + null
            case .p256: ecPublicKey + [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
            case .p384: ecPublicKey + [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x22]
            case .p521: ecPublicKey + [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x23]
            }
        }
    }

    /// - Parameter key: An RSA key in PKCS #1 form, or an uncompressed point of an elliptic curve.
    static func encoded(_ algorithm: Algorithm, _ key: Data) -> Data {
        let bits = element(0x03, [0x00] + key)
        return Data(element(0x30, element(0x30, algorithm.identifier) + bits))
    }

    /// Encodes a tag, a length and the content (X.690 §8.1.3).
    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        if count < 0x80 { return [tag, UInt8(count)] + content }
        if count <= 0xFF { return [tag, 0x81, UInt8(count)] + content }
        return [tag, 0x82, UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)] + content
    }
}
#endif
