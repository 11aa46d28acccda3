#if FullFoundation
import Foundation
import RequestsCache
import RequestsCurl
import RequestsTesting
import RequestsURLSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("A URLSession over a client", .timeLimit(.minutes(5)))
struct SendingTests {
    static let url = URL("https://api.example.com/")
    private let api = BaseURL("https://api.example.com")

    private func load(
        _ request: URLRequest = URLRequest(url: url),
        over transport: any Transport,
        _ configuration: Client.Configuration = Client.Configuration()
    ) async throws -> (body: String, response: HTTPURLResponse?) {
        let session = URLSession.sending(over: Client(transport: transport, configuration: configuration))
        defer { session.finishTasksAndInvalidate() }
        let (data, response) = try await session.data(for: request)
        return (String(decoding: data, as: UTF8.self), response as? HTTPURLResponse)
    }

    @Test("a session gets the reply of a stub, and the stub sees the request")
    func reply() async throws {
        let stub = StubTransport(routes: [
            .post(
                "/users/{id}",
                .respond { match in .reply(201, header: ["X-Id": try match["id"]], data: Data("made".utf8)) }
            ).matching(.header("X-Key", "1"), .body(text: "Ada"))
        ])
        let request = api.post(.text("Ada"), to: "/users/7").adding(headerField: Field(name: "X-Key", value: "1"))
        let (body, response) = try await load(request.toURLRequest(), over: stub)
        #expect(body == "made")
        #expect(response?.statusCode == 201)
        #expect(response?.value(forHTTPHeaderField: "X-Id") == "7")
        try stub.verify()
    }

    @Test("a body is decoded although the request has its own Accept-Encoding, as by URLSession")
    func ownAcceptEncoding() async throws {
        let gzip = try #require(Data(base64Encoded: "H4sIAAAAAAACA6tWykxRsjKsBQDF+F1ECAAAAA=="))
        let server = try LoopbackServer.http(recording: true) { _ in
            .init(200, header: [Field(name: .contentEncoding, value: "gzip")], body: gzip)
        }
        var request = URLRequest(url: server.baseURL)
        request.setValue("br;q=1.0, gzip;q=0.9", forHTTPHeaderField: "Accept-Encoding")
        let transport = try CurlTransport()
        #expect(try await load(request, over: transport).body == #"{"id":1}"#)
        let data = try await Client(transport: transport).data(for: request).0
        #expect(String(decoding: data, as: UTF8.self) == #"{"id":1}"#)
        #expect(server.requests.allSatisfy { $0.header[.acceptEncoding]?.contains("gzip") == true })
        await transport.shutdown()
    }

    @Test("tasks that block for a completion handler don't keep their loads from ending", arguments: [false, true])
    func blockedTasks(isCached: Bool) async throws {
        let server = try LoopbackServer.http { _ in .init(200, .plainText, "done") }
        let transport = try CurlTransport()
        var configuration = Client.Configuration()
        configuration.timeouts.total = .seconds(600)
        configuration.middleware = [Passing()]
        if isCached { configuration.cache = HTTPCache(.memory(bytes: 1 << 20)) }
        let session = URLSession.sending(over: Client(transport: transport, configuration: configuration))
        let url = server.baseURL
        let count = 2 * ProcessInfo.processInfo.activeProcessorCount
        let bodies = await withTaskGroup(of: Data?.self) { group in
            for _ in 0..<count { group.addTask { SendingTests.waitForHandler(session, url) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(bodies == Array(repeating: Data("done".utf8), count: count))
        #expect(server.acceptedConnections > 0)
        session.finishTasksAndInvalidate()
        await transport.shutdown()
    }

    private struct Passing: Middleware {
        func intercept(
            _ request: PreparedRequest,
            context: CallContext,
            next: @escaping Next
        ) async throws -> Response<ResponseBody> {
            try await next(request)
        }
    }

    /// Blocks the thread until the completion handler is called.
    private static func waitForHandler(_ session: URLSession, _ url: URL) -> Data? {
        let semaphore = DispatchSemaphore(value: 0)
        let body = Locked(Data?.none)
        session.dataTask(with: url) { data, _, _ in
            body.withLock { $0 = data }
            semaphore.signal()
        }
        .resume()
        semaphore.wait()
        return body.withLock { $0 }
    }

    @Test("the service type and the kind of network are hints for a transport that doesn't know them")
    func hints() async throws {
        let server = try LoopbackServer.http { _ in .init(200, .plainText, "done") }
        var request = URLRequest(url: server.baseURL)
        request.networkServiceType = .background
        request.allowsCellularAccess = false
        let transport = try CurlTransport()
        #expect(try await load(request, over: transport).body == "done")
        #expect(try await Client(transport: transport).data(for: request).0 == Data("done".utf8))
        #expect(server.acceptedConnections > 0)
        await transport.shutdown()
    }

    @Test("each session has its own client, also if they load at the same time")
    func sessions() async throws {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<40 {
                group.addTask {
                    let stub = StubTransport(routes: [
                        .get("/", .reply(200, chunks: [Data("\(index)".utf8), Data("!".utf8)]))
                    ])
                    return try await load(over: stub).body == "\(index)!"
                }
            }
            for try await isSame in group { #expect(isSame) }
        }
    }

    @Test("a session made from another one's configuration has the same client")
    func derivedSession() async throws {
        let session = URLSession.sending(over: Client(transport: StubTransport(script: [.reply(200, text: "a")])))
        defer { session.finishTasksAndInvalidate() }
        let derived = URLSession(configuration: session.configuration)
        defer { derived.finishTasksAndInvalidate() }
        #expect(try await derived.data(from: SendingTests.url).0 == Data("a".utf8))
    }

    @Test("the client follows redirects, retries, keeps cookies and authenticates")
    func policies() async throws {
        let stub = StubTransport(script: [
            .reply(503), .redirect(to: "/new"), .reply(200, header: ["Set-Cookie": "id=1"], text: "a"),
            .reply(200, text: "b"),
        ])
        var configuration = Client.Configuration()
        configuration.retries = .fixed(.zero, limit: 1)
        configuration.cookies = CookieStore()
        configuration.authenticate("https://api.example.com", with: .bearerToken("t"))
        let session = URLSession.sending(over: Client(transport: stub, configuration: configuration))
        defer { session.finishTasksAndInvalidate() }
        let (data, response) = try await session.data(from: SendingTests.url)
        #expect(data == Data("a".utf8))
        #expect(response.url?.path() == "/new")
        _ = try await session.data(from: SendingTests.url)
        #expect(stub.requests.map { $0.header["Cookie"] } == [nil, nil, nil, "id=1"])
        #expect(stub.requests.allSatisfy { $0.header["Authorization"] == "Bearer t" })
    }

    @Test(
        "an error of the client becomes the error of the task",
        arguments: [
            (.cannotConnect, .cannotConnectToHost), (.timedOut(.idle), .timedOut), (.closed, .networkConnectionLost),
            (.nameNotResolved, .cannotFindHost), (.malformed, .badServerResponse),
        ] as [(TransportError.Code, URLError.Code)]
    )
    func errors(_ code: TransportError.Code, _ expected: URLError.Code) async throws {
        let error = await #expect(throws: URLError.self) {
            try await load(over: StubTransport(script: [.failure(code)]))
        }
        #expect(error?.code == expected)
    }

    @Test("a request without a route fails with the difference from the closest one")
    func unmatched() async throws {
        let request = try api.get(.text, from: "/b").toURLRequest()
        let error = await #expect(throws: URLError.self) {
            try await load(request, over: StubTransport(routes: [.get("/a")]))
        }
        #expect(error?.localizedDescription.contains("the closest is GET /a") == true)
    }

    @Test("a body that breaks fails the task")
    func brokenBody() async throws {
        let broken = StubTransport(script: [.reply(200, chunks: [Data("a".utf8)], failure: .truncated)])
        let error = await #expect(throws: URLError.self) { try await load(over: broken) }
        #expect(error?.code == .networkConnectionLost)
    }

    @Test("canceling a task cancels the call")
    func cancellation() async throws {
        let started = AsyncStream<Void>.makeStream()
        let canceled = AsyncStream<Void>.makeStream()
        let stub = StubTransport { _ in
            started.continuation.finish()
            await withTaskCancellationHandler {
                while !Task.isCancelled { await Task.yield() }
            } onCancel: {
                canceled.continuation.finish()
            }
            throw CancellationError()
        }
        let task = Task { try await load(over: stub) }
        for await _ in started.stream {}
        task.cancel()
        for await _ in canceled.stream {}
        await #expect(throws: (any Error).self) { try await task.value }
    }

    @Test("the bytes and the file of an upload task are sent", arguments: [true, false])
    func upload(inMemory: Bool) async throws {
        let stub = StubTransport(script: [.reply(200)])
        let session = URLSession.sending(over: Client(transport: stub))
        defer { session.finishTasksAndInvalidate() }
        let file = FileManager.default.temporaryDirectory.appending(path: "upload-\(UUID())")
        try Data("Ada".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var request = URLRequest(url: SendingTests.url)
        request.httpMethod = "POST"
        if inMemory {
            _ = try await session.upload(for: request, from: Data("Ada".utf8))
        } else {
            _ = try await session.upload(for: request, fromFile: file)
        }
        let body = try #require(stub.requests.first?.body)
        #expect(try await body.collect(upTo: 100) == Data("Ada".utf8))
    }

    /// Uploads data to a server that fails once.
    func retriedUpload() async throws -> (status: Int?, bodies: [RequestBody]) {
        let stub = StubTransport(script: [.reply(503), .reply(200)])
        var client = Client(transport: stub)
        client.configuration.options.retries = .fixed(.zero, limit: 1)
        let session = URLSession.sending(over: client)
        defer { session.finishTasksAndInvalidate() }
        var request = URLRequest(url: SendingTests.url)
        request.httpMethod = "PUT"
        let (_, response) = try await session.upload(for: request, from: Data("Ada".utf8))
        return ((response as? HTTPURLResponse)?.statusCode, stub.requests.map(\.body))
    }

    @Test("the client of each session is freed after the session's end")
    func memory() async throws {
        let count = InstanceCount()
        for index in 0..<10_000 {
            let session = URLSession.sending(over: Client(transport: Counted(count)))
            if index.isMultiple(of: 100) { _ = try await session.data(from: SendingTests.url) }
            session.finishTasksAndInvalidate()
        }
        // Foundation ends sessions on another queue. A leak of one in a hundred would never end this loop.
        while count.value > 10 { await Task.yield() }
    }
}

/// The number of transports that are in memory.
private final class InstanceCount: Sendable {
    private let count = Locked(0)

    var value: Int { count.withLock { $0 } }

    func add(_ difference: Int) { count.withLock { $0 += difference } }
}

/// A transport that counts its instances.
private final class Counted: Transport {
    private let count: InstanceCount
    let capabilities = TransportCapabilities()

    init(_ count: InstanceCount) {
        self.count = count
        count.add(1)
    }

    deinit { count.add(-1) }

    func send(_ request: PreparedRequest, context: SendContext) async throws -> Response<ResponseBody> {
        try .stub(200, for: request)
    }

    func shutdown() async {}
}
#endif
