import Foundation
import Requests
import RequestsClient
import RequestsCurl

/// Talks to a server whose public key it knows, and to no other.
///
///     pinned                               a server of its own, with a certificate made on the spot
///     pinned https://example.com <pin>     a real server; a pin is the Base64 of the SHA-256 of its key
@main
struct Pinned {
    static func main() async throws {
        let arguments = CommandLine.arguments
        if arguments.count > 2 {
            _ = try await visit("this pin", URL(string: arguments[1]), pin: arguments[2], authority: nil)
            return
        }
        guard let server = try TLSServer() else { return print("there is no openssl that serves a certificate") }
        let (url, pin, authority) = (server.url, server.pin, server.certificate)
        let wrong = Data(count: 32).base64EncodedString()
        let clear = URL(string: url.absoluteString.replacing("https:", with: "http:"))
        let faults = [
            try await visit("the right pin", url, pin: pin, authority: authority),
            try await visit("a wrong pin", url, pin: wrong, authority: authority),
            // A pin adds to the verification of certificates and replaces none of it.
            try await visit("the right pin, an unknown authority", url, pin: pin, authority: nil),
            try await visit("the right pin, without TLS", clear, pin: pin, authority: authority),
        ]
        let expected: [TransportError.Code?] = [nil, .pinMismatch, .tlsUntrusted, .unsupported]
        guard faults == expected else { throw URLError(.secureConnectionFailed) }
        withExtendedLifetime(server) {}
    }

    /// - Returns: Why there was no answer.
    private static func visit(
        _ title: String,
        _ url: URL?,
        pin: String,
        authority: URL?
    ) async throws -> TransportError.Code? {
        guard let url, let host = url.host() else { throw URLError(.badURL) }
        var configuration = CurlTransport.Configuration()
        configuration.tls.publicKeyPins = PublicKeyPins([host: [pin]])
        if let authority { configuration.tls.authorities = .file(authority) }
        let client = Client(transport: try CurlTransport(configuration: configuration))
        let page = AnonymousRequestProvider(baseURL: url).get(.data, from: "")
            .authenticated(with: .bearerToken("s3cret"))
        do {
            let response = try await client.response(for: page)
            print("\(title): \(response.head.statusCode), \(response.metrics?.tlsVersion ?? "TLS")")
            return nil
        } catch let error as TransportError {
            print("\(title): \(error)")
            print("    \(error.requestMayHaveBeenProcessed ? "the token may have been sent" : "nothing was sent")")
            return error.code
        }
    }
}
