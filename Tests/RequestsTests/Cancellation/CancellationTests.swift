import Dispatch
import RequestsTestSupport
import RequestsTesting
import Synchronization
import Testing

@testable import RequestsClient

@Suite("Cancellation of calls", .timeLimit(.minutes(5)))
struct CancellationTests {
    enum Wait: CaseIterable {
        case transport, body, sequence, retry, middleware, attemptMiddleware, authentication, decoder, runner
        case timedTransport, delay, upload, fallback, wrapper, fault, cassette
    }

    private let clock = TestClock()
    private let api = BaseURL("https://a.example")

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
        let waiting = Interception { [clock] request, _, next in
            try await clock.sleep(for: .seconds(1))
            return try await next(request)
        }
        var configuration = Client.Configuration()
        configuration.clock = clock
        switch wait {
        case .retry: configuration.retries = .fixed(.seconds(1))
        case .middleware: configuration.middleware = [waiting]
        case .attemptMiddleware: configuration.attemptMiddleware = [waiting]
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

    @Test("A canceled task sends nothing and throws CancellationError")
    func canceledBefore() async {
        let sent = Recorder<Void>()
        let client = Client(
            transport: StubTransport { request in
                sent.record()
                return try .stub(200, for: request)
            }
        )
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await client.send(api.delete("/"))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(sent.count == 0)
    }

    @Test(
        "Canceling the task during the body throws CancellationError, frees the connection and decodes nothing"
    )
    func canceledWhileReading() async {
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let cancellations = Recorder<Void>()
        let decoded = Recorder<Void>()
        let client = Client(
            transport: StubTransport { request in
                let body = AsyncStream<Data> { continuation in
                    continuation.yield(Data("a part".utf8))
                    start.yield()
                }
                let content = ResponseBody(body, onCancel: { cancellations.record() })
                return Response(head: try ResponseHead(statusCode: 200, url: request.url), content: content)
            }
        )
        let decoder = ResponseDecoder<Void>.reading { _, _ in decoded.record() }
        let task = Task { try await client.send(api.get(decoder, from: "/")) }
        for await _ in started.prefix(1) {}
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(cancellations.count == 1)
        #expect(decoded.count == 0)
    }

    // MARK: Code of others in a call

    /// The order of events, whatever the clock.
    private final class Order: Sendable {
        private let count = Atomic(0)
        private let sent = Atomic(Int.max)

        func next() -> Int { count.add(1, ordering: .sequentiallyConsistent).newValue }
        func send(_ position: Int) { sent.store(position, ordering: .sequentiallyConsistent) }
        var position: Int { sent.load(ordering: .sequentiallyConsistent) }
    }

    @Test("It sends nothing if it starts after its task was canceled")
    func canceledBeforeTheStart() async throws {
        let request = try PreparedRequest(url: RequestURL("https://h/"))
        var late = 0
        for round in 0..<20_000 {
            let (order, state) = (Order(), CallState())
            let task = Task {
                try await CallState.$current.withValue(state) {
                    try await CallState.isolating(endsCall: true) {
                        let position = order.next()
                        try state.begins(request)
                        order.send(position)
                    }
                }
            }
            // Cancels at a different point in each round.
            for _ in 0..<(round % 400) { _ = order.position }
            task.cancel()
            let canceled = order.next()
            _ = await task.result
            // The operation may outlive the call.
            if order.position != .max, order.position > canceled { late += 1 }
        }
        #expect(late == 0)
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
