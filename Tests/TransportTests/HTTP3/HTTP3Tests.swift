#if os(Linux) || os(macOS)
import Foundation
import RequestsConformance
import RequestsSystem
import RequestsTesting
import Testing

@testable import RequestsCurl

@Suite("HTTP/3", .timeLimit(.minutes(10)), .enabled(if: HTTP3.isTested, HTTP3.reason))
struct HTTP3Tests {
    private func api() throws -> BaseURL { BaseURL(baseURL: try #require(HTTP3.proxyURL)) }

    private func client(
        _ version: CurlTransport.PreferredVersion = .http3Only,
        _ change: (inout CurlTransport.Configuration) throws -> Void = { _ in }
    ) throws -> Client {
        Client(transport: try HTTP3.transport(version, change))
    }

    @Test("HTTP/3 is used if the server speaks it", arguments: [CurlTransport.PreferredVersion.http3, .http3Only])
    func version(_ version: CurlTransport.PreferredVersion) async throws {
        let transport = try HTTP3.transport(version)
        #expect(transport.capabilities.contains(.http3))
        let response = try await Client(transport: transport).response(for: api().get(.data, from: "/files/json"))
        #expect(response.head.httpVersion == .http3)
        #expect(response.content.count == 2048)
        #expect(try await #require(transport.statistics).connections.map(\.httpVersion) == [.http3])
    }

    @Test("HTTP/2 is used if the server doesn't answer over QUIC")
    func fallback() async throws {
        let nginx = BaseURL(baseURL: try #require(Nginx.tlsURL))
        let response = try await client(.http3).response(for: nginx.get(.data, from: "/json"))
        #expect(response.head.httpVersion == .http2)
        let error = await #expect(throws: TransportError.self) {
            try await client().send(nginx.get(.data, from: "/json"))
        }
        #expect(error?.code == .cannotConnect)
        #expect(error?.requestMayHaveBeenProcessed == false)
    }

    @Test("A request without TLS goes over HTTP/1.1, or is refused if only HTTP/3 is allowed")
    func plainText() async throws {
        let nginx = BaseURL(baseURL: try #require(Nginx.baseURL))
        let response = try await client(.http3).response(for: nginx.get(.data, from: "/json"))
        #expect(response.head.httpVersion == .http1_1)
        let error = await #expect(throws: TransportError.self) {
            try await client().send(nginx.get(.data, from: "/json"))
        }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("HTTP/3 requires TLS") == true)
    }

    @Test("The address policy applies to each address over QUIC")
    func addressPolicy() async throws {
        let error = await #expect(throws: TransportError.self) {
            try await client { $0.addressPolicy = .publicOnly }.send(api().get(.data, from: "/files/json"))
        }
        #expect(error?.code == .addressNotAllowed)
        #expect(error?.requestMayHaveBeenProcessed == false)

        let port = try #require(HTTP3.proxyURL?.port)
        let byName = try PreparedRequest(url: RequestURL("https://localhost:\(port)/files/json"))
        func response(allowing network: String) async throws -> Response<Data> {
            let client = try client {
                // Nothing listens at the first address.
                $0.connections.addresses = [.init("localhost", port): ["127.0.0.2", "127.0.0.1"]]
                $0.addressPolicy = .publicOnly.allowing(network)
                try $0.useClientCertificate()
            }
            return try await client.response(for: byName)
        }
        #expect(try await response(allowing: "127.0.0.0/8").head.httpVersion == .http3)
        let rejected = await #expect(throws: TransportError.self) { try await response(allowing: "127.0.0.2") }
        #expect(rejected?.code == .addressNotAllowed)
        #expect(rejected?.requestMayHaveBeenProcessed == false)
    }

    @Test("64 exchanges at once share one connection")
    func burst() async throws {
        let client = try client()
        let request = try api().get(.text, from: "/connection")
        let connections = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<64 { group.addTask { try await client.send(request) } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(connections.count == 1)
    }

    @Test("A body that isn't read doesn't stop the other exchanges of its connection")
    func paused() async throws {
        let client = try client()
        let unread = try await client.stream(api().get(.data, from: "/files/16m"))
        for _ in 0..<20 {
            #expect(try await client.send(api().get(.data, from: "/files/1m")).count == 1 << 20)
        }
        #expect(try await unread.content.collect(upTo: 16 << 20).count == 16 << 20)
    }

    @Test("An exchange that is canceled leaves its connection to the others")
    func canceled() async throws {
        let client = try client()
        let connection = try await client.send(api().get(.text, from: "/connection"))
        for _ in 0..<20 {
            try await client.stream(api().get(.data, from: "/files/16m")).content.cancel()
            #expect(try await client.send(api().get(.text, from: "/connection")) == connection)
        }
    }

    @Test("The server learns at once that a response isn't wanted", arguments: ["silent", "silent-body"])
    func stopped(path: String) async throws {
        let server = try HTTP3Server()
        let transport = try HTTP3.transport()
        let request = try server.request(path)
        let exchange = Task { try await transport.send(request).content }
        // Another connection, because a request over the same one would also send a reset that libcurl held back.
        let other = try HTTP3.transport()
        func wait(for count: String, _ path: String) async throws {
            var found = ""
            while found != count {
                let response = try await other.send(server.request(path))
                found = String(decoding: try await response.content.collect(upTo: 10), as: UTF8.self)
            }
        }
        try await wait(for: "1", "silent-count")
        if path == "silent" { exchange.cancel() } else { try await exchange.value.cancel() }
        try await wait(for: "1", "stopped")
        _ = await exchange.result
    }

    @Test("A response can be read while its request is being sent")
    func duplex() async throws {
        let server = try HTTP3Server()
        let (source, pieces) = AsyncStream.makeStream(of: Data.self)
        pieces.yield(Data("1".utf8))
        let request = try server.request("duplex", .post, body: .chunks(source))
        let body = try await HTTP3.transport().send(request).content
        for number in 1...5 {
            #expect(try await body.nextChunk() == Data("\(number)".utf8))
            pieces.yield(Data("\(number + 1)".utf8))
        }
        pieces.finish()
        #expect(try await body.nextChunk() == Data("6".utf8))
        #expect(try await body.nextChunk() == nil)
    }

    @Test("A refusal doesn't wait for a slow source")
    func refusal() async throws {
        let server = try HTTP3Server()
        let (source, pieces) = AsyncStream.makeStream(of: Data.self)
        pieces.yield(Data("one.".utf8))
        let request = try server.request("refusal", .post, body: .chunks(source))
        let response = try await HTTP3.transport().send(request)
        #expect(response.head.statusCode == 409)
        #expect(try await response.content.collect(upTo: 10) == Data("no".utf8))
        pieces.finish()
    }

    // MARK: Verification of the server

    @Test("A server whose certificate isn't trusted gets no request")
    func untrusted() async throws {
        for version in [CurlTransport.PreferredVersion.http3, .http3Only] {
            let client = try client(version) { $0.tls.authorities = .system }
            let error = await #expect(throws: TransportError.self) {
                try await client.send(api().get(.data, from: "/files/json"))
            }
            #expect(error?.code == .tlsUntrusted)
        }
    }

    @Test("A server whose certificate has another name gets no request")
    func otherName() async throws {
        let server = try HTTP3Server()
        let port = try #require(server.url.port)
        let transport = try HTTP3.transport { $0.connections.addresses = [.init("other.test", port): ["127.0.0.1"]] }
        let request = try PreparedRequest(url: RequestURL("https://other.test:\(port)/ok"))
        let error = await #expect(throws: TransportError.self) { try await transport.send(request) }
        #expect(error?.code == .tlsUntrusted)
    }

    @Test("A server that refuses the handshake gets no request")
    func handshake() async throws {
        let port = try #require(HTTP3.proxyURL?.port)
        let transport = try HTTP3.transport { $0.connections.addresses = [.init("other.test", port): ["127.0.0.1"]] }
        let request = try PreparedRequest(url: RequestURL("https://other.test:\(port)/"))
        let error = await #expect(throws: TransportError.self) { try await transport.send(request) }
        #expect(error?.code == .cannotConnect)
        #expect(error?.requestMayHaveBeenProcessed == false)
    }

    @Test("A certificate without a host name is rejected", .enabled(if: CertificateNames.shared != nil))
    func withoutNames() async throws {
        let folder = try #require(Nginx.certificates)
        let name = "unnamed-\(UUID())"
        let openssl = try Subprocess(
            "/usr/bin/env",
            [
                "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
                "-keyout", "\(name).key", "-out", "\(name).pem",
            ],
            in: folder
        )
        #expect(try openssl.waitUntilExit() == 0)
        let server = try HTTP3Server(certificate: "\(name).pem", key: "\(name).key")
        let transport = try HTTP3.transport { $0.tls.authorities = .file(folder.appending(path: "\(name).pem")) }
        let error = await #expect(throws: TransportError.self) { try await transport.send(server.request("ok")) }
        #expect(error?.code == .tlsUntrusted)
        #expect(error?.message.contains("subjectAltName") == true)
    }

    @Test("A wrong pin is rejected, and the right one is accepted")
    func pins() async throws {
        let wrong = try client { $0.tls.publicKeyPins = ["127.0.0.1": ["\(String(repeating: "A", count: 43))="]] }
        let error = await #expect(throws: TransportError.self) {
            try await wrong.send(api().get(.data, from: "/files/json"))
        }
        #expect(error?.code == .pinMismatch)
        let pin = try pin()
        let right = try client { $0.tls.publicKeyPins = ["127.0.0.1": [pin]] }
        #expect(try await right.send(api().get(.data, from: "/files/json")).count == 2048)
    }

    private func pin() throws -> String {
        let program =
            "openssl x509 -in cert.pem -noout -pubkey | openssl pkey -pubin -outform der "
            + "| openssl dgst -sha256 -binary | openssl base64"
        let shell = try Subprocess("/bin/sh", ["-c", program], in: Nginx.certificates)
        let text = try shell.output.readToEnd()
        #expect(try shell.waitUntilExit() == 0)
        return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .newlines)
    }

    @Test("A connection to a host that isn't verified isn't used for one that is")
    func unverified() async throws {
        let client = try client {
            $0.tls.authorities = .system
            $0.tls.dangerouslyUnverifiedHosts = ["127.0.0.1"]
        }
        #expect(try await client.send(api().get(.data, from: "/files/json")).count == 2048)
        let port = try #require(HTTP3.proxyURL?.port)
        let verified = BaseURL(baseURL: try #require(URL(string: "https://localhost:\(port)")))
        for _ in 0..<3 {
            let error = await #expect(throws: TransportError.self) {
                try await client.send(verified.get(.data, from: "/files/json"))
            }
            #expect(error?.code == .tlsUntrusted)
            #expect(try await client.send(api().get(.data, from: "/files/json")).count == 2048)
        }
    }

    @Test("A server that asks for a client certificate gets it")
    func clientCertificate() async throws {
        let port = try #require(HTTP3.proxyURL?.port)
        // caddy requires one of clients that name the host.
        let request = try PreparedRequest(url: RequestURL("https://localhost:\(port)/files/json"))
        let local = CurlTransport.Connections.HostAndPort("localhost", port)
        let known = try client {
            $0.connections.addresses = [local: ["127.0.0.1"]]
            try $0.useClientCertificate()
        }
        #expect(try await known.send(request).count == 2048)
        let unknown = try client { $0.connections.addresses = [local: ["127.0.0.1"]] }
        let error = await #expect(throws: TransportError.self) { try await unknown.send(request) }
        // The server's refusal arrives after the client's end of the handshake, or sooner.
        let codes: [TransportError.Code?] = [.closed, .cannotConnect]
        #expect(codes.contains(error?.code))
    }

    // MARK: Limits of a connection

    @Test("Requests succeed although the server ends each connection after 50", arguments: [HTTPMethod.get, .post])
    func rollover(_ method: HTTPMethod) async throws {
        let server = try HTTP3Server()
        let transport = try HTTP3.transport()
        let request = try server.request("limited", method, body: method == .post ? .data(Data("x".utf8)) : .none)
        let failures = await withTaskGroup(of: [any Error].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var failures: [any Error] = []
                    for _ in 0..<50 {
                        do {
                            let response = try await transport.send(request)
                            _ = try await response.content.collect(upTo: 10)
                        } catch {
                            failures.append(error)
                        }
                    }
                    return failures
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(failures.map { "\($0)" } == [])
    }
}

extension CurlTransport.Configuration {
    fileprivate mutating func useClientCertificate() throws {
        let folder = try #require(Nginx.certificates)
        let (certificate, key) = (folder.appending(path: "client.pem"), folder.appending(path: "client.key"))
        tls.clientCertificate = .pem(certificate: certificate, key: key)
    }
}

@Suite("HTTP/3 as an option", .timeLimit(.minutes(5)))
struct HTTP3OptionTests {
    @Test(
        "Only HTTP/3 without a libcurl that has it is refused when the transport is created",
        .enabled(if: !LinkedLibcurl.has(.http3))
    )
    func missing() throws {
        let error = #expect(throws: TransportError.self) { try HTTP3.transport() }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("HTTP/3 by ngtcp2") == true)
        #expect(try !HTTP3.transport(.http3).capabilities.contains(.http3))
    }

    @Test("HTTP/3 excludes proxies, sockets and fixed ports", arguments: [0, 1, 2])
    func exclusions(option: Int) throws {
        var configuration = CurlTransport.Configuration()
        configuration.httpVersion = .http3
        switch option {
        case 0: configuration.proxy = .http("127.0.0.1", port: 1)
        case 1: configuration.connections.unixSocket = "/tmp/none"
        default: configuration.connections.localPort = 12_345
        }
        let error = #expect(throws: TransportError.self) { try CurlTransport(configuration: configuration) }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("HTTP/3") == true)
    }
}
#endif
