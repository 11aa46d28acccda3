import Foundation
import Requests
import RequestsClient
import RequestsTesting
import RequestsTestSupport
import Testing

@Suite("`cancelAll()`", .timeLimit(.minutes(5)))
struct CancelAllTests {
    enum Wait: CaseIterable {
        case transport, body, sequence, retry, middleware, attemptMiddleware, authentication, decoder, runner
        case timedTransport, delay, upload, fallback, wrapper, fault, cassette
    }

    private let clock = TestClock()

    @Test("`cancelAll` cancels the call wherever it waits, but not its task", arguments: Wait.allCases)
    func cancels(_ wait: Wait) async throws {
        let client = try client(waitingIn: wait)
        let request = request(waitingIn: wait)
        let task = Task {
            await #expect(throws: CancellationError.self) { try await client.send(request) }
            return Task.isCancelled
        }
        try await clock.waitForSleepers()
        client.cancelAll()
        #expect(await task.value == false)
        #expect(clock.sleeperCount == 0)
    }

    @Test("A call after a canceled one in the same task succeeds")
    func nextCall() async throws {
        let client = try client(waitingIn: .retry)
        let request = request(waitingIn: .retry)
        let task = Task {
            _ = await client.result(of: request)
            return try await client.stream(request.retrying(.never)).head.statusCode
        }
        try await clock.waitForSleepers()
        client.cancelAll()
        #expect(try await task.value == 503)
    }

    @Test("`cancelAll` can be called by a handler of the cancellation")
    func recursion() async throws {
        let canceled = Recorder<Void>()
        let api = BaseURL("https://a.example")
        let shared = Locked<Client?>(nil)
        let client = Client(
            transport: StubTransport { _ in
                try await withTaskCancellationHandler {
                    try await clock.sleep(for: .seconds(1))
                } onCancel: {
                    canceled.record(())
                    shared.withLock { $0 }?.cancelAll()
                }
                throw CancellationError()
            }
        )
        shared.withLock { $0 = client }
        let task = Task { await client.result(of: api.delete("/")) }
        try await clock.waitForSleepers()
        client.cancelAll()
        let result = await task.value
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(canceled.count == 1)
    }

    private func request(waitingIn wait: Wait) -> Request<BaseURL, Data> {
        let api = BaseURL("https://a.example")
        if wait == .timedTransport { return api.get(.data, from: "/").timeouts(idle: .seconds(60)) }
        if wait == .upload {
            let chunks = AsyncThrowingStream<Data, any Error> { [clock] in
                try await clock.sleep(for: .seconds(1))
                return nil
            }
            return api.post(.chunks(chunks), to: "/").receiving(.data)
        }
        guard wait == .decoder else { return api.get(.data, from: "/") }
        let decoder = ResponseDecoder.data.asyncMap { [clock] data in
            try await clock.sleep(for: .seconds(1))
            return data
        }
        return api.get(decoder, from: "/")
    }

    private func client(waitingIn wait: Wait) throws -> Client {
        var configuration = Client.Configuration()
        configuration.clock = clock
        switch wait {
        case .retry: configuration.retries = .fixed(.seconds(1))
        case .middleware: configuration.middleware = [Waiting(clock: clock)]
        case .attemptMiddleware: configuration.attemptMiddleware = [Waiting(clock: clock)]
        case .authentication:
            configuration.authenticate(
                "https://a.example",
                with: .asynchronous { [clock] _ in try await clock.sleep(for: .seconds(1)) }
            )
        default: break
        }
        return try Client(transport: transport(waitingIn: wait), configuration: configuration)
    }

    private func transport(waitingIn wait: Wait) throws -> any Transport {
        let clock = clock
        switch wait {
        case .runner, .body:
            return RunnerTransport { exchange in
                if wait == .runner { try await clock.sleep(for: .seconds(1)) }
                try exchange.respond(with: ResponseHead(statusCode: 200, header: .empty, url: exchange.request.url))
                try await clock.sleep(for: .seconds(1))
            }
        case .delay:
            return StubTransport(script: [.reply(200).delayed(by: .seconds(1), on: clock)])
        case .wrapper: return try Wrapper(base: transport(waitingIn: .retry), clock: clock)
        case .fault:
            let plan = FaultPlan(seed: 1, faults: [:], delay: .fixed(.seconds(1)), clock: clock)
            return try plan.applied(to: transport(waitingIn: .retry))
        case .cassette:
            let file = FileManager.default.temporaryDirectory.appending(path: "requests-\(UUID()).har")
            return try Cassette(file, mode: .record(over: transport(waitingIn: .transport)))
        case .fallback:
            return try StubTransport(routes: [], otherwise: transport(waitingIn: .transport))
        case .transport, .timedTransport:
            return StubTransport { request in
                try await clock.sleep(for: .seconds(1))
                return try .stub(200, for: request)
            }
        case .sequence:
            return StubTransport { request in
                let head = try ResponseHead(statusCode: 200, header: .empty, url: request.url)
                let chunks = AsyncThrowingStream<Data, any Error> {
                    try await clock.sleep(for: .seconds(1))
                    return nil
                }
                return Response(head: head, content: ResponseBody(chunks))
            }
        default:
            return StubTransport { try .stub(wait == .retry ? 503 : 200, for: $0) }
        }
    }
}

private struct Waiting: Middleware {
    let clock: TestClock

    func intercept(
        _ request: PreparedRequest,
        context: CallContext,
        next: @escaping Next
    ) async throws -> Response<ResponseBody> {
        try await clock.sleep(for: .seconds(1))
        return try await next(request)
    }
}

/// A transport that waits by itself, with the capabilities of one that doesn't.
private struct Wrapper: Transport {
    let base: any Transport
    let clock: TestClock

    var capabilities: TransportCapabilities { base.capabilities }

    func send(_ request: PreparedRequest, context: SendContext) async throws -> Response<ResponseBody> {
        try await clock.sleep(for: .seconds(1))
        return try await base.send(request, context: context)
    }
}

private struct RunnerTransport: Transport {
    let capabilities: TransportCapabilities
    private let runner = ExchangeRunner(capabilities: [])
    private let operation: @Sendable (Exchange) async throws -> Void

    init(_ operation: @escaping @Sendable (Exchange) async throws -> Void) {
        capabilities = runner.capabilities
        self.operation = operation
    }

    func send(_ request: PreparedRequest, context: SendContext) async throws -> Response<ResponseBody> {
        try await runner.run(request, context: context, operation)
    }
}
