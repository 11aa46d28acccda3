#if FullFoundation && canImport(Darwin)
import Foundation
import Requests
import RequestsClient
import Security

/// What URLSession does on Apple platforms, unlike the one on Linux.
enum PlatformSession {
    static let capabilities: TransportCapabilities = [
        .streamedRequestBodies, .backPressure, .http2, .metrics, .networkServices, .certificateNames,
    ]

    static let canPause = true

    static func cancel(_ cancel: () -> Void) { cancel() }

    static func reject(_ redirect: (URLRequest?) -> Void, of exchange: SessionExchange?) { redirect(nil) }

    /// Returns whether URLSession decodes a content encoding.
    static func decodes(_ coding: String) -> Bool { ["gzip", "x-gzip", "deflate", "br"].contains(coding.lowercased()) }

    static func code(for error: URLError) -> TransportError.Code? {
        error.code == .badServerResponse ? .malformed : nil
    }

    static func rejectUnsupported(_ configuration: URLSessionTransport.Configuration) throws(TransportError) {}

    static func rejectUnsupported(_ request: PreparedRequest) throws(TransportError) {}

    static func prepare(_ request: inout URLRequest, _ configuration: URLSessionTransport.Configuration) {
        request.assumesHTTP3Capable = configuration.assumesHTTP3Capable
    }

    /// Returns whether the server is trusted and its key is pinned. Always `true` for a host without pins.
    static func allows(_ challenge: URLAuthenticationChallenge, _ pins: PublicKeyPins) -> Bool {
        let host = challenge.protectionSpace.host
        guard pins[host] != nil else { return true }
        guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust else {
            return true
        }
        guard let trust = challenge.protectionSpace.serverTrust, SecTrustEvaluateWithError(trust, nil),
            let key = SecTrustCopyKey(trust), let info = subjectPublicKeyInfo(of: key)
        else { return false }
        return pins.accepts(info, for: host)
    }

    private static func subjectPublicKeyInfo(of key: SecKey) -> Data? {
        guard let bytes = SecKeyCopyExternalRepresentation(key, nil) as Data?,
            let attributes = SecKeyCopyAttributes(key) as? [CFString: Any],
            let type = attributes[kSecAttrKeyType] as? String, let size = attributes[kSecAttrKeySizeInBits] as? Int
        else { return nil }
        let isCurve = type == kSecAttrKeyTypeECSECPrimeRandom as String
        return switch size {
        case _ where type == kSecAttrKeyTypeRSA as String: SubjectPublicKeyInfo.encoded(.rsa, bytes)
        case 256 where isCurve: SubjectPublicKeyInfo.encoded(.p256, bytes)
        case 384 where isCurve: SubjectPublicKeyInfo.encoded(.p384, bytes)
        case 521 where isCurve: SubjectPublicKeyInfo.encoded(.p521, bytes)
        default: nil
        }
    }
}
#endif
