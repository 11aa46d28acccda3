import Foundation
import Requests
import RequestsTesting
import Testing

@Suite("Parity in interceptors, failures and logs:", .timeLimit(.minutes(5)))
struct PolicyParityTests {
    private struct Own: Error {}

    /// Sends each request twice, and changes it the second time.
    private struct Twice: Middleware {
        func intercept(_ request: PreparedRequest, next: @escaping Next) async throws -> Response<ResponseBody> {
            var request = request
            _ = try? await next(request)
            request.header.set(.accept(.json))
            return try await next(request)
        }
    }

    private let api = AnonymousRequestProvider("https://h.com")
    private let events = Recorder<LogEvent>()
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

    @Test("interceptors change requests, and a call completes exactly once however often they send them on")
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

    @Test(
        "interceptors mock a response, put an error in its place, and retry after one",
        arguments: [200, 401, 500, 503]
    )
    func errors(status: Int) async throws {
        let transport = StubTransport(script: [.reply(status), .reply(200, text: "sent")])
        let mock = try ResponseHead(statusCode: 200, url: RequestURL("https://h.com"))
        let interceptor = ErrorInterceptor(clock: TestClock(isImmediate: true)) { failure in
            switch failure.head?.statusCode {
            case 401: .replace(mock, Data("mocked".utf8))
            case 500: .fail(Own())
            default: .retry(after: .seconds(1))
            }
        }
        let client = client(over: transport) { $0.middleware = [interceptor] }
        let result = await client.result(of: api.get(.text, from: "/"))
        #expect((try? result.get()) == [200: "", 401: "mocked", 503: "sent"][status])
        if status == 500 { #expect(throws: Own.self) { try result.get() } }
        #expect(failed.count == (status == 500 ? 1 : 0))
    }

    @Test("interceptors are opted out of")
    func optOut() async throws {
        let transport = StubTransport(script: [.reply(200)])
        let client = client(over: transport) { $0.middleware = [Twice()] }
        var request = api.get(.none, from: "/")
        request.options.interception = .off
        try await client.send(request)
        #expect(transport.requests.map(\.header) == [.empty])
    }

    @Test("a global failure hook: onFailure and client.failures are told of each failed call, once")
    func failureHook() async throws {
        let client = client(over: StubTransport(routes: [.get("/a", .reply(404)), .get("/b", .reply(200))])) {
            $0.retries = .fixed(.zero).retrying { _, _ in true }
        }
        let failures = client.failures
        for path in ["/a", "/b", "/c"] { _ = await client.result(of: api.get(.none, from: Endpoint(path: path))) }
        var published: [String] = []
        for await failure in failures.prefix(2) { published.append("\(failure)") }
        #expect(published == failed.recorded)
        #expect(
            published.map { $0.prefix(32) } == [
                "GET https://h.com/a: status: htt", "GET https://h.com/c: unmatched: ",
            ]
        )
    }

    @Test("errors are of four types, for building, exchanging, policies and responses")
    func errorTypes() async throws {
        let transport = StubTransport(routes: [
            .get("/gone", .failure(.nameNotResolved)), .get("/404", .reply(404)),
            .get("/loop", .reply(302, header: [Field(name: .location, value: "/loop")])),
        ])
        let client = client(over: transport)
        await #expect(throws: InvalidRequestURLError.self) { try await client.send(api.get(.none, from: "/..")) }
        let invalid = api.get(.none, from: "/").adding(headerField: Field(name: "X-A", value: "a\r\nX-B: s3cret"))
        let error = await #expect(throws: RequestError.self) { try await client.send(invalid) }
        #expect(error.map { "\($0)".contains("s3cret") } == false)
        await #expect(throws: TransportError.self) { try await client.send(api.get(.none, from: "/gone")) }
        await #expect(throws: ClientError.self) { try await client.send(api.get(.none, from: "/loop")) }
        await #expect(throws: ResponseError.self) { try await client.send(api.get(.none, from: "/404")) }
    }

    @Test("logging: each start has its end, with and without a response; URL and header are redacted")
    func logging() async throws {
        let client = client(over: StubTransport(script: [.failure(.closed), .reply(404), .reply(200)]))
        let request = api.get(.none, from: "/").with(query: ["access_token": "s3cret"])
            .authenticated(with: .bearerToken("s3cret"))
        for request in [request, request, request] { _ = await client.result(of: request) }
        let kinds = events.recorded.compactMap { event -> String? in
            switch event.kind {
            case .started: "start \(event.call)"
            case .succeeded, .failed: "end \(event.call)"
            case .attempt, .retrying: nil
            }
        }
        #expect(kinds == ["start 1", "end 1", "start 2", "end 2", "start 3", "end 3"])
        #expect(!events.recorded.description.contains("s3cret"))
        var shown = api.get(.none, from: "/").adding(headerField: .authorization("Bearer s3cret"))
        shown.options.unredactedNames = [.authorization]
        _ = await client.result(of: shown)
        #expect(events.recorded.filter { "\($0)".contains("Bearer s3cret") }.count == 1)
    }

    @Test("metrics are in the response and in the log, as durations")
    func metrics() async throws {
        var measured = TransferMetrics()
        measured.ended = .milliseconds(1_500)
        let transport = StubTransport { [measured] request in
            var response = try Response.stub(200, for: request)
            response.metrics = measured
            return response
        }
        #expect(try await client(over: transport).response(for: api.get(.none, from: "/")).metrics == measured)
        guard case .succeeded(let outcome) = events.recorded.last?.kind else {
            Issue.record("no end")
            return
        }
        #expect(outcome.metrics == measured)
        #expect(outcome.metrics?.ended == .seconds(1.5))
    }

    @Test("printable requests hide secrets, in a shell's words too; a URL is a literal")
    func printable() throws {
        let request = AnonymousRequestProvider(baseURL: URL("https://h.com/v1")).post(.text("it's"), to: "/a")
            .with(query: ["token": "s3cret"]).authenticated(with: .basicAuth(username: "ada", password: "s3cret"))
        #expect(request.description == "POST https://h.com/v1/a?token=<redacted>")
        let command = try request.curlCommand()
        #expect(command.contains("'Authorization: <redacted>'"))
        #expect(command.contains(#"'it'\''s'"#))
        #expect(try request.curlCommand(revealingSecrets: true).contains("token=s3cret"))
    }

    @Test(
        "pinning: backups and wildcards; a pinned host is reached over TLS alone, and a pin that cannot match is refused"
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
