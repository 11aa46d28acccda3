import Foundation
import RequestsTesting
import Testing

#if os(Linux)
import RequestsClient
import Runtime
import Testing

@Suite("Client", .timeLimit(.minutes(5)))
struct ClientTests {
    private struct User: Codable, Equatable, Sendable {
        var id: Int
    }

    private let api = BaseURL("https://api.example.com")
    private let sent = Recorder<PreparedRequest>()

    private func client(
        _ status: Int = 200,
        header: Header = [],
        body: String = "",
        configuration: Client.Configuration = .init()
    ) -> Client {
        let transport = StubTransport { [sent] request in
            sent.record(request)
            return try .stub(status, header: header, body: Data(body.utf8), for: request)
        }
        return Client(transport: transport, configuration: configuration)
    }

    @Test("The client sends what `prepared()` builds and decodes the response")
    func send() async throws {
        let request = api.post(.text("hello"), to: "/a/\("b/c")").with(query: ["q": "1"]).receiving(
            .json(User.self)
        )
        .authenticated(with: .bearerToken("t"))
        #expect(try await client(body: #"{"id":1}"#).send(request) == User(id: 1))
        #expect(try sent.recorded == [request.prepared()])
    }

    @Test("The response contains the head and the decoded content")
    func response() async throws {
        let response = try await client(201, header: [Field(name: "X", value: "1")], body: "[1]")
            .response(for: api.get(json: [Int].self, from: "/a"))
        #expect(response.content == [1])
        #expect(response.head.statusCode == 201)
        #expect(response.head.header == [Field(name: "X", value: "1")])
        #expect(response.head.url.text == "https://api.example.com/a")
        #expect(response.history.isEmpty)
    }

    @Test("The response contains the metrics of the whole body if the transport measures it")
    func metrics() async throws {
        var known = TransferMetrics()
        known.responseStart = .milliseconds(5)
        var whole = known
        whole.responseEnd = .milliseconds(9)
        for (ofBody, expected) in [(nil, known), (whole, whole)] {
            let transport = StubTransport { [known] request in
                let channel = BodyChannel(from: request.url, highWater: 10)
                channel.metrics = ofBody.map { TransferMetrics.Boxed($0) }
                channel.finish(.success(nil))
                let body = ResponseBody(source: ChannelSource(channel, owner: nil))
                return Response(
                    head: try ResponseHead(statusCode: 200, url: request.url),
                    content: body,
                    metrics: known
                )
            }
            let response = try await Client(transport: transport).response(for: api.get(.data, from: "/a"))
            #expect(response.metrics == expected)
        }
    }

    @Test("A Void resource ignores the body", arguments: ["", "not JSON", "\0"])
    func void(body: String) async throws {
        try await client(body: body).send(api.delete("/a"))
        #expect(sent.count == 1)
    }

    @Test("A request that can't be built isn't sent")
    func unbuildable() async throws {
        let client = client()
        await #expect(throws: RequestError.self) { try await client.send(api.get(.data, from: "/..")) }
        await #expect(throws: RequestError.self) { try await client.send(api.request(to: "/", using: "a b")) }
        let field = Field(name: "X", value: "a\nb")
        await #expect(throws: RequestError.self) {
            try await client.send(api.get(.data, from: "/").adding(headerField: field))
        }
        #expect(sent.count == 0)
    }

    @Test("Decoding doesn't run on the caller's actor")
    func decodingOffTheActor() async throws {
        try await Caller().check(client())
    }

    @Test("A copy with another configuration shares the transport")
    func copy() async throws {
        let first = client(404)
        var second = first
        second.configuration.validation = .none
        await #expect(throws: ResponseError.self) { try await first.send(api.delete("/")) }
        try await second.send(api.delete("/"))
        #expect(sent.count == 2)
    }

    // MARK: The functions of a call

    /// A transport that records which functions of the client wait for it.
    private struct Probe: Transport, EndsWithCall {
        let capabilities: TransportCapabilities = []
        let waiting = Recorder<[String]>()

        func send(_ request: PreparedRequest, context: SendContext) async throws -> Response<ResponseBody> {
            // Before its first suspension, a function runs on the stack of its callers, which isn't unwound.
            await Task.yield()
            let frames = try Backtrace.capture(limit: 100).symbolicated()?.frames ?? []
            // Thunks convert between calling conventions. The compiler decides how many there are.
            let functions = frames.compactMap(\.symbol).filter { !$0.isSwiftThunk && $0.rawName.hasPrefix(module) }
            waiting.record(functions.map(\.name))
            throw CancellationError()
        }

        private let module = "$s14RequestsClient"
    }

    @Test("At most 6 functions are between `send` and the transport", arguments: [true, false])
    func depth(isPrepared: Bool) async throws {
        let probe = Probe()
        let client = Client(transport: probe)
        let request = AnonymousRequestProvider("https://h.example").get(.none, from: "/")
        await #expect(throws: CancellationError.self) {
            if isPrepared { _ = try await client.send(request.prepared()) } else { try await client.send(request) }
        }
        let functions = try #require(probe.waiting.recorded.first)
        try #require(functions.last?.contains("send") == true, "\(functions)")
        #expect(functions.dropLast().count <= 6, "\(functions)")
    }
}

/// An actor that knows whether code runs on it.
private actor Caller {
    private static let key = DispatchSpecificKey<Bool>()

    private final class Executor: SerialExecutor {
        let queue = DispatchQueue(label: "ClientTests.Caller")

        init() {
            queue.setSpecific(key: key, value: true)
        }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
    }

    private let executor = Executor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func check(_ client: Client) async throws {
        let whereItRuns = ResponseDecoder<Bool>.reading { _, _ in
            DispatchQueue.getSpecific(key: Caller.key) ?? false
        }
        let head = try ResponseHead(statusCode: 200, url: RequestURL("https://h"))
        #expect(try whereItRuns.decode(head, Data()))
        #expect(try await client.send(BaseURL("https://h").get(whereItRuns, from: "/")) == false)
    }
}

#endif
