import Foundation
import Requests
import RequestsClient
import RequestsTesting
import Testing

@Suite("Error interceptor", .timeLimit(.minutes(5)))
struct ErrorInterceptorTests {
    private struct Own: Error {}

    private struct Passing: Middleware {
        func intercept(_ request: PreparedRequest, context: CallContext, next: @escaping Next) async throws -> Response<
            ResponseBody
        > {
            try await next(request)
        }
    }

    private let api = BaseURL("https://a.example")
    private let clock = TestClock(isImmediate: true)
    private let sent = Recorder<Void>()
    private let seen = Recorder<ErrorInterceptor.Failure>()

    private func client(
        _ statuses: [Int?],
        maximumBodyBytes: Int = 64 << 10,
        clock: TestClock? = nil,
        decide: @escaping @Sendable (ErrorInterceptor.Failure) async throws -> ErrorInterceptor.Decision
    ) -> Client {
        var configuration = Client.Configuration()
        configuration.validation = .none
        configuration.clock = clock ?? self.clock
        configuration.middleware = [
            ErrorInterceptor(maximumBodyBytes: maximumBodyBytes) { [seen] failure in
                seen.record(failure)
                return try await decide(failure)
            }
        ]
        let transport = StubTransport { [sent] request in
            sent.record()
            guard let status = statuses[sent.count - 1] else {
                throw TransportError(code: .closed, message: "", phase: .sending)
            }
            return try .stub(status, body: Data("body \(sent.count)".utf8), for: request)
        }
        return Client(transport: transport, configuration: configuration)
    }

    @Test("A successful response isn't passed to the interceptor", arguments: [200, 204, 304, 399])
    func success(status: Int) async throws {
        let client = client([status]) { _ in .fail(Own()) }
        #expect(try await client.send(api.get(.text, from: "/")) == "body 1")
        #expect(seen.count == 0)
    }

    @Test("The interceptor receives the request, head, bytes, error and attempt")
    func sees() async throws {
        let client = client([404, nil, 200]) { _ in .retry(after: .seconds(2)) }
        #expect(try await client.send(api.get(.text, from: "/a")) == "body 3")
        #expect(seen.recorded.map(\.attempt) == [1, 2])
        #expect(seen.recorded.map(\.head?.statusCode) == [404, nil])
        #expect(seen.recorded.map(\.body) == [Data("body 1".utf8), Data()])
        #expect(seen.recorded.map { ($0.error as? TransportError)?.code } == [nil, .closed])
        #expect(seen.recorded.map(\.request.url.path) == ["/a", "/a"])
        #expect(clock.sleeps == [.seconds(2), .seconds(2)])
    }

    @Test("A retry after the total timeout isn't waited for, and the failure is returned")
    func total() async throws {
        let clock = TestClock()
        let client = client([503, 503, 503], clock: clock) { _ in .retry(after: .seconds(4)) }
        let task = Task { try await client.send(api.get(.text, from: "/").timeouts(total: .seconds(10))) }
        try await advanceTwice(clock)
        #expect(try await task.value == "body 3")
        #expect(clock.sleeps.sorted() == [.seconds(4), .seconds(4), .seconds(10)])
    }

    /// Ends the waits before two retries, while the total timeout goes on.
    private func advanceTwice(_ clock: TestClock) async throws {
        for _ in 0..<2 {
            try await clock.waitForSleepers(2)
            clock.advance(by: .seconds(4))
        }
    }

    @Test("The wait before a retry uses the client's clock")
    func clocks() async throws {
        let decide: @Sendable (ErrorInterceptor.Failure) -> ErrorInterceptor.Decision = { _ in
            .retry(after: .seconds(4))
        }
        let clock = TestClock()
        var configuration = Client.Configuration()
        configuration.clock = clock
        configuration.timeouts.total = .seconds(10)
        configuration.middleware = [Passing(), ErrorInterceptor(decide: decide)]
        // The stub's clock stands still. Otherwise a busy machine could reach the rest of the total timeout there.
        let transport = StubTransport(clock: TestClock()) { [sent] request in
            sent.record()
            return try .stub(503, for: request)
        }
        let client = Client(transport: transport, configuration: configuration)
        let task = Task { try await client.send(api.get(.none, from: "/")) }
        try await advanceTwice(clock)
        await #expect(throws: ResponseError.self) { try await task.value }
        #expect(sent.count == 3, "the rest of the total timeout is too short for another wait")
        #expect(clock.sleeps.sorted() == [.seconds(4), .seconds(4), .seconds(10)])
    }

    @Test("`proceed` returns the failure with its whole body", arguments: [0, 3, 6, 100])
    func proceeds(maximumBodyBytes: Int) async throws {
        let client = client([500, 500, nil], maximumBodyBytes: maximumBodyBytes) { _ in .proceed }
        #expect(try await client.send(api.get(.text, from: "/")) == "body 1")
        var text = ""
        for try await chunk in try await client.stream(api.get(.text, from: "/")).content {
            text += String(decoding: chunk, as: UTF8.self)
        }
        #expect(text == "body 2")
        #expect(seen.recorded.map(\.body.count) == Array(repeating: min(maximumBodyBytes, 6), count: 2))
        await #expect(throws: TransportError.self) { try await client.send(api.delete("/")) }
    }

    @Test("`replace` and `fail` return another response or error")
    func replaces() async throws {
        let head = try ResponseHead(statusCode: 200, url: RequestURL("https://other.example"))
        let replacing = client([500, 500]) { $0.attempt == 1 ? .replace(head, Data("other".utf8)) : .proceed }
        let response = try await replacing.response(for: api.get(.text, from: "/"))
        #expect(response.content == "other")
        #expect(response.head == head)
        let failing = client([500, nil, 500]) { _ in .fail(Own()) }
        await #expect(throws: Own.self) { try await failing.send(api.delete("/")) }
        let throwing = client([500, nil, 500, 500]) { _ in throw Own() }
        await #expect(throws: Own.self) { try await throwing.send(api.delete("/")) }
    }

    @Test("A body that can be read only once isn't sent again")
    func oneShot() async throws {
        let client = client([500]) { _ in .retry(after: .zero) }
        let request = api.post(BodyProvider { _ in .oneShot(Data()) }, to: "/")
        #expect(try await client.response(for: request).head.statusCode == 500)
        #expect(sent.count == 1)
    }

    @Test("A canceled call isn't passed to the interceptor")
    func canceled() async throws {
        var configuration = Client.Configuration()
        configuration.middleware = [ErrorInterceptor { _ in .fail(Own()) }]
        let client = Client(transport: StubTransport { _ in throw CancellationError() }, configuration: configuration)
        await #expect(throws: CancellationError.self) { try await client.send(api.delete("/")) }
    }

    @Test("A body above the limit of `collect` throws, and dropped bodies are canceled")
    func limits() async throws {
        let canceled = Recorder<Void>()
        let transport = StubTransport { request in
            let body = AsyncStream<Data> { continuation in
                for _ in 0..<4 { continuation.yield(Data(count: 10)) }
            }
            let content = ResponseBody(body, onCancel: { canceled.record() })
            return Response(head: try ResponseHead(statusCode: 500, url: request.url), content: content)
        }
        var configuration = Client.Configuration()
        configuration.maximumBodyBytes = 15
        configuration.middleware = [ErrorInterceptor(maximumBodyBytes: 20) { _ in .proceed }]
        let client = Client(transport: transport, configuration: configuration)
        let error = await #expect(throws: TransportError.self) { try await client.send(api.delete("/")) }
        #expect(error?.code == .tooLarge)
        #expect(canceled.count == 1)
        configuration.middleware = [ErrorInterceptor(maximumBodyBytes: 20) { _ in .fail(Own()) }]
        let failing = Client(transport: transport, configuration: configuration)
        await #expect(throws: Own.self) { try await failing.send(api.delete("/")) }
        #expect(canceled.count == 2)
    }
}
