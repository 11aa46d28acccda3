import Foundation
import Requests
import RequestsClient
import RequestsTesting
import Testing

@Suite("Parity of calls", .timeLimit(.minutes(5)))
struct CallParityTests {
    private static let key = DispatchSpecificKey<Bool>()

    private let api = AnonymousRequestProvider("https://h.com")
    private let clock = TestClock()
    private let queue = DispatchQueue(label: "CallParityTests")

    private func client(
        over transport: StubTransport,
        _ configure: (inout Client.Configuration) -> Void = { _ in }
    ) -> Client {
        var configuration = Client.Configuration()
        configuration.clock = clock
        configure(&configuration)
        return Client(transport: transport, configuration: configuration)
    }

    @Test("a completion handler runs once, on the given queue")
    func callbacks() async throws {
        queue.setSpecific(key: Self.key, value: true)
        let client = client(over: StubTransport(routes: [.get("/", .reply(200, text: "hello"))]))
        let texts = AsyncStream<String?> { continuation in
            client.send(api.get(.text, from: "/"), on: queue) { result in
                #expect(DispatchQueue.getSpecific(key: Self.key) == true)
                continuation.yield(try? result.get())
                // A second completion would run before this.
                queue.async { continuation.finish() }
            }
        }
        #expect(await texts.reduce(into: []) { $0.append($1) } == ["hello"])
    }

    @Test("async calls return the resource, or the response with its head")
    func async() async throws {
        let client = client(over: StubTransport(routes: [.get("/", .reply(202, text: "hello"))]))
        #expect(try await client.send(api.get(.text, from: "/")) == "hello")
        #expect(try await client.response(for: api.get(.text, from: "/")).head.statusCode == 202)
    }

    @Test("cancelling one call ends its wait before a retry")
    func cancelOne() async throws {
        let transport = StubTransport(script: [.reply(503), .reply(200)])
        let client = client(over: transport) { $0.retries = .fixed(.seconds(5)) }
        await #expect(throws: CancellationError.self) {
            try await withCheckedThrowingContinuation { continuation in
                let handle = client.send(api.get(.none, from: "/"), on: queue) { continuation.resume(with: $0) }
                Task {
                    try await clock.waitForSleepers()
                    handle.cancel()
                }
            }
        }
        #expect(transport.requests.count == 1)
        #expect(clock.sleeperCount == 0)
    }

    @Test("cancelling all calls ends their waits before retries")
    func cancelAll() async throws {
        let transport = StubTransport { try .stub(503, for: $0) }
        let client = client(over: transport) { $0.retries = .fixed(.seconds(5)) }
        let tasks = (0..<3).map { _ in Task { try await client.send(api.get(.none, from: "/")) } }
        try await clock.waitForSleepers(3)
        client.cancelAll()
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
        #expect(transport.requests.count == 3)
    }

    @Test("the retry limit counts retries, waits aren't rounded, and the caller gets the last error")
    func retry() async throws {
        let immediate = TestClock(isImmediate: true)
        let transport = StubTransport(script: [.failure(.closed), .reply(503), .failure(.truncated), .reply(200)])
        let client = client(over: transport) {
            $0.clock = immediate
            $0.retries = .fixed(.milliseconds(1_750), limit: 2)
        }
        let error = await #expect(throws: TransportError.self) { try await client.send(api.get(.none, from: "/")) }
        #expect(error?.code == .truncated)
        #expect(transport.requests.count == 3)
        #expect(immediate.sleeps == [.milliseconds(1_750), .milliseconds(1_750)])
    }

    @Test("cancelled requests, unsafe requests and requests with .never aren't retried", arguments: [0, 1, 2])
    func noRetry(index: Int) async throws {
        let cancelled = StubTransport.Reply { _ in throw CancellationError() }
        let transport = StubTransport(script: [index == 0 ? cancelled : .reply(503), .reply(200)])
        let client = client(over: transport) { $0.retries = .fixed(.zero).retrying { _, _ in true } }
        switch index {
        case 0: await #expect(throws: CancellationError.self) { try await client.send(api.get(.none, from: "/")) }
        case 1:
            let request = api.post(.none, to: "/").retrying(.fixed(.zero))
            await #expect(throws: ResponseError.self) { try await client.send(request) }
        default: await #expect(throws: ResponseError.self) { try await client.send(api.delete("/").retrying(.never)) }
        }
        #expect(transport.requests.count == 1)
    }

    @Test("responses can be mocked by files, routes and middleware")
    func mocks() async throws {
        struct Offline: Middleware {
            func intercept(
                _ request: PreparedRequest,
                context: CallContext,
                next: @escaping Next
            ) async throws -> Response<ResponseBody> {
                try .stub(200, jsonText: #"["offline"]"#, for: request)
            }
        }
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
        try Data(#"["file"]"#.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let transport = StubTransport(routes: [
            .get("/file", .reply(200, file: file)), .get("/users/{id}", .reply(200, json: ["route"])),
        ])
        let client = client(over: transport)
        #expect(try await client.send(api.get(json: [String].self, from: "/file")) == ["file"])
        #expect(try await client.send(api.get(json: [String].self, from: "/users/7")) == ["route"])
        let offline = self.client(over: transport) { $0.middleware = [Offline()] }
        #expect(try await offline.send(api.get(json: [String].self, from: "/other")) == ["offline"])
        #expect(transport.requests.count == 2)
    }
}
