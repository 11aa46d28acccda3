import RequestsSystem
import RequestsTesting
import Testing

@testable import RequestsCurl

@Suite("Address policy", .timeLimit(.minutes(5)))
struct AddressPolicyTests {
    @Test(
        "Only globally reachable addresses are public",
        arguments: [
            "0.0.0.0", "10.0.0.1", "100.64.0.1", "127.0.0.1", "127.255.255.255", "169.254.169.254", "172.16.0.1",
            "172.31.255.255", "192.0.0.192", "192.0.2.1", "192.168.0.1", "198.19.255.255", "203.0.113.1", "224.0.0.1",
            "239.255.255.255", "240.0.0.1", "255.255.255.255", "168.63.129.16", "::", "::1", "::127.0.0.1",
            "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b:1::1", "100::1", "2001::1",
            "2001:db8::1", "2002:7f00:1::", "3fff::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fec0::1",
            "ff02::1",
        ]
    )
    func special(address: String) throws {
        let address = try #require(IPAddress(address))
        #expect(try !AddressPolicy.publicOnly.check().allows(address))
        #expect(try AddressPolicy.any.check().allows(address))
    }

    @Test(
        "Public addresses are allowed",
        arguments: [
            "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0",
            "192.0.1.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "168.63.129.17", "::ffff:1.1.1.1",
            "64:ff9b::1.1.1.1", "2606:4700::1111", "2001:200::1", "2003::1", "3ffe::1",
        ]
    )
    func publicAddresses(address: String) throws {
        #expect(try AddressPolicy.publicOnly.check().allows(#require(IPAddress(address))))
    }

    @Test("Exceptions are networks or addresses")
    func exceptions() throws {
        let check = try AddressPolicy.publicOnly.allowing("10.1.0.0/16", "::1").allowing("192.168.1.7").check()
        for address in ["10.1.0.0", "10.1.255.255", "::1", "192.168.1.7", "::ffff:10.1.2.3"] {
            #expect(check.allows(try #require(IPAddress(address))), "\(address)")
        }
        for address in ["10.0.255.255", "10.2.0.0", "::2", "192.168.1.8"] {
            #expect(!check.allows(try #require(IPAddress(address))), "\(address)")
        }
    }

    @Test(
        "A network that can't be read is named",
        arguments: ["10.1.0.0/33", "10.1", "example.com", "", "::1/129", "1.1.1.1/+8"]
    )
    func invalid(network: String) {
        let error = #expect(throws: TransportError.self) {
            var configuration = CurlTransport.Configuration()
            configuration.addressPolicy = .publicOnly.allowing(network)
            _ = try CurlTransport(configuration: configuration)
        }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("“\(network)”") == true)
    }

    private func transport(
        _ policy: AddressPolicy = .publicOnly,
        _ change: (inout CurlTransport.Configuration) -> Void = { _ in }
    ) throws -> CurlTransport {
        var configuration = CurlTransport.Configuration()
        configuration.addressPolicy = policy
        change(&configuration)
        return try CurlTransport(configuration: configuration)
    }

    private func expectRejection(
        by transport: CurlTransport,
        of url: String,
        from server: LoopbackServer
    ) async throws {
        let request = try PreparedRequest(url: RequestURL(url))
        let error = await #expect(throws: TransportError.self) { try await transport.send(request) }
        #expect(error?.code == .addressNotAllowed)
        #expect(error?.requestMayHaveBeenProcessed == false)
        #expect(server.acceptedConnections == 0)
    }

    private func server() throws -> LoopbackServer {
        try LoopbackServer { connection in
            while try connection.readRequest() != nil { try connection.write(LoopbackServer.Answer(204)) }
        }
    }

    @Test(
        "A loopback server isn't reached, whatever its host is called",
        arguments: ["127.0.0.1", "localhost", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]"]
    )
    func loopback(host: String) async throws {
        let server = try server()
        defer { server.stop() }
        try await expectRejection(by: transport(), of: "http://\(host):\(server.port)/", from: server)
    }

    @Test("Neither overridden addresses nor other hosts to connect to get around the policy")
    func overrides() async throws {
        let server = try server()
        defer { server.stop() }
        let port = Int(server.port)
        let addresses = try transport { $0.connections.addresses = [.init("example.com", port): ["127.0.0.1"]] }
        try await expectRejection(by: addresses, of: "http://example.com:\(port)/", from: server)
        let connectTo = try transport { $0.connections.connectTo = [.init("1.1.1.1", 80): .init("127.0.0.1", port)] }
        try await expectRejection(by: connectTo, of: "http://1.1.1.1/", from: server)
    }

    @Test("A redirect to an address that isn't allowed fails")
    func redirect() async throws {
        let location = "http://127.0.0.2/"
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write(LoopbackServer.Answer(302, header: [Field(name: "Location", value: location)]))
        }
        defer { server.stop() }
        let client = Client(transport: try transport(.publicOnly.allowing("127.0.0.1")))
        let api = BaseURL(baseURL: server.baseURL)
        let error = await #expect(throws: TransportError.self) { try await client.send(api.get(.none, from: "/")) }
        #expect(error?.code == .addressNotAllowed)
        #expect(error?.message.contains("127.0.0.2") == true)
        #expect(server.acceptedConnections == 1)
    }

    @Test("An allowed address is reached, and the next address of a host is tried")
    func allowed() async throws {
        let server = try server()
        defer { server.stop() }
        let port = Int(server.port)
        let transport = try transport(.publicOnly.allowing("127.0.0.1")) {
            $0.connections.addresses = [.init("example.com", port): ["127.0.0.2", "127.0.0.1"]]
        }
        let request = try PreparedRequest(url: RequestURL("http://example.com:\(port)/"))
        #expect(try await transport.send(request).head.statusCode == 204)
    }

    @Test("An allowed target isn't an allowed proxy, and an allowed proxy isn't an allowed target")
    func proxyAsTarget() async throws {
        let proxy = try server()
        defer { proxy.stop() }
        func transport(_ policy: AddressPolicy) throws -> CurlTransport {
            try self.transport(policy) { $0.proxy = .http("127.0.0.1", port: Int(proxy.port)) }
        }
        let target = try transport(.publicOnly.allowing("127.0.0.1"))
        try await expectRejection(by: target, of: "http://example.com/", from: proxy)
        let proxies = try transport(.publicOnly.allowingProxies("127.0.0.1"))
        try await expectRejection(by: proxies, of: "http://127.0.0.1:\(proxy.port)/", from: proxy)
        try await expectRejection(by: proxies, of: "http://[::ffff:127.0.0.1]/", from: proxy)
    }

    @Test("A proxy needs an allowed address, and gets no host with an address that isn't")
    func proxy() async throws {
        let proxy = try server()
        defer { proxy.stop() }
        let rejected = try transport { $0.proxy = .http("127.0.0.1", port: Int(proxy.port)) }
        try await expectRejection(by: rejected, of: "http://example.com/", from: proxy)
        let allowed = try transport(.publicOnly.allowingProxies("127.0.0.1")) {
            $0.proxy = .http("127.0.0.1", port: Int(proxy.port))
        }
        try await expectRejection(by: allowed, of: "http://169.254.169.254/latest", from: proxy)
        let request = try PreparedRequest(url: RequestURL("http://example.com/"))
        #expect(try await allowed.send(request).head.statusCode == 204)
    }
}
