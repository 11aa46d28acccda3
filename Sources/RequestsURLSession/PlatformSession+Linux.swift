#if FullFoundation && !canImport(Darwin)
import Foundation
import FoundationNetworking
import Requests
import RequestsClient

/// What URLSession does in swift-corelibs-foundation, unlike the one on Apple platforms.
enum PlatformSession {
    static let capabilities: TransportCapabilities = []

    /// Always `false`, because a suspended task would restart at byte 0 when it is resumed.
    static let canPause = false

    /// Returns the code for an error, or `nil` if it is unknown. Foundation uses one code for most server faults, so
    /// libcurl's message distinguishes them.
    static func code(for error: URLError) -> TransportError.Code? {
        if error.code == .badServerResponse { return .closed }
        // The request's URL is known to be HTTP, so this error means that the response isn't.
        if error.code == .unsupportedURL { return .malformed }
        return LibcurlMessage.meaningWithoutCode(of: error.localizedDescription)?.code
    }

    /// Cancels on a separate serial queue. A cancellation blocks until the session is idle, and must block neither the
    /// delegate queue, where bodies arrive, nor several threads of the pool.
    static func cancel(_ cancel: @escaping @Sendable () -> Void) {
        canceller.async(execute: cancel)
    }

    private static let canceller = DispatchQueue(label: "URLSessionTransport.cancel")

    /// Rejects a redirect. Does nothing if the task was canceled, because Foundation would crash.
    static func reject(_ redirect: (URLRequest?) -> Void, of exchange: SessionExchange?) {
        exchange?.whileRunning { redirect(nil) }
    }

    /// Returns `true`, because Foundation reports an error for a content encoding that it can't decode.
    static func decodes(_ coding: String) -> Bool { true }

    static func rejectUnsupported(_ configuration: URLSessionTransport.Configuration) throws(TransportError) {
        guard configuration.publicKeyPins.isEmpty else {
            throw .unsupported(
                "URLSession on Linux can't check publicKeyPins; remove them, or use CurlTransport"
            )
        }
        guard !configuration.assumesHTTP3Capable else {
            throw .unsupported("URLSession on Linux has no HTTP/3; remove assumesHTTP3Capable, or use CurlTransport")
        }
    }

    static func prepare(_ request: inout URLRequest, _ configuration: URLSessionTransport.Configuration) {}

    /// Returns `true`, because Foundation on Linux never asks its delegate about a server's key.
    static func allows(_ challenge: URLAuthenticationChallenge, _ pins: PublicKeyPins) -> Bool { true }

    static func rejectUnsupported(_ request: PreparedRequest) throws(TransportError) {
        guard !request.url.host.hasPrefix("[") else {
            throw .unsupported(
                "URLSession on Linux can't use the IPv6 address \(request.url.host); use a host name, or CurlTransport"
            )
        }
        // Foundation can crash if a file's upload is canceled or reset by the server.
        guard request.body.isNone || request.body.data != nil else {
            throw .unsupported(
                "URLSession on Linux only sends bodies in memory; use Data instead of files and streams, or CurlTransport"
            )
        }
        guard request.body.isNone || request.header.contains(.contentType) else {
            throw .unsupported("URLSession on Linux would add a Content-Type to the body; set Content-Type")
        }
        guard request.options.networkServiceType ?? .default == .default, request.options.allowsCellularAccess != false
        else {
            throw .unsupported(
                "URLSession on Linux ignores networkServiceType and allowsCellularAccess; leave both nil"
            )
        }
    }
}
#endif
