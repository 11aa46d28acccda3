#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import Requests

/// What differs between Foundation's sessions: the one of swift-corelibs-foundation.
enum PlatformSession {
    static let capabilities: TransportCapabilities = []

    /// A suspended task starts over at byte 0 when it is resumed: it is never suspended.
    static let canPause = false

    /// Most faults of the server have the same `URLError.Code` here. Only libcurl's message tells them apart.
    static func code(for error: URLError) -> TransportError.Code? {
        if error.code == .badServerResponse { return .closed }
        // The request's URL was an HTTP URL, so this is about the response.
        if error.code == .unsupportedURL { return .malformed }
        return LibcurlMessage.meaningWithoutCode(of: error.localizedDescription)?.code
    }

    /// Cancelling waits for what the session is doing. Meanwhile the queue of its reports has to be free, since a body comes
    /// through it and would pile up, and so have the threads that it runs on: one of them waits, at most.
    static func cancel(_ cancel: @escaping @Sendable () -> Void) {
        canceller.async(execute: cancel)
    }

    private static let canceller = DispatchQueue(label: "URLSessionTransport.cancel")

    /// An answer that comes after the cancellation ends the process.
    static func refuse(_ redirect: (URLRequest?) -> Void, of exchange: SessionExchange?) {
        exchange?.whileRunning { redirect(nil) }
    }

    /// Codings that are not decoded end the exchange.
    static func decodes(_ coding: String) -> Bool { true }

    static func refuseUnsupported(_ configuration: URLSessionTransport.Configuration) throws(TransportError) {
        guard configuration.publicKeyPins.isEmpty else {
            throw .unsupported(
                "URLSession on Linux shows no key of a server, so pins cannot be checked; use CurlTransport"
            )
        }
    }

    /// Foundation here asks nobody about a server's key.
    static func mayGoOn(_ challenge: URLAuthenticationChallenge, _ pins: PublicKeyPins) -> Bool { true }

    static func refuseUnsupported(_ request: PreparedRequest) throws(TransportError) {
        guard !request.url.host.hasPrefix("[") else {
            throw .unsupported("URLSession on Linux takes no URL with an IPv6 address; use a name, or CurlTransport")
        }
        // Files could be sent, but one that is cancelled, or reset by the server, can end the process.
        guard request.body.isNone || request.body.data != nil else {
            throw .unsupported(
                "URLSession on Linux sends bodies in memory alone; use .raw(data:), or CurlTransport for files and streams"
            )
        }
        guard request.body.isNone || request.header.contains(.contentType) else {
            throw .unsupported("URLSession on Linux adds a Content-Type to a body that has none; set the body's own")
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
