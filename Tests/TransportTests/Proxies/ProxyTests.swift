import RequestsTestSupport
import RequestsTesting
import Testing
@testable import RequestsCurl

@Suite("Proxies over libcurl", .timeLimit(.minutes(5)))
struct ProxyTests {
    private func client(_ proxy: CurlTransport.Proxy) throws -> Client {
        var configuration = CurlTransport.Configuration()
        configuration.proxy = proxy
        if let authority = Nginx.authority { configuration.tls.authorities = .file(authority) }
        return Client(transport: try CurlTransport(configuration: configuration))
    }

    private func request(_ url: String) throws -> Request<BaseURL, String> {
        BaseURL(baseURL: try RequestURL(url).url).get(.text, from: "")
            .with(options: CallOptions(timeouts: .unlimited))
    }

    @Test("A request without TLS contains its whole URL and the credentials for the proxy")
    func plain() async throws {
        let proxy = try LoopbackServer.http { request in
            .init(200, .plainText, "\(request.line)|\(request.header[.proxyAuthorization] ?? "")")
        }
        let client = try client(
            .http("127.0.0.1", port: Int(proxy.port)).authenticated(username: "Aladdin", password: "open sesame")
        )
        // The credentials are the example of RFC 7617 §2.
        #expect(
            try await client.send(request("http://api.example.com/a?b=c#d"))
                == "GET http://api.example.com/a?b=c HTTP/1.1|Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="
        )
    }

    @Test("The target is the unchanged URL, also with an empty query")
    func target() async throws {
        let proxy = try LoopbackServer.http { .init(200, .plainText, $0.line) }
        let client = try client(.http("127.0.0.1", port: Int(proxy.port)))
        for (url, target) in [
            ("http://h/p?", "http://h/p?"), ("http://h", "http://h/"), ("http://h:81?a", "http://h:81/?a"),
        ] {
            #expect(try await client.send(request(url)) == "GET \(target) HTTP/1.1")
        }
    }

    @Test("No `Proxy-Connection` field is sent, neither in a request nor to open a tunnel")
    func proxyConnection() async throws {
        let heads = Locked<[String]>([])
        let proxy = try LoopbackServer { connection in
            let head = try connection.readHead() ?? ""
            heads.withLock { $0.append(head) }
            try connection.write("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
        }
        let client = try client(.http("127.0.0.1", port: Int(proxy.port)))
        for scheme in ["http", "https"] {
            await #expect(throws: (any Error).self) { try await client.send(request("\(scheme)://api.example.com/")) }
        }
        #expect(heads.withLock { $0.map { String($0.prefix { $0 != " " }) } } == ["GET", "CONNECT"])
        #expect(heads.withLock { !$0.joined().lowercased().contains("proxy-connection") })
    }

    @Test(
        "Requests at once go through an HTTPS proxy, over HTTP/2 if libcurl supports that",
        .enabled(if: Nginx.tlsURL != nil, "REQUESTS_NGINX_TLS_URL is not set; scripts/test sets it"),
        arguments: [true, false]
    )
    func tunnelInsideTLS(waitsWithEpoll: Bool) async throws {
        let server = try #require(Nginx.tlsURL)
        let proxy = try LoopbackServer { connection in
            guard try connection.readHead() != nil else { return }
            try Relay.connect(connection, toPort: "\(server.port ?? 0)")
        }
        let relay = try TLSRelay(to: proxy.baseURL)
        var configuration = CurlTransport.Configuration()
        configuration.proxy = .https("127.0.0.1", port: try #require(relay.url.port))
        configuration.tls.authorities = .file(relay.certificate)
        configuration.tls.dangerouslyUnverifiedHosts = ["127.0.0.1"]
        configuration.waitsWithEpoll = waitsWithEpoll
        let client = Client(transport: try CurlTransport(configuration: configuration))
        let api = BaseURL(baseURL: server)
        let version = Quirks.linked.stallsInsideTLS ? HTTPVersion.http1_1 : .http2
        for (path, length, count) in [("/json", 2048, 50), ("/bytes/1m", 1 << 20, 50), ("/bytes/16m", 16 << 20, 2)] {
            let request = api.get(.data, from: Endpoint(path: path))
            try await withThrowingTaskGroup(of: Response<Data>.self) { group in
                for _ in 1...count { group.addTask { try await client.response(for: request) } }
                for try await response in group {
                    #expect(response.content.count == length)
                    #expect(response.head.httpVersion == version)
                }
            }
        }
    }

    @Test("An excluded host is connected to directly, with the same handle")
    func excluded() async throws {
        let proxy = try LoopbackServer.http { .init(200, .plainText, "proxy \($0.target)") }
        let server = try LoopbackServer.http { .init(200, .plainText, "server \($0.target)") }
        let client = try client(.http("127.0.0.1", port: Int(proxy.port)).excluding(["127.0.0.0/8"]))
        for _ in 0..<2 {
            #expect(try await client.send(request("http://h.example/a")) == "proxy http://h.example/a")
            #expect(try await client.send(request("\(server.baseURL)/a")) == "server /a")
        }
    }

    @Test(
        "Excluded hosts are named as in NO_PROXY",
        arguments: [
            "h.example", ".h.example", "*.example", "H.EXAMPLE", "h.example.", "h.example:80", " h.example", "*",
            "example",
        ]
    )
    func excludedName(_ name: String) async throws {
        let rules = try ProxyRules(.http("127.0.0.1", port: 1).excluding([name]), environment: [:])
        #expect(rules.server(for: try RequestURL("http://h.example/")) == nil)
        #expect((rules.server(for: try RequestURL("http://other.test/")) == nil) == (name == "*"))
    }

    @Test("Names of excluded hosts may contain characters beyond ASCII")
    func excludedInternationalName() throws {
        let rules = try ProxyRules(.http("127.0.0.1", port: 1).excluding(["bücher.example"]), environment: [:])
        #expect(rules.server(for: try RequestURL("http://xn--bcher-kva.example/")) == nil)
    }

    @Test(
        "An exclusion that matches no host is rejected",
        arguments: [
            "a.*.example", "localhost:x", "http://localhost", "127.0.0.1/33", "localhost,127.0.0.1", "", "a b", "a/b",
        ]
    )
    func excludedNothing(_ name: String) {
        let error = #expect(throws: TransportError.self) {
            try ProxyRules(.http("127.0.0.1", port: 1).excluding([name]), environment: [:])
        }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("in the hosts that proxy excludes isn't a host") == true)
    }

    @Test("A request over TLS goes through a tunnel and isn't visible to the proxy", .enabled(if: Nginx.tlsURL != nil))
    func tunnel() async throws {
        let heads = Locked<[String]>([])
        let proxy = try LoopbackServer { connection in
            let head = try connection.readHead() ?? ""
            heads.withLock { $0.append(head) }
            try Relay.connect(connection, toPort: head.split(separator: ":")[1].prefix { $0 != " " })
        }
        let url = try #require(Nginx.tlsURL)
        let client = try client(
            .http("127.0.0.1", port: Int(proxy.port)).authenticated(username: "user", password: "password")
        )
        let request = try request("\(url)/user/1").authenticated(with: .bearerToken("s3cret"))
        for _ in 0..<2 { #expect(try await client.send(request) == #"{"id":1,"name":"Ada"}"#) }
        let seen = heads.withLock { $0 }
        #expect(seen.count == 1, "the tunnel is kept")
        #expect(seen.first?.hasPrefix("CONNECT 127.0.0.1:\(url.port ?? 0) HTTP/1.1\r\n") == true)
        #expect(seen.first?.contains("Proxy-Authorization: Basic dXNlcjpwYXNzd29yZA==") == true)
        #expect(seen.first?.contains("s3cret") == false)
    }

    @Test("A proxy as a URL gets the credentials of the URL")
    func url() async throws {
        let proxy = try LoopbackServer.http { .init(200, .plainText, $0.header[.proxyAuthorization] ?? "") }
        let client = try client(.url("http://Aladdin:open%20sesame@127.0.0.1:\(proxy.port)"))
        #expect(try await client.send(request("http://api.example.com/")) == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    }

    @Test("A URL without TLS goes through a tunnel on request")
    func plainTunnel() async throws {
        let heads = Heads()
        let proxy = try LoopbackServer.tunneling(heads) { _ in "HTTP/1.1 200 OK\r\n\r\n" }
        let client = try client(.http("127.0.0.1", port: Int(proxy.port)).tunneling())
        #expect(try await client.send(request("http://api.example.com/a")) == "tunnel")
        let lines = heads.recorded.map { $0.prefix { $0 != "\r\n" } }
        #expect(lines == ["CONNECT api.example.com:80 HTTP/1.1", "GET /a HTTP/1.1"])
    }

    @Test(
        "A proxy that refuses, closes or can't be reached has its own error",
        arguments: [
            "HTTP/1.1 407 Required\r\nProxy-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 502 Bad Gateway\r\n\r\n", "", "HTTP/1.1 200 OK\r\nVia: ",
            SampleText("HTTP/1.1 200 OK\r\nVia: " + String(repeating: "x", count: 200 << 10)),
            SampleText("HTTP/1.1 200 OK\r\n" + String(repeating: "Via: proxy\r\n", count: 40_000)),
        ]
    )
    func refusal(reply: SampleText) async throws {
        let proxy = try LoopbackServer { connection in
            _ = try connection.readHead()
            try connection.write(reply.text)
        }
        let client = try client(.http("127.0.0.1", port: Int(proxy.port)))
        let error = await #expect(throws: TransportError.self) {
            try await client.send(request("https://api.example.com/"))
        }
        #expect(error?.code == .proxy)
        #expect(error?.requestMayHaveBeenProcessed == false)

    }

    @Test("A proxy that can't be reached is an error")
    func absence() async throws {
        let proxy = try LoopbackServer.refusing()
        let client = try client(.http("127.0.0.1", port: Int(proxy.port)))
        let error = await #expect(throws: TransportError.self) {
            try await client.send(request("https://api.example.com/"))
        }
        #expect(error?.code == .proxy)
    }

    @Test("A SOCKS proxy gets the host's name")
    func socks() async throws {
        let names = Locked<[String]>([])
        let proxy = try LoopbackServer { connection in
            _ = try connection.readBytes(Int(connection.readBytes(2)[1]))
            try connection.write([5, 0])
            let start = try connection.readBytes(5)
            let name = try connection.readBytes(Int(start[4]) + 2).dropLast(2)
            names.withLock { $0.append(String(decoding: name, as: UTF8.self)) }
            try connection.write([5, 0, 0, 1, 127, 0, 0, 1, 0, 80])
            guard let request = try connection.readRequest() else { return }
            try connection.write(.init(200, .plainText, request.line))
        }
        let client = try client(.socks5("127.0.0.1", port: Int(proxy.port)))
        #expect(try await client.send(request("http://api.example.com/a")) == "GET /a HTTP/1.1")
        #expect(names.withLock { $0 } == ["api.example.com"])
    }

    @Test("A request that sets Proxy-Authorization itself is rejected")
    func byHand() async throws {
        let proxy = try LoopbackServer.http { _ in .init(200) }
        let client = try client(.http("127.0.0.1", port: Int(proxy.port)))
        let request = try request("http://api.example.com/")
            .adding(headerField: Field(name: .proxyAuthorization, value: "Basic eDp5"))
        let error = await #expect(throws: TransportError.self) { try await client.send(request) }
        #expect(error?.code == .unsupported)
        #expect(proxy.acceptedConnections == 0)
    }

    @Test("No description shows the proxy's password")
    func description() {
        let proxy = CurlTransport.Proxy.http("h", port: 1).authenticated(username: "u", password: "s3cret")
        var dumped = ""
        dump(proxy, to: &dumped)
        #expect(!"\(proxy) \(String(reflecting: proxy)) \(dumped)".contains("s3cret"))
    }
}
