import RequestsConformance
import RequestsTestSupport
import RequestsTesting
import Testing
@testable import RequestsCurl

/// The heads that a proxy received.
final class Heads: Sendable {
    private let heads = Locked<[String]>([])

    var recorded: [String] { heads.withLock { $0 } }

    func record(_ head: String) {
        heads.withLock { $0.append(head) }
    }
}

extension LoopbackServer {
    /// A proxy that opens tunnels, and acts as the server inside them.
    ///
    /// - Parameters:
    ///   - heads: Receives the heads of all requests.
    ///   - response: Responds to the requests inside of a tunnel.
    ///   - opening: Responds to a request for a tunnel, given its head.
    static func tunneling(
        _ heads: Heads,
        response: String = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\ntunnel",
        _ opening: @escaping @Sendable (String) -> String
    ) throws -> LoopbackServer {
        try LoopbackServer { connection in
            // The chunks of a request's body read like another head.
            while let head = try connection.readHead() {
                guard head.contains(" HTTP/1.1") else { continue }
                heads.record(head)
                try connection.write(head.hasPrefix("CONNECT") ? opening(head) : response)
            }
        }
    }
}

@Suite("Challenges of proxies over libcurl", .timeLimit(.minutes(5)))
struct ProxyChallengeTests {
    private static let digest = #"Digest realm="p", nonce="n", qop="auth""#
    private static let opened = "HTTP/1.1 200 OK\r\n\r\n"

    private static func refusal(_ challenge: String) -> String {
        "HTTP/1.1 407 Required\r\nProxy-Authenticate: \(challenge)\r\nContent-Length: 0\r\n\r\n"
    }

    /// Opens a tunnel for credentials, and otherwise asks for them.
    private static func checks(_ challenge: String) -> @Sendable (String) -> String {
        { $0.contains("Proxy-Authorization: ") ? opened : refusal(challenge) }
    }

    private func client(_ proxy: LoopbackServer, tunnels: Bool = false, password: String = "password") throws -> Client
    {
        var configuration = CurlTransport.Configuration()
        configuration.proxy = .http("127.0.0.1", port: Int(proxy.port))
            .authenticated(username: "user", password: password, onChallenge: true)
        if tunnels { configuration.proxy = configuration.proxy.tunneling() }
        return Client(transport: try CurlTransport(configuration: configuration))
    }

    private let api = BaseURL("http://api.example.com")

    @Test(
        "Credentials have the scheme that the proxy asks for",
        arguments: [
            (#"Digest realm="p", nonce="n", qop="auth", algorithm=SHA-256"#, #"Digest username="user""#),
            (Self.digest, #"Digest username="user""#), (#"Basic realm="p""#, "Basic dXNlcjpwYXNzd29yZA=="),
        ]
    )
    func scheme(challenge: String, credentials: String) async throws {
        let heads = Heads()
        let proxy = try LoopbackServer.tunneling(heads, Self.checks(challenge))
        let body = BodyProvider { _ in .oneShot(Data("once".utf8)) }
        let client = try client(proxy, tunnels: true)
        #expect(try await client.send(api.post(body, to: "/").receiving(.text)) == "tunnel")
        try #require(heads.recorded.count == 3)
        #expect(!heads.recorded[0].contains("Proxy-Authorization"))
        #expect(heads.recorded[1].contains("Proxy-Authorization: \(credentials)"))
        #expect(heads.recorded[2].hasPrefix("POST / HTTP/1.1"))
        #expect(!heads.recorded[2].contains("Proxy-Authorization"))
    }

    @Test("Digest credentials protect the target of the tunnel, also if it is another host")
    func target() async throws {
        let heads = Heads()
        let proxy = try LoopbackServer.tunneling(heads, Self.checks(Self.digest))
        var configuration = CurlTransport.Configuration()
        // To another host, libcurl always uses a tunnel.
        configuration.proxy = .http("127.0.0.1", port: Int(proxy.port))
            .authenticated(username: "user", password: "password", onChallenge: true)
        configuration.connections.connectTo = [.init("API.example.com", 80): .init("other.example", 8080)]
        let client = Client(transport: try CurlTransport(configuration: configuration))
        #expect(try await client.send(api.get(.text, from: "/")) == "tunnel")
        try #require(heads.recorded.count == 3)
        let head = heads.recorded[1]
        #expect(head.hasPrefix("CONNECT other.example:8080 "))
        #expect(head.contains(#"uri="other.example:8080""#))
    }

    @Test("The next tunnel gets the credentials at once, with the nonce that the proxy announced")
    func nextTunnel() async throws {
        let heads = Heads()
        let info = #"Proxy-Authentication-Info: nextnonce="m""#
        let proxy = try LoopbackServer.tunneling(heads) { head in
            guard head.contains("Proxy-Authorization: ") else { return Self.refusal(Self.digest) }
            return head.contains(#"nonce="n""#) ? "HTTP/1.1 200 OK\r\n\(info)\r\n\r\n" : Self.opened
        }
        let client = try client(proxy, tunnels: true)
        for host in ["a", "b", "c"] {
            let api = BaseURL(baseURL: try RequestURL("http://\(host).example").url)
            #expect(try await client.send(api.get(.text, from: "/")) == "tunnel")
        }
        let openings = heads.recorded.filter { $0.hasPrefix("CONNECT") }
        try #require(openings.count == 4)
        #expect(openings[1].contains(#"nonce="n", nc=00000001"#))
        #expect(openings[2].contains(#"nonce="m", nc=00000001"#))
        #expect(openings[3].contains(#"nonce="m", nc=00000002"#))
    }

    @Test(
        "A proxy that never accepts the credentials is an error that says so",
        arguments: [Self.digest, Self.digest + ", stale=true", #"Basic realm="p""#],
        ["", "Connection: close\r\n"]
    )
    func neverAccepted(challenge: String, field: String) async throws {
        let proxy = try LoopbackServer { connection in
            while try connection.readHead() != nil {
                try connection.write(
                    "HTTP/1.1 407 Required\r\nProxy-Authenticate: \(challenge)\r\n\(field)Content-Length: 0\r\n\r\n"
                )
                if !field.isEmpty { return }
            }
        }
        for onChallenge in [true, false] {
            var configuration = CurlTransport.Configuration()
            configuration.proxy = .http("127.0.0.1", port: Int(proxy.port))
                .authenticated(username: "user", password: "wrong", onChallenge: onChallenge)
                .tunneling()
            let client = Client(transport: try CurlTransport(configuration: configuration))
            let error = await #expect(throws: TransportError.self) { try await client.send(api.get(.text, from: "/")) }
            #expect(error?.code == .proxy)
            #expect(error?.message.contains("asks for credentials again") == true)
        }
    }

    @Test("A server's challenge inside a tunnel is a response, after which nothing is sent again")
    func challengeOfServer() async throws {
        let heads = Heads()
        let proxy = try LoopbackServer.tunneling(
            heads,
            response: Self.refusal(Self.digest),
            Self.checks(Self.digest)
        )
        let request = api.post(.text("once"), to: "/").receiving(.text)
        let error = await #expect(throws: ResponseError.self) {
            try await client(proxy, tunnels: true).send(request)
        }
        #expect(error?.statusCode == 407)
        #expect(heads.recorded.count { $0.hasPrefix("POST") } == 1)
    }

    @Test("A request that may have been processed isn't sent again because the next tunnel needs credentials")
    func resending() async throws {
        let heads = Heads()
        let proxy = try LoopbackServer { connection in
            var responses = 0
            while let head = try connection.readHead() {
                heads.record(head)
                guard !head.hasPrefix("CONNECT") else {
                    let isFirst = heads.recorded.count < 3
                    try connection.write(isFirst ? Self.checks(Self.digest)(head) : Self.refusal(Self.digest))
                    continue
                }
                responses += 1
                // The kept connection closes without a response.
                guard responses == 1 else { return }
                try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\ntunnel")
            }
        }
        let client = try client(proxy, tunnels: true)
        let request = api.post(.none, to: "/").receiving(.text)
        #expect(try await client.send(request) == "tunnel")
        let error = await #expect(throws: TransportError.self) { try await client.send(request) }
        #expect(error?.requestMayHaveBeenProcessed == true)
        #expect(heads.recorded.count { $0.hasPrefix("POST") } == 2)
    }

    @Test("Requests at the same time share a tunnel that needs credentials", .enabled(if: Nginx.tlsURL != nil))
    func shared() async throws {
        let heads = Heads()
        let proxy = try LoopbackServer { connection in
            while let head = try connection.readHead() {
                heads.record(head)
                guard head.contains("Proxy-Authorization: ") else {
                    try connection.write(Self.refusal(Self.digest))
                    continue
                }
                try Relay.connect(connection, toPort: head.split(separator: ":")[1].prefix { $0 != " " })
                return
            }
        }
        var configuration = CurlTransport.Configuration()
        configuration.proxy = .http("127.0.0.1", port: Int(proxy.port))
            .authenticated(username: "user", password: "password", onChallenge: true)
        if let authority = Nginx.authority { configuration.tls.authorities = .file(authority) }
        let client = Client(transport: try CurlTransport(configuration: configuration))
        let api = BaseURL(baseURL: try #require(Nginx.tlsURL))
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<32 {
                group.addTask { try await client.send(api.get(.text, from: "/user/1")) }
            }
            for try await text in group { #expect(text == #"{"id":1,"name":"Ada"}"#) }
        }
        #expect(heads.recorded.count == 2)
    }

    @Test("Credentials that the proxy rejects are an error that doesn't show them")
    func rejected() async throws {
        let heads = Heads()
        let proxy = try LoopbackServer.tunneling(heads) { _ in Self.refusal(Self.digest) }
        let client = try client(proxy, tunnels: true, password: "s3cret")
        let error = await #expect(throws: TransportError.self) { try await client.send(api.get(.text, from: "/")) }
        #expect(error?.code == .proxy)
        #expect(error?.message.contains("s3cret") == false)
        #expect(heads.recorded.count == 2)
    }

    @Test("A proxy that finds all credentials stale gets at most five requests", arguments: [true, false])
    func stale(isTunnel: Bool) async throws {
        let heads = Heads()
        let refusal = Self.refusal(Self.digest + ", stale=true")
        let proxy = try LoopbackServer.tunneling(heads, response: refusal) { _ in refusal }
        let client = try client(proxy, tunnels: isTunnel)
        await #expect(throws: (any Error).self) { try await client.send(api.get(.text, from: "/")) }
        #expect((2...5).contains(heads.recorded.count))
    }

    @Test(
        "A malformed or endless response to a request for a tunnel is the proxy's error",
        arguments: [
            "HTTP/1.1 407 Required\r\nnot a field\r\n\r\n", "HTTP/1.1 407 Required\r\nProxy-Authenticate: Basic x",
            SampleText("HTTP/1.1 407 Required\r\n" + String(repeating: "Via: proxy\r\n", count: 40_000)),
        ]
    )
    func malformed(_ response: SampleText) async throws {
        let proxy = try LoopbackServer { connection in
            _ = try connection.readHead()
            try connection.write(response.text)
        }
        let client = try client(proxy, tunnels: true)
        let error = await #expect(throws: TransportError.self) { try await client.send(api.get(.text, from: "/")) }
        #expect(error?.code == .proxy)
        #expect(error?.requestMayHaveBeenProcessed == false)
    }

    /// A proxy without tunnels.
    private func forwarding(_ challenge: String) throws -> LoopbackServer {
        try LoopbackServer.http(recording: true) { request in
            guard request.method != "CONNECT" else { return .init(405) }
            if request.header[.proxyAuthorization] != nil { return .init(200, .plainText, "forwarded") }
            return .init(407, header: [Field(name: "Proxy-Authenticate", value: challenge)])
        }
    }

    @Test("Without a tunnel, requests are sent again with credentials, and later ones have them at once")
    func withoutTunnel() async throws {
        let proxy = try forwarding(Self.digest)
        let client = try client(proxy)
        // Too large for libcurl to have it as a whole.
        let content = Data(repeating: 7, count: 100_000)
        let body = BodyProvider { _ in .data(content) }
        #expect(try await client.send(api.post(body, to: "/a?b").receiving(.text)) == "forwarded")
        #expect(try await client.send(api.get(.text, from: "/")) == "forwarded")
        let requests = proxy.requests
        try #require(requests.count == 3)
        #expect(
            requests.map(\.line) == [
                "POST http://api.example.com/a?b HTTP/1.1", "POST http://api.example.com/a?b HTTP/1.1",
                "GET http://api.example.com/ HTTP/1.1",
            ]
        )
        #expect(requests[1].body == content)
        let credentials = requests.map { $0.header[.proxyAuthorization] ?? "" }
        #expect(credentials[0].isEmpty)
        #expect(credentials[1].contains(#"uri="http://api.example.com/a?b", nonce="n", nc=00000001"#))
        #expect(credentials[2].contains(#"uri="http://api.example.com/", nonce="n", nc=00000002"#))
        #expect(requests.allSatisfy { $0.header[.authorization] == nil })
    }

    @Test("Without a tunnel, a body that can't be sent again is an error that says so")
    func oneShot() async throws {
        let proxy = try forwarding(Self.digest)
        let body = BodyProvider { _ in .oneShot(Data("once".utf8)) }
        let error = await #expect(throws: TransportError.self) {
            try await client(proxy).send(api.post(body, to: "/").receiving(.text))
        }
        #expect(error?.message.contains("use a replayable body") == true)
        #expect(error?.code == .proxy)
        #expect(error?.requestMayHaveBeenProcessed == false)
        #expect(proxy.requests.count == 1)
    }

    @Test("Without a tunnel, basic credentials aren't sent, because a server could ask for them through the proxy")
    func basicWithoutTunnel() async throws {
        let proxy = try forwarding(#"Basic realm="p""#)
        let error = await #expect(throws: ResponseError.self) {
            try await client(proxy).send(api.get(.text, from: "/"))
        }
        #expect(error?.statusCode == 407)
        #expect(proxy.requests.count == 1)
    }

    @Test(
        "Requests at the same time succeed with a proxy that takes each nonce's count in order",
        arguments: [true, false]
    )
    func countsInOrder(isTunnel: Bool) async throws {
        let nonces = Locked<[String: Int]>([:])
        let check: @Sendable (String?) -> String? = { credentials in
            nonces.withLock { nonces in
                let parts = credentials?.split(separator: "\"") ?? []
                let nonce = parts.first { $0.hasPrefix("nonce-") }.map(String.init)
                let count = credentials?.firstRange(of: "nc=").flatMap {
                    Int(credentials?[$0.upperBound...].prefix(8) ?? "")
                }
                if let nonce, let count, let last = nonces[nonce], count == last + 1 {
                    nonces[nonce] = count
                    return nil
                }
                // Like squid, forgets a nonce with another count than the next one, and doesn't call it stale.
                if let nonce { nonces[nonce] = nil }
                let new = "nonce-\(nonces.count)-\(UInt32.random(in: 0 ... .max))"
                nonces[new] = 0
                return #"Digest realm="p", nonce="\#(new)", qop="auth""#
            }
        }
        let heads = Heads()
        let proxy = try LoopbackServer { connection in
            while let request = try connection.readRequest() {
                heads.record(request.line)
                let isOpen = isTunnel && request.method != "CONNECT"
                guard !isOpen, let challenge = check(request.header[.proxyAuthorization]) else {
                    try connection.write(
                        request.method == "CONNECT" ? Self.opened : "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
                    )
                    continue
                }
                try connection.write(Self.refusal(challenge))
            }
        }
        let client = try client(proxy, tunnels: isTunnel)
        try await withThrowingTaskGroup(of: String.self) { group in
            for index in 0..<40 {
                let api = BaseURL(baseURL: try RequestURL("http://h\(index % 8).example").url)
                group.addTask { try await client.send(api.get(.text, from: "/")) }
            }
            for try await text in group { #expect(text == "ok") }
        }
    }

    @Test("Without a tunnel, a challenge that can't be answered is the response")
    func unsupported() async throws {
        let proxy = try forwarding(#"Negotiate, Digest realm="p", nonce="n", algorithm=token"#)
        let error = await #expect(throws: ResponseError.self) {
            try await client(proxy).send(api.get(.text, from: "/"))
        }
        #expect(error?.statusCode == 407)
        #expect(proxy.requests.count == 1)
    }

    @Test("A server behind no proxy can't ask for the proxy's credentials")
    func excluded() async throws {
        let server = try forwarding(Self.digest)
        var configuration = CurlTransport.Configuration()
        configuration.proxy = .http("127.0.0.1", port: 1).excluding(["127.0.0.1"])
            .authenticated(username: "user", password: "password", onChallenge: true)
        let client = Client(transport: try CurlTransport(configuration: configuration))
        let error = await #expect(throws: ResponseError.self) {
            try await client.send(BaseURL(baseURL: server.baseURL).get(.text, from: "/"))
        }
        #expect(error?.statusCode == 407)
        #expect(server.requests.count == 1)
    }
}
