import Foundation
import InMemoryTracing
import RequestsTesting
import RequestsTracing
import Testing
import Tracing

@Suite("Traces of a client", .timeLimit(.minutes(5)))
struct TracingTests {
    private struct Own: Error, CustomStringConvertible {
        var description: String { "s3cret" }
    }

    private let tracer = InMemoryTracer()
    private let api = BaseURL("https://a.example")

    private func client(
        _ transport: StubTransport,
        configure: (inout Client.Configuration) -> Void = { _ in }
    ) -> Client {
        var configuration = Client.Configuration()
        configuration.clock = TestClock(isImmediate: true)
        configure(&configuration)
        configuration.trace(with: tracer)
        return Client(transport: transport, configuration: configuration)
    }

    private func client(
        _ replies: [StubTransport.Reply],
        configure: (inout Client.Configuration) -> Void = { _ in }
    ) -> Client {
        client(StubTransport(script: replies), configure: configure)
    }

    private var call: FinishedInMemorySpan? { tracer.finishedSpans.first { $0.kind == .internal } }

    /// The spans of the exchanges, oldest first.
    private var exchanges: [FinishedInMemorySpan] { tracer.finishedSpans.filter { $0.kind == .client } }

    private func value(_ name: String, of span: FinishedInMemorySpan?) -> SpanAttribute? { span?.attributes.get(name) }

    @Test("A call has a span that contains the span of its exchange")
    func spans() async throws {
        try await client([.reply(200)]).send(api.get(.none, from: "/a"))
        #expect(tracer.finishedSpans.map(\.operationName) == ["GET /a", "GET /a"])
        #expect(exchanges.map(\.parentSpanID) == [call?.spanID])
        #expect(tracer.activeSpans.isEmpty)
    }

    @Test("The spans are part of the caller's trace")
    func parent() async throws {
        try await tracer.withSpan("caller") { span in
            try await client([.reply(200)]).send(api.get(.none, from: "/a"))
            #expect(call?.parentSpanID == span.spanID)
            #expect(exchanges.map(\.traceID) == [span.traceID])
        }
    }

    @Test("A span has the attributes of OpenTelemetry")
    func attributes() async throws {
        try await client([.reply(201)]).send(api.post(.text("x"), to: "/a"))
        let span = try #require(exchanges.first)
        #expect(
            span.attributes == [
                "http.request.method": "POST", "server.address": "a.example", "server.port": 443,
                "url.full": "https://a.example/a", "url.template": "/a", "http.response.status_code": 201,
                "network.protocol.version": "1.1",
            ]
        )
        #expect(call?.attributes == span.attributes)
        #expect(span.status == nil)
    }

    @Test("An IPv6 address has no brackets, and a port is a number")
    func address() async throws {
        let api = BaseURL("http://[::1]:8080")
        try await client([.reply(200)]).send(api.get(.none, from: "/a"))
        #expect(value("server.address", of: exchanges.first) == "::1")
        #expect(value("server.port", of: exchanges.first) == 8080)
    }

    @Test(
        "HTTP versions have the names of OpenTelemetry",
        arguments: [(HTTPVersion.http1_0, "1.0"), (.http1_1, "1.1"), (.http2, "2")]
    )
    func versions(version: HTTPVersion, name: String) async throws {
        let transport = StubTransport { request in
            let head = try ResponseHead(statusCode: 200, url: request.url, httpVersion: version)
            return Response(head: head, content: ResponseBody(Data()))
        }
        try await client(transport).send(api.get(.none, from: "/a"))
        #expect(value("network.protocol.version", of: exchanges.first) == .string(name))
    }

    @Test("A method that OpenTelemetry doesn't know is _OTHER")
    func otherMethod() async throws {
        try await client([.reply(200)]).send(api.request(to: "/a", using: "PURGE"))
        #expect(tracer.finishedSpans.map(\.operationName) == ["HTTP /a", "HTTP /a"])
        #expect(value("http.request.method", of: exchanges.first) == "_OTHER")
        #expect(value("http.request.method_original", of: exchanges.first) == "PURGE")
    }

    @Test("Retries, redirects and challenges are exchanges of one call, and all but the first are counted")
    func resends() async throws {
        let challenge: Header = [Field(name: .wwwAuthenticate, value: #"Digest realm="r", nonce="n", qop="auth""#)]
        let client = client([.reply(503), .redirect(302, to: "/b"), .reply(401, header: challenge), .reply(200)]) {
            $0.retries = .fixed(.seconds(1))
            $0.authenticate("https://a.example", with: .digest(username: "ada", password: "s3cret"))
        }
        try await client.send(api.get(.none, from: "/a"))
        #expect(exchanges.map { value("http.request.resend_count", of: $0) } == [nil, 1, 2, 3])
        #expect(exchanges.map { value("http.response.status_code", of: $0) } == [503, 302, 401, 200])
        #expect(value("url.full", of: exchanges.last) == "https://a.example/b")
        #expect(exchanges.map(\.operationName) == ["GET /a", "GET /a", "GET", "GET"])
        #expect(value("http.response.status_code", of: call) == 200)
        #expect(Set(exchanges.map(\.parentSpanID)) == [call?.spanID])
    }

    @Test("Concurrent calls count their own exchanges")
    func concurrentCalls() async throws {
        let transport = StubTransport { request in
            try request.url.path == "/b"
                ? .stub(200, for: request)
                : .stub(302, header: [Field(name: .location, value: "/b")], for: request)
        }
        let client = client(transport)
        try await withThrowingTaskGroup { group in
            for _ in 0..<20 {
                group.addTask { [api] in try await client.send(api.get(.none, from: "/a")) }
            }
            try await group.waitForAll()
        }
        let counts = exchanges.map { value("http.request.resend_count", of: $0) }
        #expect(counts.filter { $0 == nil }.count == 20)
        #expect(counts.filter { $0 == 1 }.count == 20)
    }

    @Test("Each request carries the context of its own span")
    func injection() async throws {
        let transport = StubTransport(script: [.redirect(302, to: "/b"), .reply(200)])
        try await client(transport).send(api.get(.none, from: "/a"))
        let field = Field.Name(InMemoryTracer.spanIDKey)
        #expect(transport.requests.map { $0.header[values: field] } == exchanges.map { [$0.spanID] })
        let trace = Field.Name(InMemoryTracer.traceIDKey)
        #expect(transport.requests.map { $0.header[trace] } == exchanges.map(\.traceID))
    }

    @Test("Code that runs in the call sees its span")
    func currentSpan() async throws {
        struct Nested: Middleware {
            let tracer: InMemoryTracer

            func intercept(
                _ request: PreparedRequest,
                context: CallContext,
                next: @escaping Next
            ) async throws -> Response<ResponseBody> {
                try await tracer.withSpan("nested") { _ in try await next(request) }
            }
        }
        try await client([.reply(200)]) { $0.attemptMiddleware = [Nested(tracer: tracer)] }
            .send(api.get(.none, from: "/a"))
        let nested = tracer.finishedSpans.first { $0.operationName == "nested" }
        #expect(nested?.parentSpanID == exchanges.first?.spanID)
    }

    @Test("A status of 400 or above is an error", arguments: [(399, nil), (400, "400"), (503, "503")])
    func statuses(code: Int, type: String?) async throws {
        _ = await client([.reply(code)]).result(of: api.get(.none, from: "/a"))
        for span in tracer.finishedSpans {
            #expect(value("error.type", of: span) == type.map { .string($0) })
            #expect(span.status?.code == (type == nil ? nil : .error))
        }
    }

    @Test("A failure is recorded with its code, its type and its message")
    func failure() async throws {
        _ = await client([.failure(.closed)]).result(of: api.get(.none, from: "/a"))
        #expect(tracer.finishedSpans.count == 2)
        for span in tracer.finishedSpans {
            #expect(value("error.type", of: span) == "closed")
            #expect(span.status?.code == .error)
            let error = try #require(span.errors.first)
            #expect(error.attributes.get("exception.type") == "TransportError")
            #expect("\(error.error)".hasPrefix("closed: "))
        }
    }

    @Test("Of errors that aren't the library's, only the type is recorded")
    func foreignError() async throws {
        _ = await client([.init { _ in throw Own() }]).result(of: api.get(.none, from: "/a"))
        for span in tracer.finishedSpans {
            #expect(value("error.type", of: span) == "Own")
            #expect(span.status == SpanStatus(code: .error, message: "Own"))
            #expect(span.errors.map { "\($0.error)" } == ["Own"])
        }
    }

    @Test("No secret is recorded in URLs, headers and errors")
    func secrets() async throws {
        let request = api.get(.none, from: "/a").with(query: ["token": "s3cret"])
            .adding(headerField: .cookie(["session": "s3cret"]))
            .authenticated(with: .apiKey("s3cret", inQuery: "own"))
        _ = await client([.reply(500)]).result(of: request)
        _ = await client([.init { _ in throw Own() }]).result(of: request)
        #expect(value("url.full", of: exchanges.first) == "https://a.example/a?token=REDACTED&own=REDACTED")
        var text = ""
        dump(tracer.finishedSpans, to: &text)
        #expect(!text.contains("s3cret"))
    }

    @Test("A canceled call ends its spans")
    func cancellation() async throws {
        let transport = StubTransport { _ in throw CancellationError() }
        _ = await client(transport).result(of: api.get(.none, from: "/a"))
        #expect(tracer.activeSpans.isEmpty)
        #expect(tracer.finishedSpans.map { value("error.type", of: $0) } == ["CancellationError", "CancellationError"])
    }

    @Test("A request without interception isn't traced")
    func notIntercepted() async throws {
        var request = api.get(.none, from: "/a")
        request.options.isIntercepted = false
        try await client([.reply(200)]).send(request)
        #expect(tracer.finishedSpans.isEmpty)
    }

    @Test("Without a tracer, that of the instrumentation system is used at the time of the call")
    func systemTracer() async throws {
        var configuration = Client.Configuration()
        configuration.trace()
        let client = Client(transport: StubTransport(script: [.reply(200)]), configuration: configuration)
        try await withTracer(tracer) { try await client.send(api.get(.none, from: "/a")) }
        #expect(tracer.finishedSpans.count == 2)
    }
}
