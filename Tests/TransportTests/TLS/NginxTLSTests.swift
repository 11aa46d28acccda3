import Foundation
import RequestsConformance
import RequestsCurl
import RequestsTesting
import Testing

@Suite(
    "TLS and HTTP/2 with nginx, over libcurl",
    .timeLimit(.minutes(5)),
    .enabled(if: Nginx.tlsURL != nil, "REQUESTS_NGINX_TLS_URL is not set; scripts/test starts an nginx and sets it")
)
struct NginxTLSTests {
    private func api() throws -> BaseURL {
        BaseURL(baseURL: try #require(Nginx.tlsURL))
    }

    private func client(_ change: (inout CurlTransport.TLS) throws -> Void = { _ in }) throws -> Client {
        var configuration = CurlTransport.Configuration()
        configuration.tls.authorities = .file(try #require(Nginx.authority))
        try change(&configuration.tls)
        return Client(transport: try CurlTransport(configuration: configuration))
    }

    @Test("HTTP/2 is used if the server offers it")
    func version() async throws {
        let response = try await client().response(for: api().get(.data, from: "/json"))
        #expect(response.head.httpVersion == .http2)
        #expect(response.content.count == 2048)
        #expect(response.head.header[.contentType] == "application/json")
    }

    @Test("Request trailers go over HTTP/1.1, also if there is a connection of HTTP/2")
    func requestTrailers() async throws {
        let client = try client()
        let chunks = AsyncStream<Data> { continuation in
            continuation.yield(Data("abc".utf8))
            continuation.finish()
        }
        let trailing = try api().post(.chunks(chunks) { ["X-Sum": "532"] }, to: "/echo").receiving(.data)
        #expect(try await client.response(for: api().get(.data, from: "/json")).head.httpVersion == .http2)
        #expect(try await client.response(for: trailing).head.httpVersion == .http1_1)
        #expect(try await client.response(for: api().get(.data, from: "/json")).head.httpVersion == .http2)
    }

    @Test("Consecutive exchanges share a connection")
    func reuse() async throws {
        let client = try client()
        var connections: Set<String> = []
        for _ in 0..<10 { connections.insert(try await client.send(api().get(.text, from: "/connection"))) }
        #expect(connections.count == 1)
    }

    @Test("A connection is used again after a request with a body")
    func reuseAfterBody() async throws {
        let client = try client()
        let first = try await client.send(api().get(.text, from: "/connection"))
        _ = try await client.send(api().post(.raw(data: Data(count: 2048)), to: "/echo").receiving(.data))
        #expect(try await client.send(api().get(.text, from: "/connection")) == first)
    }

    @Test("A certificate authority can be in memory", .enabled(if: LibcurlBuild.usesOpenSSL))
    func authorityInMemory() async throws {
        let data = try Data(contentsOf: #require(Nginx.authority))
        let client = try client { $0.authorities = .pem(data) }
        #expect(try await client.send(api().get(.data, from: "/json")).count == 2048)
    }

    @Test("TLS 1.3 is used if it is the minimum")
    func minimumVersion() async throws {
        let client = try client { $0.minimumVersion = .v1_3 }
        #expect(try await client.send(api().get(.data, from: "/json")).count == 2048)
    }

    @Test("64 exchanges that start at once share one connection")
    func burst() async throws {
        let client = try client()
        let request = try api().get(.text, from: "/connection")
        let connections = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<64 { group.addTask { try await client.send(request) } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(connections.count == 1)
    }

    @Test("1000 exchanges at once share 8 connections, because nginx allows 128 streams on each")
    func thousand() async throws {
        let count = 1000
        let arrived = Locked(0)
        let isComplete = DispatchSemaphore(value: 0)
        let server = try LoopbackServer { connection in
            guard try connection.readRequest() != nil else { return }
            let isLast = arrived.withLock { arrived in
                arrived += 1
                return arrived == count
            }
            if isLast { for _ in 0..<count { isComplete.signal() } }
            isComplete.wait()
            try connection.write(.init(200, .plainText, ""))
        }
        defer { server.stop() }
        let client = try client()
        let request = try api().get(.none, from: "/to/\(server.port)/")
            .with(options: CallOptions(timeouts: .unlimited))
        let connections = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<count {
                group.addTask { try await client.response(for: request).head.header["X-Connection"] }
            }
            return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }
        #expect(connections.count <= 8)
    }

    @Test("64 exchanges with bodies of 1 MiB share a connection")
    func concurrent() async throws {
        let client = try client()
        let request = try api().get(.data, from: "/bytes/1m")
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<64 { group.addTask { try await client.send(request).count } }
            for try await count in group { #expect(count == 1 << 20) }
        }
    }

    @Test("A body that isn't read doesn't stop the other exchanges of its connection")
    func paused() async throws {
        let client = try client()
        let connection = try await client.send(api().get(.text, from: "/connection"))
        let unread = try await client.stream(api().get(.data, from: "/bytes/16m"))
        for _ in 0..<20 {
            #expect(try await client.send(api().get(.text, from: "/connection")) == connection)
            #expect(try await client.send(api().get(.data, from: "/bytes/1m")).count == 1 << 20)
        }
        #expect(try await unread.content.collect(upTo: 16 << 20).count == 16 << 20)
    }

    @Test("A body of 3 MB is sent from data and from a stream", arguments: [true, false])
    func upload(isStream: Bool) async throws {
        let bytes = Data(count: 3_000_000)
        let stream = BodyProvider { header in
            header.set(.contentType(.binary))
            return .oneShot(bytes)
        }
        let body = isStream ? stream : .raw(data: bytes)
        let text = try await client().send(api().post(body, to: "/echo").receiving(.text))
        #expect(text.hasPrefix("POST /echo\n\napplication/octet-stream"))
    }

    @Test("A response that arrives before the body is sent is delivered")
    func earlyAnswer() async throws {
        let request = try api().post(.raw(data: Data(count: 3_000_000)), to: "/headers")
            .with(options: CallOptions(timeouts: .unlimited))
            .receiving(.text)
        #expect(try await client().send(request) == "|||\(Field.defaultUserAgent.value)")
    }

    @Test("The error of an unknown certificate and of plain HTTP behind https says what to do")
    func advice() async throws {
        let plain = try #require(Nginx.baseURL?.absoluteString.replacing("http://", with: "https://"))
        for (url, advice) in [(plain, "use http://"), (try #require(Nginx.tlsURL).absoluteString, "tls.authorities")] {
            let api = BaseURL(baseURL: try #require(URL(string: url)))
            let error = await #expect(throws: TransportError.self) {
                try await Client(transport: CurlTransport()).send(api.get(.data, from: "/json"))
            }
            #expect(error?.message.contains(advice) == true, "\(String(describing: error))")
        }
    }

    @Test("A wrong pin is rejected, even if a connection to the host is open")
    func pinOnReuse() async throws {
        let wrong: PublicKeyPins = ["127.0.0.1": ["AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="]]
        _ = try await client().send(api().get(.data, from: "/json"))
        let error = await #expect(throws: TransportError.self) {
            try await client { $0.publicKeyPins = wrong }.send(api().get(.data, from: "/json"))
        }
        #expect(error?.code == .pinMismatch)
    }

    @Test("Only the host that is named is unverified, also on handles that were used for it")
    func unverifiedHost() async throws {
        let base = try #require(Nginx.tlsURL)
        let port = try #require(base.port)
        var configuration = CurlTransport.Configuration()
        configuration.tls.dangerouslyUnverifiedHosts = ["127.0.0.1"]
        let client = Client(transport: try CurlTransport(configuration: configuration))
        for _ in 0..<3 {
            #expect(try await client.send(api().get(.data, from: "/json")).count == 2048)
            let other = BaseURL(baseURL: try #require(URL(string: "https://localhost:\(port)")))
            let error = await #expect(throws: TransportError.self) {
                try await client.send(other.get(.data, from: "/json"))
            }
            #expect(error?.code == .tlsUntrusted)
        }
    }
}
