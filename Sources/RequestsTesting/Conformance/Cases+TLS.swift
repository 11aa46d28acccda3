import Foundation
import Requests
import RequestsClient

/// Whom a transport talks to over TLS.
extension TransportConformance.Case {
    #if os(Linux) || os(macOS)
    static let tls: [Self] = [
        trustedAuthority, unknownAuthority, certificateOfAnotherHost, certificateWithoutNames, expiredCertificate,
        serverWithoutTLS, rightPin, wrongPin, pinsOnReuse, pinWithoutTrust, pinnedHostWithoutTLS, cutTLS,
    ]
    #else
    static let tls: [Self] = []
    #endif
}

#if os(Linux) || os(macOS)
extension TransportConformance.Case {
    /// Runs a case with a server, where the platform has one.
    private static func tls(
        _ name: String,
        _ claim: String,
        _ certificate: TLSServers.Certificate,
        body:
            @escaping @Sendable (TransportConformance.Context, TLSServers, RequestURL, _ pin: String) async throws ->
            Void
    ) -> Self {
        Self(name, claim) { context in
            let servers = try tlsServers()
            let server = try servers.start(certificate)
            try await body(context, servers, server.url, server.pin)
        }
    }

    private static func tlsServers() throws -> TLSServers {
        guard let servers = try TLSServers() else {
            throw TransportConformance.Inapplicable(reason: "there is no openssl to make certificates with")
        }
        return servers
    }

    private static func request(_ url: RequestURL) throws -> PreparedRequest {
        try PreparedRequest(url: url, header: [.authorization("Bearer s3cret")])
    }

    private static let otherPin = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

    /// A certificate of an authority that is trusted is taken.
    public static let trustedAuthority = tls("trustedAuthority", "a trusted authority is trusted", .valid) {
        context,
        servers,
        url,
        _ in
        let transport = try context.transport(trusting: servers.authority)
        let response = try await transport.send(request(url))
        try context.expect(response.head.statusCode, is: 200, "the status")
        _ = try await response.content.collect(upTo: 1 << 20)
    }

    /// A certificate of an authority that nobody knows is refused, before a byte of the request is sent.
    public static let unknownAuthority = Self(
        "unknownAuthority",
        "an unknown authority is refused, and gets no request"
    ) { context in
        try await expectNothingSent(context) { _ in context.transport }
    }

    /// Expects a certificate not to be trusted, and its server to see one request: that of a transport that trusts it,
    /// made later.
    private static func expectNothingSent(
        _ context: TransportConformance.Context,
        over makeTransport: (_ pin: String) throws -> any Transport
    ) async throws {
        let servers = try tlsServers()
        let server = try servers.startPlaying("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        defer { server.kill() }
        let transport = try makeTransport(server.pin)
        try await context.expectFailure(.tlsUntrusted) { try await transport.send(request(server.url)) }
        let trusting: any Transport
        do {
            trusting = try context.transport(trusting: servers.authority)
        } catch is TransportConformance.Inapplicable {
            // Without one that can be told whom to trust there is no more to see than the error.
            return
        }
        // The server takes a connection at a time: what the first got is known when the next is answered.
        let response = try await trusting.send(request(server.url))
        try context.expect(try await response.content.collect(upTo: 100), is: Data("ok".utf8), "the body")
        try context.expect(server.requests, is: 1, "the number of requests")
    }

    /// A certificate of another host is refused.
    public static let certificateOfAnotherHost = refusal(
        of: .otherHost,
        "certificateOfAnotherHost",
        "a certificate of another host is refused"
    )

    /// A certificate that has the host in its subject alone is refused (RFC 9110 §4.3.4).
    public static let certificateWithoutNames = tls(
        "certificateWithoutNames",
        "a certificate that names the host in its subject alone is refused",
        .commonName
    ) { context, servers, url, _ in
        try context.require(.certificateNames, "read the names in a certificate")
        let transport = try context.transport(trusting: servers.authority)
        for url in [url, url, try servers.start(.commonNameAndMail).url] {
            let error = try await context.expectFailure(.tlsUntrusted) { try await transport.send(request(url)) }
            try context.expect(!error.requestMayHaveBeenProcessed, "the error does not say that nothing was sent")
        }
    }

    /// A certificate that has expired is refused.
    public static let expiredCertificate = refusal(
        of: .expired,
        "expiredCertificate",
        "an expired certificate is refused"
    )

    private static func refusal(of certificate: TLSServers.Certificate, _ name: String, _ claim: String) -> Self {
        tls(name, claim, certificate) { context, servers, url, _ in
            let transport = try context.transport(trusting: servers.authority)
            try await context.expectFailure(.tlsUntrusted) { try await transport.send(request(url)) }
        }
    }

    /// A server that does not speak TLS is an error of TLS, and gets no byte of the request.
    public static let serverWithoutTLS = Self("serverWithoutTLS", "a server without TLS gets no request") { context in
        let received = Locked<[UInt8]>([])
        let server = try context.serve { connection in
            let bytes = try connection.read()
            received.withLock { $0 += bytes }
            try connection.write("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        }
        let url = try RequestURL("https://127.0.0.1:\(server.port)/")
        try await context.expectFailure(.tlsFailed) { try await context.exchange(request(url)) }
        let text = String(decoding: received.withLock { $0 }, as: UTF8.self)
        try context.expect(!text.contains("s3cret"), "the request was sent in clear")
    }

    /// A key that is pinned is taken, of whatever kind, beside a backup.
    public static let rightPin = tls("rightPin", "a pinned key is taken, of RSA and of curves", .valid) {
        context,
        servers,
        url,
        pin in
        for server in [(url, pin), try servers.start(.validRSA), try servers.start(.validP384)] {
            let pins: PublicKeyPins = ["127.0.0.1": [otherPin, server.1]]
            let transport = try context.transport(trusting: servers.authority, pins: pins)
            let response = try await transport.send(request(server.0))
            try context.expect(response.head.statusCode, is: 200, "the status")
        }
    }

    /// A key that is not pinned is refused, although its certificate is trusted.
    public static let wrongPin = tls("wrongPin", "a key that is not pinned is refused", .valid) {
        context,
        servers,
        url,
        _ in
        let transport = try context.transport(trusting: servers.authority, pins: ["127.0.0.1": [otherPin]])
        let error = try await context.expectFailure(.pinMismatch) { try await transport.send(request(url)) }
        try context.expect(!error.requestMayHaveBeenProcessed, "the error does not say that nothing was sent")
    }

    /// A pinned connection is kept, and what was learnt over it frees no other transport from its pins.
    public static let pinsOnReuse = Self(
        "pinsOnReuse",
        "a pinned connection is kept, and does not make a wrong pin right"
    ) { context in
        let servers = try tlsServers()
        let server = try servers.startPlaying("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        defer { server.kill() }
        func exchange(_ pin: String, count: Int) async throws {
            let transport = try context.transport(trusting: servers.authority, pins: ["127.0.0.1": [pin]])
            for _ in 0..<count {
                let response = try await transport.send(request(server.url))
                try context.expect(try await response.content.collect(upTo: 100), is: Data("ok".utf8), "the body")
            }
            // The server takes a connection at a time.
            await transport.shutdown()
        }
        try await exchange(server.pin, count: 2)
        try context.expect(server.connections, is: 1, "the number of connections")
        try await context.expectFailure(.pinMismatch) { try await exchange(otherPin, count: 1) }
        // What this one got is known when the next is answered.
        try await exchange(server.pin, count: 1)
        try context.expect(server.connections, is: 3, "the number of connections")
        try context.expect(server.requests, is: 3, "the number of requests")
    }

    /// A pin adds to the trust in a certificate and replaces none of it.
    public static let pinWithoutTrust = Self(
        "pinWithoutTrust",
        "a pin does not make a certificate trusted"
    ) { context in
        try await expectNothingSent(context) { try context.transport(trusting: nil, pins: ["127.0.0.1": [$0]]) }
    }

    /// A pinned host is not reached without TLS.
    public static let pinnedHostWithoutTLS = Self("pinnedHostWithoutTLS", "a pinned host is not reached in clear") {
        context in
        let server = try context.serve { _ in }
        let transport = try context.transport(trusting: nil, pins: ["127.0.0.1": [otherPin]])
        try await context.expectFailure(.unsupported) { try await transport.send(context.request(.get, server)) }
        try context.expect(server.acceptedConnections, is: 0, "the number of connections")
    }

    /// A body whose end nothing else shows is not taken for whole when TLS does not end it, too: anybody on the way can
    /// close a connection (RFC 9112 §9.8).
    public static let cutTLS = Self(
        "cutTLS",
        "a body of unknown length that TLS does not end is cut short"
    ) { context in
        try context.require(.tlsClosure, "see how TLS ends")
        let servers = try tlsServers()
        let server = try servers.startPlaying("HTTP/1.1 200 OK\r\n\r\nabc")
        defer { server.kill() }
        let response = try await context.transport(trusting: servers.authority).send(request(server.url))
        server.kill()
        try await context.expectFailure(.truncated) { try await response.content.collect(upTo: 100) }
    }
}
#endif
