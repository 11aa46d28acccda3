import Foundation
import Requests
import RequestsClient
import RequestsTesting
import Testing

@Suite("Parity of middleware, failures and logs", .timeLimit(.minutes(5)))
struct PolicyParityTests {
    private struct CustomError: Error {}

    /// Sends each request twice, and changes it the second time.
    private struct Twice: Middleware {
        func intercept(
            _ request: PreparedRequest,
            context: CallContext,
            next: @escaping Next
        ) async throws -> Response<ResponseBody> {
            var request = request
            _ = try? await next(request)
            request.header.set(.accept(.json))
            return try await next(request)
        }
    }

    private let api = AnonymousRequestProvider("https://h.com")
    private let events = Recorder<LogDestination.Event>()
    private let failed = Recorder<String>()

    private func client(
        over transport: StubTransport,
        _ configure: (inout Client.Configuration) -> Void = { _ in }
    ) -> Client {
        var configuration = Client.Configuration()
        configuration.clock = TestClock(isImmediate: true)
        configuration.log = LogDestination { [events] in events.record($0) }
        configuration.onFailure = { [failed] in failed.record("\($0)") }
        configure(&configuration)
        return Client(transport: transport, configuration: configuration)
    }

    @Test("middleware can change and repeat requests, and the call still completes once")
    func change() async throws {
        let transport = StubTransport(script: [.failure(.closed), .reply(200, text: "2")])
        let client = client(over: transport) { $0.middleware = [Twice()] }
        let queue = DispatchQueue(label: "PolicyParityTests")
        let texts = AsyncStream<String?> { continuation in
            client.send(api.get(.text, from: "/"), on: queue) { result in
                continuation.yield(try? result.get())
                queue.async { continuation.finish() }
            }
        }
        #expect(await texts.reduce(into: []) { $0.append($1) } == ["2"])
        #expect(transport.requests.map { $0.header[.accept] } == [nil, "application/json"])
        #expect(failed.count == 0)
    }

    /// Replaces some failures and repeats the request after others.
    private struct Interceptor: Middleware {
        func intercept(
            _ request: PreparedRequest,
            context: CallContext,
            next: @escaping Next
        ) async throws -> Response<ResponseBody> {
            let response = try await next(request)
            switch response.head.statusCode {
            case 401: return try .stub(200, body: Data("mocked".utf8), for: request)
            case 500: throw CustomError()
            case 503:
                try await context.clock.sleep(for: .seconds(1))
                return try await next(request)
            default: return response
            }
        }
    }

    @Test(
        "middleware can replace a failure by a response or another error, or retry",
        arguments: [200, 401, 500, 503]
    )
    func errors(status: Int) async throws {
        let transport = StubTransport(script: [.reply(status), .reply(200, text: "sent")])
        let client = client(over: transport) { $0.middleware = [Interceptor()] }
        let result = await client.result(of: api.get(.text, from: "/"))
        #expect((try? result.get()) == [200: "", 401: "mocked", 503: "sent"][status])
        if status == 500 { #expect(throws: CustomError.self) { try result.get() } }
        #expect(failed.count == (status == 500 ? 1 : 0))
    }

    @Test("a request can opt out of middleware")
    func optOut() async throws {
        let transport = StubTransport(script: [.reply(200)])
        let client = client(over: transport) { $0.middleware = [Twice()] }
        var request = api.get(.none, from: "/")
        request.options.isIntercepted = false
        try await client.send(request)
        #expect(transport.requests.map(\.header) == [.empty])
    }

    @Test("`onFailure` and `failures()` report every failed call once")
    func failureHook() async throws {
        let client = client(over: StubTransport(routes: [.get("/a", .reply(404)), .get("/b", .reply(200))])) {
            $0.retries = .fixed(.zero).retrying { _, _ in true }
        }
        let failures = client.failures()
        for path in ["/a", "/b", "/c"] { _ = await client.result(of: api.get(.none, from: Endpoint(path: path))) }
        var published: [String] = []
        for await failure in failures.prefix(2) { published.append("\(failure)") }
        #expect(published == failed.recorded)
        #expect(
            published.map { $0.prefix(32) } == [
                "GET https://h.com/a: status: GET", "GET https://h.com/c: unmatched: ",
            ]
        )
    }

    @Test("errors have four types, for building, transport, policies and responses")
    func errorTypes() async throws {
        let transport = StubTransport(routes: [
            .get("/gone", .failure(.nameNotResolved)), .get("/404", .reply(404)),
            .get("/loop", .reply(302, header: [Field(name: .location, value: "/loop")])),
        ])
        let client = client(over: transport)
        await #expect(throws: RequestError.self) { try await client.send(api.get(.none, from: "/..")) }
        let invalid = api.get(.none, from: "/").adding(headerField: Field(name: "X-A", value: "a\r\nX-B: s3cret"))
        let error = await #expect(throws: RequestError.self) { try await client.send(invalid) }
        #expect(error.map { "\($0)".contains("s3cret") } == false)
        await #expect(throws: TransportError.self) { try await client.send(api.get(.none, from: "/gone")) }
        await #expect(throws: ClientError.self) { try await client.send(api.get(.none, from: "/loop")) }
        await #expect(throws: ResponseError.self) { try await client.send(api.get(.none, from: "/404")) }
    }

    @Test("every start in the log has an end, and URLs and headers are redacted")
    func logging() async throws {
        let client = client(over: StubTransport(script: [.failure(.closed), .reply(404), .reply(200)]))
        let request = api.get(.none, from: "/").with(query: ["access_token": "s3cret"])
            .authenticated(with: .bearerToken("s3cret"))
        for request in [request, request, request] { _ = await client.result(of: request) }
        let kinds = events.recorded.compactMap { event -> String? in
            switch event.kind {
            case .started: "start \(event.call)"
            case .succeeded, .failed, .canceled: "end \(event.call)"
            case .attempt, .retrying, .message: nil
            }
        }
        #expect(kinds == ["start 1", "end 1", "start 2", "end 2", "start 3", "end 3"])
        #expect(!events.recorded.description.contains("s3cret"))
        var shown = api.get(.none, from: "/").adding(headerField: .authorization("Bearer s3cret"))
        shown.options.unredactedNames = [.authorization]
        _ = await client.result(of: shown)
        #expect(events.recorded.filter { "\($0)".contains("Bearer s3cret") }.count == 1)
    }

    @Test("metrics are durations in the response and in the log")
    func metrics() async throws {
        var measured = TransferMetrics()
        measured.responseEnd = .milliseconds(1_500)
        let transport = StubTransport { [measured] request in
            var response = try Response.stub(200, for: request)
            response.metrics = measured
            return response
        }
        #expect(try await client(over: transport).response(for: api.get(.none, from: "/")).metrics == measured)
        guard case .succeeded(_, _, _, let metrics) = events.recorded.last?.kind else {
            Issue.record("the log has no end of the call")
            return
        }
        #expect(metrics == measured)
        #expect(metrics?.responseEnd == .seconds(1.5))
    }

    @Test("descriptions and curl commands redact secrets and quote text for a shell")
    func printable() throws {
        let request = AnonymousRequestProvider(baseURL: URL("https://h.com/v1")).post(.text("it's"), to: "/a")
            .with(query: ["token": "s3cret"]).authenticated(with: .basicAuth(username: "ada", password: "s3cret"))
        #expect(request.description == "POST https://h.com/v1/a?token=REDACTED")
        let command = try request.curlCommand()
        #expect(command.contains("'Authorization: REDACTED'"))
        #expect(command.contains(#"'it'\''s'"#))
        #expect(try request.curlCommand(revealingSecrets: true).contains("token=s3cret"))
    }

    @Test(
        "pins support backups and wildcards, require TLS, and are rejected if they can't match"
    )
    func pinning() throws {
        let (key, backup) = (Data(count: 32).base64EncodedString(), Data(repeating: 1, count: 32).base64EncodedString())
        let pins: PublicKeyPins = ["*.h.com": [key, backup], "pay.h.com": [backup]]
        try pins.validate()
        #expect(pins["api.h.com"] == [key, backup])
        #expect(pins["pay.h.com"] == [backup])
        #expect(pins["h.com.evil.com"] == nil)
        #expect(throws: TransportError.self) { try pins.check(RequestURL("http://api.h.com")) }
        #expect(throws: TransportError.self) { try PublicKeyPins(["h.com": ["not a hash"]]).validate() }
    }
}
