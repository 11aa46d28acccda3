import Foundation
import RequestsCurl
import RequestsTesting
import RequestsURLSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Cookbook: transports and tests", .timeLimit(.minutes(5)))
struct TransportRecipes {
    typealias User = Kitchen.User

    let kitchen = Kitchen()
    var api: BaseURL { kitchen.api }

    @Test("Swap the transport")
    func swap() async throws {
        #if os(Linux)
        let transport: any Transport = CurlTransport.shared
        #else
        let transport: any Transport = URLSessionTransport.shared
        #endif
        let client = Client(transport: transport)
        #expect(client.configuration.retries == nil)
        #expect(transport.capabilities.contains(.streamedRequestBodies))
    }

    @Test("Send through the proxy of the environment")
    func proxy() async throws {
        var configuration = CurlTransport.Configuration()
        configuration.proxy = .environment
        let transport = try CurlTransport(configuration: configuration)
        #expect(transport.capabilities.contains(.backPressure))
    }

    @Test("Pin a host's key over each transport")
    func pins() async throws {
        // The current key, and an unused backup.
        let pins: PublicKeyPins = [
            "api.example.com": [
                "x4QzPSC810K5/cMjb05Qm4k3Bw5zBn4lTdO/nEW/Td4=",
                "YLh1dUR9y6Kja30RrAn7JKnbQG/uEtLMkBgFF2Fuihg=",
            ]
        ]
        #if os(Linux)
        var configuration = CurlTransport.Configuration()
        configuration.tls.publicKeyPins = pins
        let transport: any Transport = try CurlTransport(configuration: configuration)
        #else
        var configuration = URLSessionTransport.Configuration()
        configuration.publicKeyPins = pins
        let transport: any Transport = try URLSessionTransport(
            configuration: configuration
        )
        #endif

        // Without TLS, the key can't be checked, so nothing is sent.
        let error = await #expect(throws: TransportError.self) {
            try await Client(transport: transport).send(BaseURL("http://api.example.com").get(.text, from: "/"))
        }
        #expect(error?.code == .unsupported)
        #if os(Linux)
        #expect(throws: TransportError.self, "URLSession on Linux can't check pins.") {
            var ignored = URLSessionTransport.Configuration()
            ignored.publicKeyPins = pins
            _ = try URLSessionTransport(configuration: ignored)
        }
        #endif
    }

    @Test("Fetch URLs of users without reaching your own network")
    func publicOnly() async throws {
        var configuration = CurlTransport.Configuration()
        configuration.addressPolicy = .publicOnly
        let preview = Client(
            transport: try CurlTransport(configuration: configuration)
        )
        let error = await #expect(throws: TransportError.self) {
            try await preview.send(BaseURL("http://127.0.0.1:9").get(.text, from: "/"))
        }
        #expect(error?.code == .addressNotAllowed)
    }

    @Test("Use a request with URLSession")
    func urlRequest() throws {
        let urlRequest: URLRequest = try api.get(json: User.self, from: "/users/1")
            .toURLRequest()
        #expect(urlRequest.url?.absoluteString == "https://api.example.com/users/1")
    }

    @Test("Give a client to a library that takes a closure")
    func closure() async throws {
        let client = kitchen.client(.reply(200, jsonText: Kitchen.ada))
        let fetch: (URLRequest) async throws -> (Data, URLResponse) =
            client.data(for:)
        let (data, _) = try await fetch(
            URLRequest(url: URL("https://api.example.com/users/1"))
        )
        #expect(data == Data(Kitchen.ada.utf8))
    }

    @Test("Test a request without a network")
    func offline() throws {
        let request = api.post(json: ["name": "Ada"], to: "/users")
        let expected = try PreparedRequest(
            method: .post,
            url: RequestURL("https://api.example.com/users"),
            header: [.contentType(.json)],
            body: .data(Data(#"{"name":"Ada"}"#.utf8))
        )
        let difference = try request.prepared().difference(from: expected)
        #expect(difference.isEmpty, "\(difference)")
    }

    @Test("Stub a server in a test")
    func stub() async throws {
        let stub = StubTransport(routes: [
            .get(
                "/users/{id}",
                .reply(
                    200,
                    header: ["ETag": "\"7\""],
                    jsonText: #"{"id": 1, "name": "Ada"}"#
                )
            ),
            .post("/users", .failure(.timedOut(.idle)), then: .reply(201)),
        ])
        let client = Client(transport: stub)
        #expect(
            try await client.send(api.get(json: User.self, from: "/users/1")).name
                == "Ada"
        )
        #expect(stub.requests.count == 1)
    }

    @Test("Stub an API below a base path")
    func basePath() async throws {
        let shop = BaseURL("https://api.example.com/v2/shop")
        let stub = StubTransport(routes: [
            .get(
                "/v2/shop/users/{id}",
                .reply(200, jsonText: #"{"id": 1, "name": "Ada"}"#)
            ),
            .get("/**/orders", .reply(200, jsonText: "[]")),  // below any base path
        ])
        let client = Client(transport: stub)
        #expect(try await client.send(shop.get(json: User.self, from: "/users/1")).name == "Ada")
        #expect(try await client.send(shop.get(.text, from: "/orders")) == "[]")
        try stub.verify()

        let short = StubTransport(routes: [.get("/users/{id}", .reply(200))])
        let error = await #expect(throws: TransportError.self) {
            try await Client(transport: short).send(shop.get(.none, from: "/users/1"))
        }
        #expect(error?.code == .unmatched)
    }

    @Test("Test a wait without waiting")
    func clock() async throws {
        let clock = TestClock(isImmediate: true)
        var configuration = Client.Configuration()
        configuration.clock = clock
        configuration.retries = .fixed(.seconds(5), limit: 1)
        let stub = StubTransport(script: [.reply(503), .reply(200)])
        try await Client(transport: stub, configuration: configuration)
            .send(api.get(.none, from: "/"))
        #expect(clock.sleeps == [.seconds(5)])
    }
}
