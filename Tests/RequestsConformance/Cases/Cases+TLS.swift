import Requests
import RequestsClient
import RequestsSystem
import RequestsTesting

/// Cases about certificate verification.
extension TransportConformance.Case {
    #if os(Linux) || os(macOS)
    static let tls: [Self] = [
        trustedAuthority, unknownAuthority, wrongHostCertificate, certificateWithoutNames, certificateWithoutNamesKept,
        expiredCertificate, serverWithoutTLS, rightPin, wrongPin, pinsOnReuse, pinsOfEachHost, pinWithoutTrust,
        pinnedHostWithoutTLS, missingCloseNotify,
    ]
    #else
    static let tls: [Self] = []
    #endif
}

#if os(Linux) || os(macOS)
extension TransportConformance.Case {
    /// Returns a case with a TLS server, which doesn't apply if `openssl` isn't installed.
    static func tls(
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

    static func tlsServers() throws -> TLSServers {
        guard let servers = try TLSServers() else {
            throw TransportConformance.Inapplicable(reason: "openssl, which creates the certificates, isn't installed")
        }
        return servers
    }

    static func request(_ url: RequestURL) throws -> PreparedRequest {
        try PreparedRequest(url: url, header: [.authorization("Bearer s3cret")])
    }

    /// A certificate issued by a trusted authority is accepted.
    public static let trustedAuthority = tls(
        "trustedAuthority",
        "a certificate of a trusted authority is accepted",
        .valid
    ) {
        context,
        servers,
        url,
        _ in
        let transport = try context.transport(trusting: servers.authority)
        let response = try await transport.send(request(url))
        try context.expect(response.head.statusCode, is: 200, "the status")
        _ = try await response.content.collect(upTo: 1 << 20)
    }

    /// A certificate issued by an unknown authority is rejected before any part of the request is sent.
    public static let unknownAuthority = Self(
        "unknownAuthority",
        "a certificate of an unknown authority is rejected before the request is sent"
    ) { context in
        try await expectNothingSent(context) { _ in context.transport }
    }

    /// Expects that a certificate is rejected before its server receives a request. A trusting transport then shows
    /// that the server still works.
    static func expectNothingSent(
        _ context: TransportConformance.Context,
        over makeTransport: (_ pin: String) throws -> any Transport
    ) async throws {
        let servers = try tlsServers()
        let server = try servers.startScripted("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        defer { server.kill() }
        let transport = try makeTransport(server.pin)
        try await context.expectFailure(.tlsUntrusted) { try await transport.send(request(server.url)) }
        let trusting: any Transport
        do {
            trusting = try context.transport(trusting: servers.authority)
        } catch is TransportConformance.Inapplicable {
            // Without a trusting transport, only the error can be checked.
            return
        }
        // The server handles one connection at a time, so a response here means that it has finished the first one.
        let response = try await trusting.send(request(server.url))
        try context.expect(try await response.content.collect(upTo: 100), is: Data("ok".utf8), "the body")
        try context.expect(server.requests, is: 1, "the number of requests")
    }

    /// A certificate for another host is rejected.
    public static let wrongHostCertificate = rejection(
        of: .otherHost,
        "wrongHostCertificate",
        "a certificate for another host is rejected"
    )

    /// A certificate that has the host name only in its subject is rejected (RFC 9110 §4.3.4).
    public static let certificateWithoutNames = tls(
        "certificateWithoutNames",
        "a certificate that has the host name only in its subject is rejected",
        .commonName
    ) { context, servers, url, _ in
        try context.require(.certificateNames, "read the names of a certificate")
        let transport = try context.transport(trusting: servers.authority)
        for url in [url, url, try servers.start(.commonNameAndMail).url] {
            let error = try await context.expectFailure(.tlsUntrusted) { try await transport.send(request(url)) }
            try context.expect(
                !error.requestMayHaveBeenProcessed,
                "the error doesn't rule out that the request was processed"
            )
        }
    }

    /// If a request's body fails during the handshake, its connection isn't kept for other requests before the names in
    /// the certificate were checked.
    public static let certificateWithoutNamesKept = Self(
        "certificateWithoutNamesKept",
        "an HTTP/2 connection is not kept without a check of its certificate's names"
    ) { context in
        try context.require(.certificateNames, "read the names of a certificate")
        let servers = try tlsServers()
        // The response is an HTTP/2 SETTINGS frame without settings, so a request over a kept connection hangs.
        let server = try servers.startScripted("\0\0\0\u{4}\0\0\0\0\0", .commonName, protocol: "h2")
        defer { server.kill() }
        let transport = try context.transport(trusting: servers.authority)
        var failing = try request(server.url)
        failing.method = .post
        // The body must fail before the handshake ends, which is likely but not certain.
        for _ in 0..<5 {
            failing.body = .chunks(AsyncThrowingStream<Data, any Error> { $0.finish(throwing: POSIXError(.EIO)) })
            try await context.expectFailure(.tlsUntrusted, .sourceFailed) { try await transport.send(failing) }
            try await context.expectFailure(.tlsUntrusted) { try await transport.send(request(server.url)) }
        }
    }

    /// An expired certificate is rejected.
    public static let expiredCertificate = rejection(
        of: .expired,
        "expiredCertificate",
        "an expired certificate is rejected"
    )

    private static func rejection(of certificate: TLSServers.Certificate, _ name: String, _ claim: String) -> Self {
        tls(name, claim, certificate) { context, servers, url, _ in
            let transport = try context.transport(trusting: servers.authority)
            try await context.expectFailure(.tlsUntrusted) { try await transport.send(request(url)) }
        }
    }

    /// A request to a server without TLS fails, and the server receives no part of it.
    public static let serverWithoutTLS = Self("serverWithoutTLS", "a server without TLS receives no request") {
        context in
        let received = Locked<[UInt8]>([])
        let server = try context.serve { connection in
            let bytes = try connection.read()
            received.withLock { $0 += bytes }
            try connection.write("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        }
        let url = try RequestURL("https://127.0.0.1:\(server.port)/")
        try await context.expectFailure(.tlsFailed) { try await context.exchange(request(url)) }
        let text = String(decoding: received.withLock { $0 }, as: UTF8.self)
        try context.expect(!text.contains("s3cret"), "the request was sent in plaintext")
    }

    /// A close-delimited body is complete only after TLS close_notify, because an attacker can close the TCP connection
    /// (RFC 9112 §9.8).
    public static let missingCloseNotify = Self(
        "missingCloseNotify",
        "a close-delimited body without close_notify is truncated"
    ) { context in
        try context.require(.tlsClosure, "tell whether TLS ended with close_notify")
        let servers = try tlsServers()
        let server = try servers.startScripted("HTTP/1.1 200 OK\r\n\r\nabc")
        defer { server.kill() }
        let response = try await context.transport(trusting: servers.authority).send(request(server.url))
        server.kill()
        try await context.expectFailure(.truncated) { try await response.content.collect(upTo: 100) }
    }
}
#endif
