import Foundation
import RequestsConformance
import RequestsCurl
import RequestsTesting
import Testing

@Suite("CurlTransport connection options", .timeLimit(.minutes(5)))
struct ConnectionOptionsTests {
    private func client(_ change: (inout CurlTransport.Configuration) -> Void = { _ in }) throws -> Client {
        var configuration = CurlTransport.Configuration()
        change(&configuration)
        return Client(transport: try CurlTransport(configuration: configuration))
    }

    private func request(_ url: String) throws -> Request<BaseURL, String> {
        BaseURL(baseURL: try RequestURL(url).url).get(.text, from: "/")
            .with(options: CallOptions(timeouts: .unlimited))
    }

    private let host = { @Sendable (request: LoopbackServer.Request) in
        LoopbackServer.Answer(200, .plainText, request.header[.host] ?? "")
    }

    @Test("maximumPerHost limits the connections to a host")
    func maximumPerHost() async throws {
        let server = try LoopbackServer.http(host)
        let client = try client { $0.connections.maximumPerHost = 2 }
        let request = try request(server.baseURL.absoluteString)
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<50 { group.addTask { try await client.send(request) } }
            for try await _ in group {}
        }
        #expect((1...2).contains(server.acceptedConnections))
    }

    @Test(
        "A connection isn't used in the last second of its Keep-Alive timeout",
        arguments: [
            ("timeout=1", 3), ("timeout=0, max=9", 3), ("max=9, Timeout=1", 3), ("timeout=9", 1), ("max=1", 1),
            ("timeout=", 1), ("timeout=99999999999", 1),
        ]
    )
    func keepAlive(field: String, connections: Int) async throws {
        let server = try LoopbackServer.http { _ in
            .init(200, header: [Field(name: "Keep-Alive", value: field)], body: Data("a".utf8))
        }
        defer { server.stop() }
        let client = try client()
        for _ in 0..<3 { #expect(try await client.send(request(server.baseURL.absoluteString)) == "a") }
        #expect(server.acceptedConnections == connections)
    }

    @Test("The connect timeout includes the wait for a free connection")
    func connectTimeout() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
            while !(try connection.read().isEmpty) {}
        }
        let client = try client { $0.connections.maximumPerHost = 1 }
        let held = try await client.stream(request(server.baseURL.absoluteString))
        let waiting = try request(server.baseURL.absoluteString).timeouts(connect: .milliseconds(50))
        let error = await #expect(throws: TransportError.self) { try await client.send(waiting) }
        #expect(error?.code == .timedOut(.connect))
        #expect(error?.message.hasSuffix("while it waited for a connection") == true)
        held.content.cancel()
    }

    @Test("The wait for a free connection counts towards the connect timeout, but not towards the idle timeout")
    func idleTimeout() async throws {
        try await TransportConformance.atSlowerPaces { pace in
            let gate = DispatchSemaphore(value: 0)
            let server = try LoopbackServer { connection in
                while try connection.readRequest() != nil {
                    try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
                    gate.wait()
                    gate.signal()
                    try connection.write("ok")
                }
            }
            defer { server.stop() }
            defer { gate.signal() }
            let client = try client { $0.connections.maximumPerHost = 1 }
            let request = try request(server.baseURL.absoluteString)
            let held = try await client.stream(request)
            async let waiting = client.send(request.timeouts(idle: .milliseconds(200 * pace)))
            // Waits longer than the other request's idle timeout.
            let late = request.timeouts(connect: .milliseconds(600 * pace), idle: .milliseconds(200 * pace))
            let error = await #expect(throws: TransportError.self) { try await client.send(late) }
            try #require(error?.code == .timedOut(.connect))
            gate.signal()
            #expect(try await held.content.collect(upTo: 2) == Data("ok".utf8))
            #expect(try await waiting == "ok")
        }
    }

    @Test("A header of 300,000 bytes is sent, and a larger one is rejected", arguments: [300_000, 300_001])
    func largeHeader(size: Int) async throws {
        let server = try LoopbackServer.http { .init(200, .plainText, "\($0.header["X-Large"]?.count ?? 0)") }
        let field = Field(name: "X-Large", value: String(repeating: "x", count: size - "X-Large".count))
        let large = try request(server.baseURL.absoluteString).adding(headerField: field)
        guard size > 300_000 else {
            return #expect(try await client().send(large) == "\(field.value.count)")
        }
        let error = await #expect(throws: TransportError.self) { try await client().send(large) }
        #expect(error?.code == .unsupported)
        #expect(error?.requestMayHaveBeenProcessed == false)
        #expect(server.acceptedConnections == 0)
    }

    @Test("A request that waited for another request's failed connection was not sent", arguments: [false, true])
    func failedConnection(isRefused: Bool) async throws {
        let server = try LoopbackServer.http(host)
        // Never responds to the TLS handshake.
        let silent = try LoopbackServer { connection in while !(try connection.read().isEmpty) {} }
        let refusing = try LoopbackServer.refusing()
        let client = try client()
        // Handles that have served other requests may remember them.
        let other = try request(server.baseURL.absoluteString)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<10 { group.addTask { _ = try await client.send(other) } }
            try await group.waitForAll()
        }
        let port = isRefused ? refusing.port : silent.port
        let failing = try request("https://127.0.0.1:\(port)").timeouts(
            connect: isRefused ? .seconds(86_400) : .milliseconds(100)
        )
        try await withThrowingTaskGroup(of: TransportError?.self) { group in
            for _ in 0..<10 {
                group.addTask { await #expect(throws: TransportError.self) { try await client.send(failing) } }
            }
            for try await error in group {
                #expect(error?.code == (isRefused ? .cannotConnect : .timedOut(.connect)))
                #expect(error?.requestMayHaveBeenProcessed == false)
                #expect(error?.phase == .connecting)
            }
        }
    }

    @Test("addresses overrides the resolved addresses of a host")
    func addresses() async throws {
        let server = try LoopbackServer.http(host)
        let client = try client {
            $0.connections.addresses = [.init("api.example.com", Int(server.port)): ["127.0.0.1", "::1"]]
        }
        #expect(
            try await client.send(request("http://API.example.com:\(server.port)")) == "api.example.com:\(server.port)"
        )
    }

    @Test("connectTo redirects connections to another host")
    func connectTo() async throws {
        let server = try LoopbackServer.http(host)
        let client = try client {
            $0.connections.connectTo = [.init("api.example.com", 80): .init("127.0.0.1", Int(server.port))]
        }
        #expect(try await client.send(request("http://api.example.com")) == "api.example.com")
    }

    @Test("localInterface sets the local address of a connection")
    func localInterface() async throws {
        let server = try LoopbackServer.http(host)
        let client = try client { $0.connections.localInterface = "127.0.0.2" }
        let response = try await client.response(for: request(server.baseURL.absoluteString))
        #expect(response.metrics?.localAddress?.hasPrefix("127.0.0.2:") == true)
        #expect(response.metrics?.remoteAddress == "127.0.0.1:\(server.port)")
    }

    @Test("ipVersion restricts the addresses to that version")
    func ipVersion() async throws {
        let server = try LoopbackServer.http(host)
        let client = try client { $0.connections.ipVersion = .v6 }
        let error = await #expect(throws: TransportError.self) {
            try await client.send(request(server.baseURL.absoluteString))
        }
        #expect(error?.code == .nameNotResolved || error?.code == .cannotConnect)
        #expect(server.acceptedConnections == 0)
    }

    @Test("The error for a refused connection describes the failure once")
    func refused() async throws {
        let server = try LoopbackServer.refusing()
        let port = server.port
        let error = await #expect(throws: TransportError.self) {
            try await client().send(request("http://127.0.0.1:\(port)"))
        }
        #expect(error?.code == .cannotConnect)
        #expect(
            error?.message
                == "GET http://127.0.0.1:\(port)/: can't connect to 127.0.0.1 port \(port) (Connection refused)"
        )
    }

    #if os(Linux)
    @Test("keepAlive turns TCP keep-alive probes on", arguments: [true, false])
    func keepAlive(isOn: Bool) async throws {
        let server = try LoopbackServer.http(host)
        let client = try client { if isOn { $0.connections.keepAlive = .init(idle: .seconds(30)) } }
        let response = try await client.response(for: request(server.baseURL.absoluteString))
        // Looks up both addresses, because another connection can have the same local port.
        let ends = try [response.metrics?.localAddress, response.metrics?.remoteAddress].map { address in
            let port = try #require(address?.split(separator: ":").last.flatMap { UInt16($0) })
            return "0100007F:\(String(format: "%04X", port))"
        }
        // Foundation's other ways of reading truncate this file, because it has no stated length.
        let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/net/tcp"))
        let text = try withExtendedLifetime((client, server)) { try file.readToEnd() }
        let table = String(decoding: text ?? Data(), as: UTF8.self).split(separator: "\n")
        let line = try #require(table.first { $0.contains(ends.joined(separator: " ")) })
        // The sixth column is the active timer. 02 is the keep-alive timer.
        #expect(line.split(separator: " ")[5].hasPrefix("02:") == isOn)
    }
    #endif

    @Test("unixSocket connects over a Unix domain socket", .enabled(if: Nginx.socket != nil))
    func unixSocket() async throws {
        let client = try client { $0.connections.unixSocket = Nginx.socket }
        let api = BaseURL("http://anything.example.com")
        let response = try await client.response(for: api.get(.text, from: "/user/1"))
        #expect(response.content == #"{"id":1,"name":"Ada"}"#)
        #expect(response.metrics?.remoteAddress == Nginx.socket)
    }

    @Test("The error for a missing Unix domain socket names its path")
    func missingSocket() async throws {
        let client = try client { $0.connections.unixSocket = "/tmp/none.socket" }
        let api = BaseURL("http://anything.example.com")
        let error = await #expect(throws: TransportError.self) { try await client.send(api.get(.text, from: "/")) }
        #expect(error?.code == .cannotConnect)
        #expect(
            error?.message.hasSuffix("can't connect to the socket “/tmp/none.socket” (No such file or directory)")
                == true,
            "\(error as Any)"
        )
    }

    @Test("httpVersion .http1_1 prevents HTTP/2", .enabled(if: Nginx.tlsURL != nil))
    func onlyHTTP1() async throws {
        let client = try client {
            $0.httpVersion = .http1_1
            $0.tls.authorities = Nginx.authority.map { .file($0) } ?? .system
        }
        let api = BaseURL(baseURL: try #require(Nginx.tlsURL))
        #expect(try await client.response(for: api.get(.data, from: "/json")).head.httpVersion == .http1_1)
    }

    @Test("http2WithPriorKnowledge uses HTTP/2 without TLS", .enabled(if: Nginx.http2URL != nil))
    func priorKnowledge() async throws {
        let client = try client { $0.httpVersion = .http2WithPriorKnowledge }
        let api = BaseURL(baseURL: try #require(Nginx.http2URL))
        try await withThrowingTaskGroup(of: Response<Data>.self) { group in
            for _ in 0..<20 {
                let response = try await client.response(for: api.get(.data, from: "/json"))
                #expect(response.head.httpVersion == .http2)
                group.addTask { try await client.response(for: api.get(.data, from: "/json")) }
            }
            for try await response in group { #expect(response.content.count == 2048) }
        }
    }

    @Test("A request after one to another origin goes to its own host and target")
    func manyOrigins() async throws {
        let client = try client()
        for number in 0..<5 {
            let server = try LoopbackServer.http { .init(200, .plainText, "\(number) \($0.target)") }
            for path in ["/a", "/b?c=d"] {
                let url = try RequestURL(server.baseURL.absoluteString + path).url
                let request = BaseURL(baseURL: url).get(.text, from: "")
                #expect(try await client.send(request) == "\(number) \(path)")
            }
        }
    }
}
