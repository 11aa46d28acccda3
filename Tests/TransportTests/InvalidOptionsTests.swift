import Foundation
import Requests
import RequestsClient
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
        ("not an IP address", { $0.connections.addresses = [.init("h", 80): ["localhost"]] }),
        ("has no address", { $0.connections.addresses = [.init("h", 80): []] }),
        ("not a host and a port", { $0.connections.addresses = [.init("h:1", 80): ["127.0.0.1"]] }),
        ("not a host and a port", { $0.connections.addresses = [.init("h", 0): ["127.0.0.1"]] }),
        ("not a host and a port", { $0.connections.connectTo = [.init("h", 80): .init("h\r\nx", 80)] }),
        ("not a host and a port", { $0.connections.connectTo = [.init("user@h", 80): .init("h", 80)] }),
        (
            "remove one of them",
            {
                $0.connections.unixSocket = "/tmp/socket"
                $0.proxy = .http("proxy", port: 80)
            }
        ),
        (
            "nothing is connected to or looked up",
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
        ("not a host and a port", { $0.proxy = .http("http://proxy", port: 80) }),
        (
            "contains a colon",
            { $0.proxy = .http("proxy", port: 80).authenticated(username: "a:b", password: "s3cret") }
        ),
        ("has 200 bytes", { $0.connections.unixSocket = String(repeating: "a", count: 200) }),
        ("has 0 bytes", { $0.connections.unixSocket = "" }),
        ("aren't certificates in PEM", { $0.tls.authorities = .pem(Data("hello".utf8)) }),
        ("aren't certificates in PEM", { $0.tls.authorities = .file(URL(filePath: "/dev/null")) }),
        ("cannot be read: /none.pem", { $0.tls.authorities = .file(URL(filePath: "/none.pem")) }),
        (
            "cannot be read: /none.key",
            {
                $0.tls.clientCertificate = .pem(
                    certificate: URL(filePath: "/dev/null"),
                    key: URL(filePath: "/none.key")
                )
            }
        ),
        ("write it as in a URL", { $0.tls.dangerouslyUnverifiedHosts = ["h", "LocalHost"] }),
        ("write it as in a URL", { $0.tls.dangerouslyUnverifiedHosts = ["h:443"] }),
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
}
