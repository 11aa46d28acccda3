#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import Requests

/// What differs between Foundation's sessions: the one of swift-corelibs-foundation.
enum PlatformSession {
    static let capabilities: TransportCapabilities = []

    /// A suspended task starts over at byte 0 when it is resumed: it is never suspended.
    static let canPause = false

    /// A connection that closes without an answer is reported as a bad one.
    static let codes: [URLError.Code: TransportError.Code] = [.badServerResponse: .closed]

    static func refuseUnsupported(_ request: PreparedRequest) throws(TransportError) {
        guard request.body.isReplayable else {
            throw .unsupported("URLSession on Linux sends no body from a stream; use a body of data, or CurlTransport")
        }
    }
}
#endif
