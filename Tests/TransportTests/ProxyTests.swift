import Foundation
import Requests
import RequestsClient
import RequestsTesting
import Testing
@testable import RequestsCurl

@Suite("Through a proxy", .timeLimit(.minutes(5)))
struct ProxyTests {
    private func client(_ proxy: CurlTransport.Proxy) throws -> Client {
        var configuration = CurlTransport.Configuration()
        configuration.proxy = proxy
        if let authority = Nginx.authority { configuration.tls.authorities = .file(authority) }
        return Client(transport: try CurlTransport(configuration: configuration))
    }

    private func request(_ url: String) throws -> Request<AnonymousRequestProvider, String> {
        AnonymousRequestProvider(baseURL: try RequestURL(url).url).get(.text, from: "")
            .with(options: RequestOptions(timeouts: .unlimited))
    }

    @Test("a request without TLS goes with its whole URL, and with the proxy's credentials")
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

    @Test("the target is the URL as it is, an empty query included")
    func target() async throws {
        let proxy = try LoopbackServer.http { .init(200, .plainText, $0.line) }
        let client = try client(.http("127.0.0.1", port: Int(proxy.port)))
        for (url, target) in [
            ("http://h/p?", "http://h/p?"), ("http://h", "http://h/"), ("http://h:81?a", "http://h:81/?a"),
        ] {
            #expect(try await client.send(request(url)) == "GET \(target) HTTP/1.1")
        }
    }

    @Test("neither a request nor a tunnel asks the proxy in a field that was never meant to be one")
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

    @Test("a host that is excluded is reached directly, with the same handle")
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
        "as are names as people write them",
        arguments: ["h.example", ".h.example", "H.EXAMPLE", "h.example.", " h.example", "*", "example"]
    )
    func excludedName(_ name: String) async throws {
        let rules = try ProxyRules(.http("127.0.0.1", port: 1).excluding([name]), environment: [:])
        #expect(rules.server(for: try RequestURL("http://h.example/")) == nil)
        #expect((rules.server(for: try RequestURL("http://other.test/")) == nil) == (name == "*"))
    }

    @Test("as are names beyond ASCII")
    func excludedInternationalName() throws {
        let rules = try ProxyRules(.http("127.0.0.1", port: 1).excluding(["bücher.example"]), environment: [:])
        #expect(rules.server(for: try RequestURL("http://xn--bcher-kva.example/")) == nil)
    }

    @Test(
        "what would exclude nothing is refused",
        arguments: [
            "*.a.example", "localhost:8080", "http://localhost", "127.0.0.1/33", "localhost,127.0.0.1", "", "a b",
            "a/b",
        ]
    )
    func excludedNothing(_ name: String) {
        let error = #expect(throws: TransportError.self) {
            try ProxyRules(.http("127.0.0.1", port: 1).excluding([name]), environment: [:])
        }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("is excluded from the proxy and is no host") == true)
    }

    @Test("over TLS through a tunnel, which shows the proxy nothing of the request", .enabled(if: Nginx.tlsURL != nil))
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

    @Test(
        "one that refuses, closes or is not there has an error of its own",
        arguments: [
            "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n",
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

    @Test("a proxy that is not there is an error")
    func absence() async throws {
        let proxy = try LoopbackServer.refusing()
        let client = try client(.http("127.0.0.1", port: Int(proxy.port)))
        let error = await #expect(throws: TransportError.self) {
            try await client.send(request("https://api.example.com/"))
        }
        #expect(error?.code == .proxy)
    }

    @Test("a SOCKS proxy is given the host's name")
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

    @Test("credentials that were set by hand do not reach the server")
    func byHand() async throws {
        let proxy = try LoopbackServer.http { _ in .init(200) }
        let client = try client(.http("127.0.0.1", port: Int(proxy.port)))
        let request = try request("http://api.example.com/")
            .adding(headerField: Field(name: .proxyAuthorization, value: "Basic eDp5"))
        let error = await #expect(throws: TransportError.self) { try await client.send(request) }
        #expect(error?.code == .unsupported)
        #expect(proxy.acceptedConnections == 0)
    }

    @Test("no description shows the password")
    func description() {
        let proxy = CurlTransport.Proxy.http("h", port: 1).authenticated(username: "u", password: "s3cret")
        var dumped = ""
        dump(proxy, to: &dumped)
        #expect(!"\(proxy) \(String(reflecting: proxy)) \(dumped)".contains("s3cret"))
    }
}

@Suite("Which proxy a URL is reached through", .timeLimit(.minutes(5)))
struct ProxyRulesTests {
    private func rules(_ environment: [String: String]) throws -> ProxyRules {
        try ProxyRules(.environment, environment: environment)
    }

    @Test(
        "is what the variables say",
        arguments: [
            (["http_proxy": "http://p:3128"], "http://h/", "http://p:3128"),
            (["http_proxy": "p"], "http://h/", "http://p:1080"),
            (["http_proxy": "p:8080/"], "http://h/", "http://p:8080"),
            (["http_proxy": "http://p:80"], "http://h/", "http://p:80"),
            (["http_proxy": "p:1"], "https://h/", nil),
            (["HTTP_PROXY": "p:1"], "http://h/", nil),
            (["https_proxy": "https://p"], "https://h/", "https://p:443"),
            (["HTTPS_PROXY": "SOCKS5://[::1]:1"], "https://h/", "socks5://[::1]:1"),
            (["ALL_PROXY": "socks5h://p:1", "http_proxy": "q:2"], "https://h/", "socks5h://p:1"),
            (["ALL_PROXY": "socks5h://p:1", "http_proxy": "q:2"], "http://h/", "http://q:2"),
            (["http_proxy": ""], "http://h/", nil),
            (["all_proxy": "p:1", "no_proxy": "*"], "http://h/", nil),
            (["all_proxy": "p:1", "NO_PROXY": "x, h"], "http://h/", nil),
            (["all_proxy": "p:1", "no_proxy": ".example.com"], "http://a.example.com/", nil),
            (["all_proxy": "p:1", "no_proxy": "example.com"], "http://EXAMPLE.com./", nil),
            (["all_proxy": "p:1", "no_proxy": "example.com"], "http://badexample.com/", "http://p:1"),
            (["all_proxy": "p:1", "no_proxy": "10.0.0.0/8"], "http://10.200.3.4/", nil),
            (["all_proxy": "p:1", "no_proxy": "10.0.0.0/8"], "http://11.0.0.1/", "http://p:1"),
            (["all_proxy": "p:1", "no_proxy": "10.1.128.0/17"], "http://10.1.127.1/", "http://p:1"),
            (["all_proxy": "p:1", "no_proxy": "fd00::/8,::1"], "http://[fd12::1]/", nil),
            (["all_proxy": "p:1", "no_proxy": "fd00::/8,::1"], "http://[::1]/", nil),
            (["all_proxy": "p:1", "no_proxy": "::1"], "http://[::2]/", "http://p:1"),
        ] as [([String: String], String, String?)]
    )
    func environment(variables: [String: String], url: String, expected: String?) throws {
        #expect(try rules(variables).server(for: RequestURL(url))?.url == expected)
    }

    @Test("has the credentials of its URL, decoded")
    func credentials() throws {
        let server = try rules(["http_proxy": "http://us%40er:p%3Aw:d@h:1"]).server(for: RequestURL("http://x/"))
        #expect(server?.url == "http://h:1")
        #expect(server?.credentials?.username == "us@er")
        #expect(server?.credentials?.password.text == "p:w:d")
    }

    @Test("has the credentials that it was given, where its URL has none")
    func givenCredentials() throws {
        let proxy = CurlTransport.Proxy.environment.authenticated(username: "given", password: "p")
        let rules = try ProxyRules(proxy, environment: ["http_proxy": "h:1", "https_proxy": "http://own@h:1"])
        #expect(try rules.server(for: RequestURL("http://x/"))?.credentials?.username == "given")
        #expect(try rules.server(for: RequestURL("https://x/"))?.credentials?.username == "own")
    }

    @Test(
        "a variable that is no proxy is an error, which shows nothing of it",
        arguments: [
            "ftp://s3cret@h:1", "socks4://s3cret@h", "http://s3cret@h:x", "http://s3cret@h:70000", "http://s3cret@",
        ]
    )
    func invalid(value: String) {
        let error = #expect(throws: TransportError.self) { try rules(["https_proxy": value]) }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("https_proxy") == true)
        #expect(error?.message.contains("s3cret") == false)
    }
}
