import Foundation
import RequestsCurl

/// Connects only to a server with a known public key.
///
///     pinned                               uses its own local server with a temporary certificate
///     pinned https://example.com <pin>     uses a real server; the pin is the Base64 of the SHA-256 of its public key
@main
struct Pinned {
    static func main() async throws {
        let arguments = CommandLine.arguments
        if arguments.count > 2 {
            _ = try await visit("this pin", URL(string: arguments[1]), pin: arguments[2], authority: nil)
            return
        }
        guard let server = try TLSServer() else { return print("openssl isn't installed or can't start a server") }
        let (url, pin, authority) = (server.url, server.pin, server.certificate)
        let wrong = Data(count: 32).base64EncodedString()
        let plaintextURL = URL(string: url.absoluteString.replacing("https:", with: "http:"))
        let errors = [
            try await visit("the right pin", url, pin: pin, authority: authority),
            try await visit("a wrong pin", url, pin: wrong, authority: authority),
            // A pin doesn't replace certificate verification.
            try await visit("the right pin, but an unknown authority", url, pin: pin, authority: nil),
            try await visit("the right pin, but no TLS", plaintextURL, pin: pin, authority: authority),
        ]
        let expected: [TransportError.Code?] = [nil, .pinMismatch, .tlsUntrusted, .unsupported]
        guard errors == expected else { throw URLError(.secureConnectionFailed) }
        withExtendedLifetime(server) {}
    }

    /// Requests a page with a pin, and prints the result.
    ///
    /// - Returns: The error's code, or `nil` if there was a response.
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
        let page = BaseURL(url).get(.data, from: "")
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
