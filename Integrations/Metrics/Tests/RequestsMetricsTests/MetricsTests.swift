import Foundation
import Metrics
import MetricsTestKit
import RequestsMetrics
import RequestsTesting
import Testing

@Suite("Metrics of a client", .timeLimit(.minutes(5)))
struct MetricsTests {
    private struct Own: Error {}

    private let factory = TestMetrics()
    private let api = BaseURL("https://a.example")
    private let server = [("http.request.method", "GET"), ("server.address", "a.example"), ("server.port", "443")]

    /// A client whose every exchange takes a second.
    private func client(
        _ replies: [StubTransport.Reply],
        configure: (inout Client.Configuration) -> Void = { _ in }
    ) -> Client {
        let clock = TestClock(isImmediate: true)
        var configuration = Client.Configuration()
        configuration.clock = clock
        configuration.log = .metrics(factory: factory)
        configuration.attemptMiddleware = [Advancing(clock: clock)]
        configure(&configuration)
        return Client(transport: StubTransport(script: replies), configuration: configuration)
    }

    private struct Advancing: Middleware {
        let clock: TestClock

        func intercept(
            _ request: PreparedRequest,
            context: CallContext,
            next: @escaping Next
        ) async throws -> Response<ResponseBody> {
            clock.advance(by: .seconds(1))
            return try await next(request)
        }
    }

    private func timers(status: String = "", error: String = "") -> [TestTimer] {
        let outcome = [("http.response.status_code", status), ("error.type", error)]
        return factory.timers(label: "http.client.call.duration", dimensions: server + outcome)
    }

    @Test("A call is measured by method, server and status")
    func success() async throws {
        try await client([.reply(201)]).send(api.get(.none, from: "/a"))
        #expect(timers(status: "201").map(\.values) == [[1_000_000_000]])
    }

    @Test("A failed call is measured by the code of the error, or the type of another error")
    func failures() async {
        let client = client([.failure(.closed), .init { _ in throw Own() }])
        _ = await client.result(of: api.get(.none, from: "/a"))
        _ = await client.result(of: api.get(.none, from: "/a"))
        #expect(timers(error: "closed").map(\.values.count) == [1])
        #expect(timers(error: "Own").map(\.values.count) == [1])
    }

    @Test("A status that isn't accepted is measured with the error")
    func status() async {
        _ = await client([.reply(404)]).result(of: api.get(.none, from: "/a"))
        #expect(timers(status: "404", error: "404").map(\.values.count) == [1])
    }

    @Test("An IPv6 address has no brackets")
    func address() async throws {
        try await client([.reply(200)]).send(BaseURL("http://[::1]:8080").get(.none, from: "/a"))
        #expect(factory.timers.compactMap { $0.dimensions.first { $0.0 == "server.address" }?.1 } == ["::1"])
    }

    @Test("A call is measured once, and each attempt is counted")
    func attempts() async throws {
        let client = client([.redirect(302, to: "/b"), .reply(503), .reply(200)]) { $0.retries = .fixed(.seconds(5)) }
        try await client.send(api.get(.none, from: "/a"))
        #expect(timers(status: "200").map(\.values) == [[8_000_000_000]])
        #expect(factory.counterTotal(label: "http.client.attempts", dimensions: server) == 3)
        #expect(factory.counterTotal(label: "http.client.retries", dimensions: server) == 1)
    }

    @Test("The bytes of response bodies are counted, but not those of streams")
    func bytes() async throws {
        let client = client([.reply(200, text: "12345"), .reply(200, text: "12"), .reply(200, text: "123")])
        try await client.send(api.get(.none, from: "/a"))
        try await client.send(api.get(.none, from: "/a"))
        _ = try await client.stream(api.get(.none, from: "/a"))
        #expect(factory.counterTotal(label: "http.client.response.bytes", dimensions: server) == 7)
    }

    @Test("The time until the response begins is measured if the transport measures it")
    func firstByte() async throws {
        var metrics = TransferMetrics()
        metrics.responseStart = .milliseconds(3)
        let measured = StubTransport.Reply { [metrics] request in
            var response = try Response.stub(200, for: request)
            response.metrics = metrics
            return response
        }
        let client = client([measured, .reply(200)])
        try await client.send(api.get(.none, from: "/a"))
        try await client.send(api.get(.none, from: "/a"))
        let timers = factory.timers(label: "http.client.first_byte.duration", dimensions: server)
        #expect(timers.map(\.values) == [[3_000_000]])
    }

    @Test("A method that OpenTelemetry doesn't know is _OTHER")
    func otherMethod() async throws {
        let client = client([.reply(200), .reply(200)])
        for method: HTTPMethod in ["X-ANY", "QUERY"] {
            try await client.send(api.request(to: "/a", using: method))
        }
        let methods = factory.timers.compactMap { $0.dimensions.first?.1 }
        #expect(Set(methods) == ["_OTHER", "QUERY"])
    }

    @Test("A metric has the same dimensions whatever happens, which Prometheus requires")
    func sameDimensions() async throws {
        let client = client([.reply(200), .reply(404), .failure(.closed)])
        for endpoint: Endpoint in ["/a", "/a", "/a", "/.."] {
            _ = await client.result(of: api.get(.none, from: endpoint))
        }
        let timers = factory.timers(label: "http.client.call.duration")
        #expect(timers.count == 4)
        #expect(Set(timers.map { $0.dimensions.map(\.0) }).count == 1)
    }

    @Test("No dimension contains a path, a query or a credential")
    func dimensions() async throws {
        let request = api.get(.none, from: "/users/\("ada")").with(query: ["token": "s3cret"])
            .authenticated(with: .bearerToken("s3cret"))
        try await client([.reply(200)]).send(request)
        for (_, value) in factory.timers.flatMap(\.dimensions) + factory.counters.flatMap(\.dimensions) {
            #expect(!value.contains("ada"))
            #expect(!value.contains("s3cret"))
        }
    }

    @Test("Without a factory, that of the metrics system is used")
    func systemFactory() async throws {
        try await withMetricsFactory(factory) {
            try await client([.reply(200)]) { $0.log = .metrics() }.send(api.get(.none, from: "/a"))
        }
        #expect(timers(status: "200").count == 1)
    }
}
