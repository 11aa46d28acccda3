import Foundation
import Requests
import RequestsTesting
import Testing

@Suite("Parity in calls:", .timeLimit(.minutes(5)))
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

    @Test("callbacks with queues: the completion runs on the queue that was named, once")
    func callbacks() async throws {
        queue.setSpecific(key: Self.key, value: true)
        let client = client(over: StubTransport(routes: [.get("/", .reply(200, text: "hello"))]))
        let texts = AsyncStream<String?> { continuation in
            client.send(api.get(.text, from: "/"), on: queue) { result in
                #expect(DispatchQueue.getSpecific(key: Self.key) == true)
                continuation.yield(try? result.get())
                // A second completion would come before this.
                queue.async { continuation.finish() }
            }
        }
        #expect(await texts.reduce(into: []) { $0.append($1) } == ["hello"])
    }

    @Test("async: the resource, or the response with its head")
    func async() async throws {
        let client = client(over: StubTransport(routes: [.get("/", .reply(202, text: "hello"))]))
        #expect(try await client.send(api.get(.text, from: "/")) == "hello")
        #expect(try await client.response(for: api.get(.text, from: "/")).head.statusCode == 202)
    }

    @Test("cancel one: the wait before a retry ends, and no retry follows")
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

    @Test("cancel all: the calls end however they were begun, their retries with them")
    func cancelAll() async throws {
        let transport = StubTransport { try .stub(503, for: $0) }
        let client = client(over: transport) { $0.retries = .fixed(.seconds(5)) }
        let tasks = (0..<3).map { _ in Task { try await client.send(api.get(.none, from: "/")) } }
        try await clock.waitForSleepers(3)
        client.cancelAll()
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
        #expect(transport.requests.count == 3)
    }

    @Test("retry: the limit counts retries, waits are whole, and the last error is the caller's")
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

    @Test("retry: not what was cancelled, nor what could be done twice, nor what forbids it", arguments: [0, 1, 2])
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

    @Test("mocked responses: from a file, from routes, and from middleware")
    func mocks() async throws {
        struct Offline: Middleware {
            func intercept(_ request: PreparedRequest, next: @escaping Next) async throws -> Response<ResponseBody> {
                try .stub(200, json: #"["offline"]"#, for: request)
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
