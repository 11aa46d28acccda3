#if !canImport(Darwin)
import Foundation
import FoundationNetworking
import Requests

/// What differs between Foundation's sessions: the one of swift-corelibs-foundation.
enum PlatformSession {
    static let capabilities: TransportCapabilities = []

    /// A suspended task starts over at byte 0 when it is resumed: it is never suspended.
    static let canPause = false

    /// Most faults of the peer have one code here; the words, which are libcurl's, tell them apart.
    static func code(for error: URLError) -> TransportError.Code? {
        if error.code == .badServerResponse { return .closed }
        // The URL was one of HTTP: it is the answer that is not.
        if error.code == .unsupportedURL { return .malformed }
        let text = error.localizedDescription
        return words.first { text.contains($0.words) }?.code
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

    private static let words: [(words: String, code: TransportError.Code)] = [
        ("Invalid Content-Length", .malformed),
        ("in chunked-encoding", .malformed),
        ("Failed reading the chunked-encoded stream", .malformed),
        ("Header without colon", .malformed),
        ("Nul byte in header", .malformed),
        // What Foundation says of a first line that is a continuation.
        ("was given a bad argument", .malformed),
        ("content encodings", .decoding),
        ("content unencoding", .decoding),
        // Bytes after the end of the coded data.
        ("Failed writing received data", .decoding),
        ("Unrecognized content encoding", .decoding),
        ("SSL certificate problem", .tlsUntrusted),
        ("SSL: no alternative certificate subject name", .tlsUntrusted),
        ("SSL routines", .tlsFailed),
        ("OpenSSL SSL_connect", .tlsFailed),
        // What Foundation's own reading of the head says when it fails.
        ("Failed writing header", .malformed),
        ("Too large response headers", .tooLarge),
        // A line of the head that is longer than libcurl takes.
        ("Out of memory", .tooLarge),
    ]

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
