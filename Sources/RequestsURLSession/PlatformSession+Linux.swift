#if FullFoundation && !canImport(Darwin)
import Foundation
import FoundationNetworking
import Requests
import RequestsClient
import RequestsLibcurlMessages

/// The differences between the two implementations of URLSession: the one of swift-corelibs-foundation.
enum PlatformSession {
    static let capabilities: TransportCapabilities = []

    /// A resumed task starts over at byte 0, so tasks are never suspended.
    static let canPause = false

    /// Returns the code for an error. Foundation has one code for most faults of the server, so libcurl's message tells
    /// them apart.
    static func code(for error: URLError) -> TransportError.Code? {
        if error.code == .badServerResponse { return .closed }
        // The request has an HTTP URL, so the response is the one that isn't HTTP.
        if error.code == .unsupportedURL { return .malformed }
        return LibcurlMessage.meaningWithoutCode(of: error.localizedDescription)?.code
    }

    /// Cancels on a separate queue. A cancellation blocks until the session is idle, and must not block the delegate
    /// queue, where bodies arrive, or more than one thread of the pool.
    static func cancel(_ cancel: @escaping @Sendable () -> Void) {
        canceller.async(execute: cancel)
    }

    private static let canceller = DispatchQueue(label: "URLSessionTransport.cancel")

    /// Rejects a redirect. Foundation crashes if this is called after the task was canceled.
    static func reject(_ redirect: (URLRequest?) -> Void, of exchange: SessionExchange?) {
        exchange?.whileRunning { redirect(nil) }
    }

    /// Returns `true`, because Foundation fails for a content encoding that it can't decode.
    static func decodes(_ coding: String) -> Bool { true }

    static func rejectUnsupported(_ configuration: URLSessionTransport.Configuration) throws(TransportError) {
        guard configuration.publicKeyPins.isEmpty else {
            throw .unsupported(
                "URLSession on Linux can't check public key pins; use CurlTransport"
            )
        }
    }

    /// Returns `true`, because Foundation on Linux doesn't ask its delegate about a server's key.
    static func allows(_ challenge: URLAuthenticationChallenge, _ pins: PublicKeyPins) -> Bool { true }

    static func rejectUnsupported(_ request: PreparedRequest) throws(TransportError) {
        guard !request.url.host.hasPrefix("[") else {
            throw .unsupported("URLSession on Linux doesn't support IPv6 addresses; use a name, or CurlTransport")
        }
        // Foundation can crash if the upload of a file is canceled or reset by the server.
        guard request.body.isNone || request.body.data != nil else {
            throw .unsupported(
                "URLSession on Linux only sends bodies in memory; use Data instead of files and streams, or CurlTransport"
            )
        }
        guard request.body.isNone || request.header.contains(.contentType) else {
            throw .unsupported("URLSession on Linux adds a Content-Type to a body without one; set Content-Type")
        }
        guard request.options.networkServiceType ?? .default == .default, request.options.allowsCellularAccess != false
        else {
            throw .unsupported(
                "URLSession on Linux ignores service types and cellular networks; leave both options nil"
            )
        }
    }
}
#endif
