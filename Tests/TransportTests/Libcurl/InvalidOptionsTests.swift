import RequestsCurl
import Testing

@Suite("Invalid CurlTransport options", .timeLimit(.minutes(5)))
struct InvalidOptionsTests {
    static let changes: [(String, @Sendable (inout CurlTransport.Configuration) -> Void)] = [
        ("userAgent contains a line break", { $0.userAgent = "a\r\nb: c" }),
        ("highWaterMark is 0", { $0.highWaterMark = 0 }),
        ("maximumPerHost is 0", { $0.connections.maximumPerHost = 0 }),
        ("maximumTotal is -1", { $0.connections.maximumTotal = -1 }),
        ("maximumIdle is 0", { $0.connections.maximumIdle = 0 }),
        ("idleLifetime is", { $0.connections.idleLifetime = .milliseconds(10) }),
        ("lifetime is", { $0.connections.lifetime = .zero }),
        ("keepAlive.interval is", { $0.connections.keepAlive = .init(interval: .seconds(-1)) }),
        ("isn't an IP address", { $0.connections.addresses = [.init("h", 80): ["localhost"]] }),
        ("has no address", { $0.connections.addresses = [.init("h", 80): []] }),
        ("isn't a host and a port", { $0.connections.addresses = [.init("h:1", 80): ["127.0.0.1"]] }),
        ("isn't a host and a port", { $0.connections.addresses = [.init("h", 0): ["127.0.0.1"]] }),
        ("isn't a host and a port", { $0.connections.connectTo = [.init("h", 80): .init("h\r\nx", 80)] }),
        ("isn't a host and a port", { $0.connections.connectTo = [.init("user@h", 80): .init("h", 80)] }),
        (
            "remove one of them",
            {
                $0.connections.unixSocket = "/tmp/socket"
                $0.proxy = .http("proxy", port: 80)
            }
        ),
        (
            "so no host is looked up; remove localInterface",
            {
                $0.connections.unixSocket = "/tmp/socket"
                $0.connections.localInterface = "lo"
            }
        ),
        (
            "remove one of them",
            {
                $0.httpVersion = .http2WithPriorKnowledge
                $0.proxy = .socks5("proxy", port: 1080)
            }
        ),
        ("isn't a host and a port", { $0.proxy = .http("http://proxy", port: 80) }),
        (
            "a colon in the proxy's user name",
            { $0.proxy = .http("proxy", port: 80).authenticated(username: "a:b", password: "s3cret") }
        ),
        ("has 200 bytes", { $0.connections.unixSocket = String(repeating: "a", count: 200) }),
        ("has 0 bytes", { $0.connections.unixSocket = "" }),
        ("has no certificate in PEM", { $0.tls.authorities = .pem(Data("hello".utf8)) }),
        ("has no certificate in PEM", { $0.tls.authorities = .file(URL(filePath: "/dev/null")) }),
        ("tls.authorities can't be read from /none.pem", { $0.tls.authorities = .file(URL(filePath: "/none.pem")) }),
        (
            "the key of tls.clientCertificate can't be read from /none.key",
            {
                $0.tls.clientCertificate = .pem(
                    certificate: URL(filePath: "/dev/null"),
                    key: URL(filePath: "/none.key")
                )
            }
        ),
        ("write it in lowercase", { $0.tls.dangerouslyUnverifiedHosts = ["h", "LocalHost"] }),
        ("write it in lowercase", { $0.tls.dangerouslyUnverifiedHosts = ["h:443"] }),
        ("isn't the Base64 of a SHA-256", { $0.tls.publicKeyPins = ["h": ["x"]] }),
    ]

    @Test("CurlTransport rejects an invalid option with a reason", arguments: changes.indices)
    func refused(index: Int) throws {
        let (words, change) = InvalidOptionsTests.changes[index]
        var configuration = CurlTransport.Configuration()
        change(&configuration)
        let error = #expect(throws: TransportError.self) { try CurlTransport(configuration: configuration) }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains(words) == true, "\(String(describing: error))")
        #expect(error.map { "\($0)".contains("s3cret") } == false)
    }

    @Test("A configuration's description names the options that matter for security, without their values")
    func description() {
        var configuration = CurlTransport.Configuration()
        #expect("\(configuration)" == "CurlTransport.Configuration(HTTP/2)")
        configuration.httpVersion = .http1_1
        configuration.proxy = .url("http://user:s3cret@proxy.example.com")
        configuration.tls.publicKeyPins = ["pinned.example.com": ["x"]]
        configuration.tls.dangerouslyUnverifiedHosts = ["unverified.example.com"]
        #expect("\(configuration)" == "CurlTransport.Configuration(HTTP/1.1, proxy, pins, unverified hosts)")
    }
}
