#if os(Linux) || os(macOS)
import Requests
import RequestsClient
import RequestsTesting

/// Cases about public key pins.
extension TransportConformance.Case {
    private static let otherPin = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

    /// A pinned RSA or elliptic curve key is accepted, even if the list also has a backup pin.
    public static let rightPin = tls("rightPin", "a pinned RSA or elliptic curve key is accepted", .valid) {
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

    /// A key that isn't pinned is rejected, even with a trusted certificate.
    public static let wrongPin = tls("wrongPin", "a key that isn't pinned is rejected", .valid) {
        context,
        servers,
        url,
        _ in
        let transport = try context.transport(trusting: servers.authority, pins: ["127.0.0.1": [otherPin]])
        let error = try await context.expectFailure(.pinMismatch) { try await transport.send(request(url)) }
        try context.expect(
            !error.requestMayHaveBeenProcessed,
            "the error doesn't rule out that the request was processed"
        )
    }

    /// A pinned connection is reused. Other transports, with other pins, still check the server's key.
    public static let pinsOnReuse = Self(
        "pinsOnReuse",
        "a pinned connection is reused, but not by a transport with other pins"
    ) { context in
        let servers = try tlsServers()
        let server = try servers.startScripted("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        defer { server.kill() }
        func exchange(_ pin: String, count: Int) async throws {
            let transport = try context.transport(trusting: servers.authority, pins: ["127.0.0.1": [pin]])
            for _ in 0..<count {
                let response = try await transport.send(request(server.url))
                try context.expect(try await response.content.collect(upTo: 100), is: Data("ok".utf8), "the body")
            }
            // Closes the connection, because the server handles one at a time.
            await transport.shutdown()
        }
        try await exchange(server.pin, count: 2)
        try context.expect(server.connections, is: 1, "the number of connections")
        try await context.expectFailure(.pinMismatch) { try await exchange(otherPin, count: 1) }
        // A response here means that the server has finished the rejected connection.
        try await exchange(server.pin, count: 1)
        try context.expect(server.connections, is: 3, "the number of connections")
        try context.expect(server.requests, is: 3, "the number of requests")
    }

    /// A host is checked against its own pins, even after a request to another host.
    public static let pinsOfEachHost = Self(
        "pinsOfEachHost",
        "a host is checked against its own pins after a request to another host"
    ) { context in
        let servers = try tlsServers()
        let (first, second) = (try servers.start(.valid), try servers.start(.validRSA))
        func transport(_ pins: PublicKeyPins) throws -> any Transport {
            try context.transport(trusting: servers.authority, pins: pins)
        }
        func get(_ server: (url: RequestURL, pin: String), as host: String, over transport: any Transport) async throws
        {
            let url = try RequestURL(server.url.text.replacing("127.0.0.1", with: host))
            let response = try await transport.send(request(url))
            try context.expect(response.head.statusCode, is: 200, "the status")
            _ = try await response.content.collect(upTo: 1 << 20)
        }
        let both = try transport(["127.0.0.1": [first.pin], "localhost": [otherPin]])
        try await get(first, as: "127.0.0.1", over: both)
        try await context.expectFailure(.pinMismatch) { try await get(first, as: "localhost", over: both) }
        let one = try transport(["127.0.0.1": [first.pin]])
        try await get(first, as: "127.0.0.1", over: one)
        try await get(second, as: "localhost", over: one)
        try await context.expectFailure(.pinMismatch) { try await get(second, as: "127.0.0.1", over: one) }
    }

    /// A pin doesn't replace the verification of the certificate.
    public static let pinWithoutTrust = Self(
        "pinWithoutTrust",
        "a pin doesn't replace certificate verification"
    ) { context in
        try await expectNothingSent(context) { try context.transport(trusting: nil, pins: ["127.0.0.1": [$0]]) }
    }

    /// A request to a pinned host without TLS is rejected.
    public static let pinnedHostWithoutTLS = Self(
        "pinnedHostWithoutTLS",
        "a request to a pinned host without TLS is rejected"
    ) {
        context in
        let server = try context.serve { _ in }
        let transport = try context.transport(trusting: nil, pins: ["127.0.0.1": [otherPin]])
        try await context.expectFailure(.unsupported) { try await transport.send(context.request(.get, server)) }
        try context.expect(server.acceptedConnections, is: 0, "the number of connections")
    }
}
#endif
