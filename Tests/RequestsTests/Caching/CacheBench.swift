@testable import RequestsCache
import RequestsTesting
import Synchronization

/// A client with a cache over a scripted server, at a date that tests set.
final class CacheBench: Sendable {
    /// What the server did and what the client's date is.
    private struct State {
        var date = CacheBench.start
        var requests: [PreparedRequest] = []
        var respond: @Sendable (PreparedRequest, Int) throws -> StubTransport.Reply = { _, _ in .reply(200) }
    }

    static let start = Date(timeIntervalSince1970: 1_800_000_000)

    private let state = Mutex(State())
    let cache: HTTPCache
    let log = Mutex<[String]>([])

    init(_ store: some CacheStore = .memory(bytes: 10 << 20), rules: HTTPCache.Rules = HTTPCache.Rules()) {
        cache = HTTPCache(store, rules: rules)
    }

    /// The requests that the server got.
    var requests: [PreparedRequest] { state.withLock { $0.requests } }

    var date: Date { state.withLock { $0.date } }

    func pass(_ seconds: Double) { state.withLock { $0.date += seconds } }

    func respond(_ respond: @escaping @Sendable (PreparedRequest, Int) throws -> StubTransport.Reply) {
        state.withLock { $0.respond = respond }
    }

    /// Responds with one reply after another. The last one is repeated.
    func respond(_ replies: StubTransport.Reply...) {
        respond { _, number in replies[min(number, replies.count) - 1] }
    }

    var transport: any Transport {
        let stub = StubTransport { request in
            let (respond, number) = self.state.withLock { state in
                state.requests.append(request)
                return (state.respond, state.requests.count)
            }
            let reply = try respond(request, number)
            return try await StubTransport(script: [reply]).send(request)
        }
        return WireTransport.isUsed ? WireTransport(stub: stub) : stub
    }

    func client(_ configure: (inout Client.Configuration) -> Void = { _ in }) -> Client {
        var configuration = Client.Configuration()
        configuration.cache = cache
        configuration.date = { self.state.withLock { $0.date } }
        configuration.log = LogDestination { event in self.log.withLock { $0.append("\(event)") } }
        configuration.validation = .none
        configure(&configuration)
        return Client(transport: transport, configuration: configuration)
    }

    /// Sends a request of a new client.
    @discardableResult
    func send(
        _ method: HTTPMethod = .get,
        _ url: String = "https://example.com/a",
        header: Header = [],
        policy: CachePolicy? = nil
    ) async throws -> Response<Data> {
        try await client().response(for: CacheBench.request(method, url, header: header, policy: policy))
    }

    static func request(
        _ method: HTTPMethod = .get,
        _ url: String = "https://example.com/a",
        header: Header = [],
        policy: CachePolicy? = nil
    ) throws -> PreparedRequest {
        var request = try PreparedRequest(method: method, url: RequestURL(url), header: header)
        request.options.cachePolicy = policy
        return request
    }

    /// The HTTP date at some seconds from the start.
    static func date(_ seconds: Double = 0) -> String {
        Field.ifModifiedSince(start + seconds).value
    }
}

extension HTTPCache.Rules {
    /// Returns what follows from a response to a request that is sent as it is.
    func follow(
        _ head: ResponseHead,
        to request: PreparedRequest,
        from stored: [HTTPCache.StoredResponse] = []
    ) -> HTTPCache.Outcome {
        let attempt = HTTPCache.ForwardedRequest(request, from: stored, reason: "test")
        return follow(head, to: attempt, requestTime: CacheBench.start, responseTime: CacheBench.start)
    }
}

extension HTTPCache.Outcome {
    /// The response that is stored.
    var stored: HTTPCache.StoredResponse? {
        for case .store(let response, _) in effects { return response }
        return nil
    }
}

/// What a cache did with the second of two equal requests.
enum Second: String, Sendable, CustomStringConvertible {
    /// It got the stored response.
    case stored
    /// It was sent with a condition.
    case validated
    /// It was sent as it is.
    case sent

    var description: String { rawValue }
}

extension CacheBench {
    /// Sends two equal requests, and returns what happened to the second one.
    ///
    /// - Parameters:
    ///   - header: The header of the first response.
    ///   - age: The seconds between the requests.
    static func second(
        after header: Header,
        status: Int = 200,
        request: Header = [],
        secondRequest: Header? = nil,
        after age: Double = 10,
        rules: HTTPCache.Rules = HTTPCache.Rules()
    ) async throws -> Second {
        let bench = CacheBench(rules: rules)
        bench.respond(.reply(status, header: header, text: "first"), .reply(200, text: "second"))
        try await bench.send(header: request)
        bench.pass(age)
        let response = try await bench.send(header: secondRequest ?? request)
        guard bench.requests.count > 1 else {
            return String(decoding: response.content, as: UTF8.self) == "first" ? .stored : .sent
        }
        let conditions = bench.requests[1].header
        let isValidated = conditions.contains(.ifNoneMatch) || conditions.contains(.ifModifiedSince)
        return isValidated ? .validated : .sent
    }
}

/// Waits until the task is canceled.
func waitForCancellation() async throws {
    let (never, continuation) = AsyncStream<Void>.makeStream()
    defer { continuation.finish() }
    for await _ in never {}
    try Task.checkCancellation()
}
