import RequestsTesting
import Testing

@Suite("Order of a client's policies", .timeLimit(.minutes(5)))
struct ClientExchangeTests {
    private func spy(_ name: String) -> Interception {
        Interception { [events] request, _, next in
            events.record("\(name) \(request.url.path) \(request.header[.authorization] ?? "-")")
            let response = try await next(request)
            events.record("\(name) \(response.head.statusCode)")
            return response
        }
    }

    private let api = BaseURL("https://a.example")
    private let events = Recorder<String>()

    /// `/1` redirects to `/2`, which is unavailable the first time.
    private func client(configure: (inout Client.Configuration) -> Void) -> Client {
        var configuration = Client.Configuration()
        configuration.middleware = [spy("outer"), spy("inner")]
        configuration.attemptMiddleware = [spy("first"), spy("second")]
        configuration.clock = TestClock(isImmediate: true)
        configuration.retries = .fixed(.seconds(1))
        configure(&configuration)
        let transport = StubTransport { [events] request in
            let isFirst = !events.recorded.contains("transport \(request.url.path)")
            events.record("transport \(request.url.path)")
            if request.url.path == "/1" {
                return try .stub(302, header: [Field(name: .location, value: "/2")], for: request)
            }
            return try .stub(isFirst ? 503 : 200, for: request)
        }
        return Client(transport: transport, configuration: configuration)
    }

    @Test("The order is middleware, redirects, retries, authentication, exchange middleware, transport")
    func order() async throws {
        let authentication = AuthenticationProvider { [events] header in
            events.record("authentication")
            header.set(.authorization("t"))
        }
        try await client { _ in }.send(api.get(.none, from: "/1").authenticated(with: authentication))
        let redirect = [
            "authentication", "first /1 t", "second /1 t", "transport /1", "second 302", "first 302",
        ]
        let failure = ["authentication", "first /2 t", "second /2 t", "transport /2", "second 503", "first 503"]
        let success = ["authentication", "first /2 t", "second /2 t", "transport /2", "second 200", "first 200"]
        #expect(
            events.recorded == ["outer /1 -", "inner /1 -"] + redirect + failure + success + ["inner 200", "outer 200"]
        )
    }

    @Test("A request without interception bypasses the middleware and nothing else")
    func notIntercepted() async throws {
        var request = api.get(.none, from: "/1")
        request.options.isIntercepted = false
        try await client { _ in }.send(request)
        #expect(events.recorded == ["transport /1", "transport /2", "transport /2"])
    }

    @Test("Middleware can respond itself, change the request, send it more than once, and throw")
    func freedom() async throws {
        struct Own: Error {}
        let free = Interception { request, _, next in
            if request.url.path == "/fail" { throw Own() }
            if request.url.path == "/mock" { return try .stub(200, body: Data("mock".utf8), for: request) }
            var changed = request
            changed.method = .put
            _ = try await next(request)
            return try await next(changed)
        }
        let stub = StubTransport { try .stub(200, for: $0) }
        let client = stub.client { $0.middleware = [free] }
        #expect(try await client.send(api.get(.text, from: "/mock")) == "mock")
        await #expect(throws: Own.self) { try await client.send(api.delete("/fail")) }
        #expect(stub.requests.isEmpty)
        try await client.send(api.delete("/"))
        #expect(stub.requests.map(\.method) == [.delete, .put])
    }

    @Test("A request's authentication replaces the client's")
    func authentication() async throws {
        let client = client {
            $0.middleware = []
            $0.attemptMiddleware = [spy("seen")]
            $0.authenticate("https://a.example", with: .bearerToken("client"))
        }
        try await client.send(api.get(.none, from: "/3"))
        try await client.send(api.get(.none, from: "/4").authenticated(with: .bearerToken("own")))
        try await client.send(api.get(.none, from: "/5").authenticated(with: .none))
        try await client.send(api.get(.none, from: "/6").authenticated(with: .inherited))
        try await client.send(api.get(.none, from: "/7").adding(headerField: .authorization("Own field")))
        #expect(
            Set(events.recorded.filter { $0.hasPrefix("seen /") }) == [
                "seen /3 Bearer client", "seen /4 Bearer own", "seen /5 -",
                "seen /6 Bearer client", "seen /7 Own field",
            ]
        )
    }
}
