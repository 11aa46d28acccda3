#if os(Linux)
import Foundation
import RequestsTesting
import Testing

@testable import RequestsCurl

/// Hosts with several addresses, of which some drop attempts to connect.
@Suite("Hosts with several addresses", .timeLimit(.minutes(5)))
struct AddressTests {
    /// An HTTP server at another loopback address.
    private final class Server: Sendable {
        private let listener: Int32

        init(_ ip: String, port: UInt16) throws {
            listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = inet_addr(ip)
            let code = withUnsafePointer(to: &address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            try #require(code == 0 && listen(listener, 8) == 0)
            Thread.detachNewThread { [listener] in
                while true {
                    let connection = accept(listener, nil, nil)
                    guard connection >= 0 else { return }
                    var buffer = [UInt8](repeating: 0, count: 4096)
                    _ = read(connection, &buffer, buffer.count)
                    let response = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok".utf8)
                    _ = write(connection, response, response.count)
                    close(connection)
                }
            }
        }

        deinit { shutdown(listener, Int32(SHUT_RDWR)) }
    }

    /// Sockets that listen at loopback addresses, but drop each attempt to connect.
    private final class SilentServers: Sendable {
        private let sockets: [Int32]

        init(_ addresses: [String], port: UInt16) throws {
            var sockets: [Int32] = []
            for ip in addresses {
                var address = sockaddr_in()
                address.sin_family = sa_family_t(AF_INET)
                address.sin_port = port.bigEndian
                address.sin_addr.s_addr = inet_addr(ip)
                // One socket listens, and two fill its queue.
                for number in 0..<3 {
                    let kind = Int32(SOCK_STREAM.rawValue) | (number == 0 ? 0 : Int32(SOCK_NONBLOCK.rawValue))
                    let descriptor = socket(AF_INET, kind, 0)
                    sockets.append(descriptor)
                    let code = withUnsafePointer(to: &address) { address in
                        address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                            let size = socklen_t(MemoryLayout<sockaddr_in>.size)
                            return number == 0 ? bind(descriptor, $0, size) : connect(descriptor, $0, size)
                        }
                    }
                    try #require(number > 0 || code == 0 && listen(descriptor, 0) == 0)
                }
            }
            self.sockets = sockets
        }

        deinit { for descriptor in sockets { close(descriptor) } }
    }

    private func client(
        _ port: UInt16,
        _ addresses: [String],
        _ time: Duration? = .milliseconds(50),
        waitsWithEpoll: Bool = true
    ) throws -> Client {
        var configuration = CurlTransport.Configuration()
        configuration.waitsWithEpoll = waitsWithEpoll
        configuration.connections.addresses = [.init("api.example.com", Int(port)): addresses]
        if let time { configuration.timePerAddress = time }
        return Client(transport: try CurlTransport(configuration: configuration))
    }

    private func request(_ port: UInt16, connect: Duration? = nil) throws -> Request<BaseURL, String> {
        let api = BaseURL(baseURL: try RequestURL("http://api.example.com:\(port)").url)
        return api.get(.text, from: "/").with(options: CallOptions(timeouts: .init(connect: connect)))
    }

    @Test("The next address is tried if one doesn't answer", arguments: [nil, Duration.seconds(60)])
    func next(connect: Duration?) async throws {
        let silent = try LoopbackServer.unresponsive()
        let server = try Server("127.0.0.2", port: silent.port)
        let client = try client(silent.port, ["127.0.0.1", "127.0.0.2"])
        #expect(try await client.send(request(silent.port, connect: connect)) == "ok")
        withExtendedLifetime(server) {}
    }

    @Test(
        "The fourth address is tried if three don't answer",
        arguments: [Duration.milliseconds(20), .milliseconds(300), nil],
        [true, false]
    )
    func fourth(time: Duration?, waitsWithEpoll: Bool) async throws {
        let reserved = try LoopbackServer.refusing()
        let dead = ["127.0.0.3", "127.0.0.4", "127.0.0.5"]
        let silent = try SilentServers(dead, port: reserved.port)
        let server = try Server("127.0.0.2", port: reserved.port)
        let client = try client(reserved.port, dead + ["127.0.0.2"], time, waitsWithEpoll: waitsWithEpoll)
        #expect(try await client.send(request(reserved.port, connect: .seconds(60))) == "ok")
        withExtendedLifetime((silent, server)) {}
    }

    @Test("The fourth address is tried if three refuse", arguments: [true, false])
    func fourthAfterRefusals(waitsWithEpoll: Bool) async throws {
        let reserved = try LoopbackServer.refusing()
        let server = try Server("127.0.0.2", port: reserved.port)
        let addresses = ["127.0.0.3", "127.0.0.4", "127.0.0.5", "127.0.0.2"]
        let client = try client(reserved.port, addresses, nil, waitsWithEpoll: waitsWithEpoll)
        #expect(try await client.send(request(reserved.port, connect: .seconds(60))) == "ok")
        withExtendedLifetime(server) {}
    }

    @Test("Addresses that accept late get all of the time in the end")
    func patient() async throws {
        let silent = try LoopbackServer.unresponsive()
        let client = try client(silent.port, ["127.0.0.1"])
        let attempts = Locked(0)
        var options = CallOptions(timeouts: .init(connect: .milliseconds(500)))
        options.observer = { if case .resolved = $0 { attempts.withLock { $0 += 1 } } }
        let request = try request(silent.port).with(options: options)
        let error = await #expect(throws: TransportError.self) { try await client.send(request) }
        #expect(error?.code == .timedOut(.connect))
        #expect(attempts.withLock { $0 } == (Quirks.linked.waitsForAddresses ? 2 : 1))
    }

    @Test("Addresses that refuse are an error at once")
    func refusing() async throws {
        let refusing = try LoopbackServer.refusing()
        let client = try client(refusing.port, ["127.0.0.1", "127.0.0.2"], .seconds(60))
        let error = await #expect(throws: TransportError.self) { try await client.send(request(refusing.port)) }
        #expect(error?.code == .cannotConnect)
    }
}
#endif
