#if FullFoundation
import Foundation
import RequestsTesting
import RequestsURLSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("URLSession.perform", .timeLimit(.minutes(5)))
final class PerformTests: Sendable {
    private struct Refusal: LocalizedError {
        var errorDescription: String? { "refused\nby a test" }
    }

    private let server: LoopbackServer
    private let session: URLSession
    private let stubbed = BaseURL("http://stub.invalid")
    private let queueName = DispatchSpecificKey<String>()
    private let decodingQueue = DispatchQueue(label: "decoding")
    private let callbackQueue = DispatchQueue(label: "callback")
    private let queues = Locked<[String?]>([])

    init() throws {
        server = try LoopbackServer.http { .init($0.path == "/missing" ? 404 : 200, .plainText, "hello") }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [StubProtocol.self] + (configuration.protocolClasses ?? [])
        session = URLSession(configuration: configuration)
        decodingQueue.setSpecific(key: queueName, value: "decoding")
        callbackQueue.setSpecific(key: queueName, value: "callback")
    }

    deinit { session.finishTasksAndInvalidate() }

    private var api: BaseURL { BaseURL(baseURL: server.baseURL) }

    private func recordQueue() -> Bool {
        queues.withLock { $0.append(DispatchQueue.getSpecific(key: queueName)) }
        return true
    }

    private func perform<R: RequestConvertible>(
        _ request: R,
        validateResponse: (@Sendable (HTTPURLResponse) throws -> Bool)? = nil,
        configureTask: (URLSessionTask) -> Void = { _ in }
    ) async -> NetworkResult<R.Resource> {
        await withCheckedContinuation { continuation in
            session.perform(
                request,
                validateResponse: validateResponse,
                decodingQueue: decodingQueue,
                callbackQueue: callbackQueue,
                configureTask: configureTask
            ) { result in
                _ = self.recordQueue()
                continuation.resume(returning: result)
            }
        }
    }

    private func failure<Resource>(_ result: NetworkResult<Resource>) throws -> RequestTransportError {
        try #require(throws: RequestTransportError.self) { _ = try result.get() }
    }

    @Test(
        "perform returns the response and the resource for any status code",
        arguments: ["/path": 200, "/missing": 404]
    )
    func success(path: String, status: Int) async throws {
        switch await perform(api.get(.text, from: Endpoint(path: path))) {
        case .success(let (response, resource)):
            #expect(response.statusCode == status)
            #expect(resource == "hello")
        case .failure(let error): Issue.record(error)
        }
    }

    @Test("perform validates and decodes on the decoding queue")
    func decoding() async throws {
        let decoder = ResponseDecoder.reading { _, _ in self.recordQueue() }
        _ = await perform(api.get(decoder, from: "/"), validateResponse: { _ in self.recordQueue() })
        #expect(queues.withLock { $0 } == ["decoding", "decoding", "callback"])
    }

    @Test("perform calls back on the callback queue, also after errors", arguments: ["/", "/missing", "/..", "/late"])
    func callback(path: String) async throws {
        let request = (path == "/late" ? stubbed : api).get(.text, from: Endpoint(path: path))
        _ = await perform(request, validateResponse: { $0.statusCode == 200 })
        #expect(queues.withLock { $0 } == ["callback"])
    }

    @Test("perform calls back on the main queue by default", arguments: ["/", "/.."])
    func mainQueue(path: String) async throws {
        DispatchQueue.main.setSpecific(key: queueName, value: "main")
        await withCheckedContinuation { continuation in
            session.perform(api.get(.text, from: Endpoint(path: path))) { _ in
                _ = self.recordQueue()
                continuation.resume()
            }
        }
        DispatchQueue.main.setSpecific(key: queueName, value: nil)
        #expect(queues.withLock { $0 } == ["main"])
    }

    @Test("perform calls back only once, even if the task reports a second result")
    func once() async throws {
        let reports = AsyncStream.makeStream(of: Bool.self)
        let request = stubbed.get(.data, from: "/twice")
        session.perform(request, decodingQueue: decodingQueue, callbackQueue: callbackQueue) { _ in
            reports.continuation.yield(true)
        }
        var isReport = reports.stream.makeAsyncIterator()
        #expect(await isReport.next() == true)
        // Any other report is in one of these queues by now.
        session.delegateQueue.addOperation {
            self.decodingQueue.async { self.callbackQueue.async { reports.continuation.yield(false) } }
        }
        #expect(await isReport.next() == false)
    }

    @Test("configureTask can configure and cancel the task before it starts")
    func configureTask() async throws {
        var states: [URLSessionTask.State] = []
        let result = await perform(api.get(.text, from: "/"), validateResponse: nil) { task in
            states.append(task.state)
            task.cancel()
        }
        #expect(states == [.suspended])
        #expect(try (failure(result).underlyingError as? URLError)?.code == .cancelled)
        #expect(server.acceptedConnections == 0)
    }

    @Test("perform ignores the body if the resource is Void")
    func void() async throws {
        let refusing = ResponseDecoder<Void>.reading { _, _ in throw Refusal() }
        #expect(try await perform(api.get(refusing, from: "/")).get().0.statusCode == 200)
        // `Void?` is not `Void`, although `()` is one of its values.
        let optional = ResponseDecoder<Void?>.reading { _, _ in nil }
        #expect(try await perform(api.get(optional, from: "/")).get().1 == nil)
    }

    @Test("A response that perform's validation rejects is an error with its body, and isn't decoded")
    func rejected() async throws {
        let request = api.get(ResponseDecoder<Int>.reading { _, _ in throw Refusal() }, from: "/missing")
        let error = try failure(await perform(request, validateResponse: { $0.statusCode == 200 }))
        let underlying = try #require(error.underlyingError as? ResponseError)
        #expect(underlying.code == .status)
        #expect(underlying.data == Data("hello".utf8))
        #expect(error.httpResponse?.statusCode == 404)
    }

    @Test("perform returns errors of the validation and the decoder unchanged, with the response")
    func ownErrors() async throws {
        let request = api.get(ResponseDecoder<Int>.reading { _, _ in throw Refusal() }, from: "/")
        let decoding = try failure(await perform(request))
        #expect(decoding.underlyingError is Refusal)
        #expect(decoding.httpResponse?.statusCode == 200)
        #expect(decoding.description == "GET \(server.baseURL)/ returned 200: refused by a test")
        let validation = try failure(await perform(request, validateResponse: { _ in throw URLError(.cancelled) }))
        #expect(validation.underlyingError is URLError)
        #expect(validation.httpResponse?.statusCode == 200)
    }

    @Test("perform fails without an HTTP response", arguments: ["/plain", "/ftp", "/nothing"])
    func notHTTP(path: String) async throws {
        let error = try failure(await perform(stubbed.get(.text, from: Endpoint(path: path))))
        let isNone = path == "/nothing"
        #expect((error.underlyingError as? TransportError)?.code == (isNone ? .closed : .malformed))
        #expect((error.response == nil) == isNone)
        #expect((error.httpResponse != nil) == (path == "/ftp"))
        #expect(error.request?.url?.path() == path)
    }

    @Test("perform returns errors of the session unchanged, with an earlier response")
    func sessionError() async throws {
        let late = try failure(await perform(stubbed.get(.text, from: "/late")))
        #expect((late.underlyingError as? URLError)?.code == .networkConnectionLost)
        #expect(late.httpResponse?.statusCode == 200)
        let refusing = try LoopbackServer.refusing()
        let api = BaseURL(baseURL: refusing.baseURL)
        let refused = try failure(await perform(api.get(.text, from: "/")))
        #expect((refused.underlyingError as? URLError)?.code == .cannotConnectToHost)
        #expect(refused.response == nil)
    }

    @Test("perform creates no task for a request that can't be built")
    func unbuildable() async throws {
        func underlying(_ request: Request<BaseURL, String>) async throws -> any Error {
            let error = try failure(await perform(request, configureTask: { _ in Issue.record("a task was created") }))
            #expect(error.request == nil)
            return error.underlyingError
        }
        let request = api.get(.text, from: "/")
        let asynchronous = AuthenticationProvider.asynchronous { _ in }
        #expect(try await underlying(api.get(.text, from: "/..")) is RequestError)
        #expect(try await underlying(request.sending(BodyProvider { _ in throw Refusal() })) is Refusal)
        #expect(try await underlying(request.authenticated(with: asynchronous)) is RequestError)
        #expect(server.acceptedConnections == 0)
    }

    @Test(
        "perform rejects a stream that the session would send as an empty body",
        .enabled(if: !URLSessionTransport().capabilities.contains(.streamedRequestBodies))
    )
    func stream() async throws {
        let error = try failure(await perform(api.post(.raw(stream: InputStream(data: Data([1]))), to: "/")))
        #expect((error.underlyingError as? TransportError)?.code == .unsupported)
        #expect(server.acceptedConnections == 0)
    }

    @Test(
        "The errors of perform have one line without secrets",
        arguments: [
            "/..": "the request couldn't be built: dotSegment: ",
            "/late": "GET http://stub.invalid/late?token=REDACTED returned 200: ",
            "/plain": "malformed: GET http://stub.invalid/plain?token=REDACTED: ",
            "/twice": "status: http://stub.invalid/twice?token=REDACTED returned 200 (0 bytes)",
        ]
    )
    func description(path: String, start: String) async throws {
        let request = stubbed.get(.text, from: Endpoint(path: path)).with(query: ["token": "s3cret"])
            .authenticated(with: .bearerToken("s3cret"))
        let result = await perform(request, validateResponse: { _ in false })
        let error = try failure(result)
        #expect(error.description.hasPrefix(start))
        #expect(!"\(result) \(error) \(error.localizedDescription)".contains("s3cret"))
        let url = try #require(URL(string: "http://user:s3cret@example.com/?token=s3cret"))
        let foreign = RequestTransportError(underlyingError: Refusal(), request: URLRequest(url: url), response: nil)
        #expect(foreign.description == "GET “REDACTED@example.com/”: refused by a test")
        var dumped = ""
        dump([error, foreign], to: &dumped)
        #expect(!dumped.contains("s3cret"))
    }
}
#endif
