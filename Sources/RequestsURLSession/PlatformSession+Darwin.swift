#if !canImport(FoundationNetworking)
// Not compiled on the machine that this was written on.
import Foundation
import Requests

/// What differs between Foundation's sessions: the one of Apple's platforms.
enum PlatformSession {
    static let capabilities: TransportCapabilities = [.streamedRequestBodies, .backPressure, .http2]

    static let canPause = true

    static func code(for error: URLError) -> TransportError.Code? {
        error.code == .badServerResponse ? .malformed : nil
    }

    static func refuseUnsupported(_ request: PreparedRequest) throws(TransportError) {}
}
#endif
