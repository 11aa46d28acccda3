import Requests
import RequestsClient
import RequestsCompression

/// A transport for tests that returns predefined responses without a network.
///
/// The response comes from a closure, from the first matching route, or from a list of replies:
///
/// ```swift
/// let echo = StubTransport { request in
///     try .stub(200, body: request.body.data ?? Data(), for: request)
/// }
/// let api = StubTransport(routes: [
///     .get("/users/{id}", .reply(200, jsonText: #"{"name": "Ada"}"#)),
///     .post("/users", .failure(.timedOut(.idle)), then: .reply(201)),
/// ])
/// let flaky = StubTransport(script: [.reply(503), .reply(200, text: "ok")])
/// ```
///
/// Like a real transport, a stub reads the request's body, reports to its observer, and enforces its total, attempt and
/// idle timeouts (default: 60 seconds). On a ``TestClock``, the default idle timeout ends only a delayed reply.
///
/// Copies share their replies and their list of requests.
public struct StubTransport: Transport, EndsWithCall {
    /// The capabilities of the stub. A request that needs another one is rejected.
    ///
    /// Default: all that don't need a connection. If you add `.metrics`, responses have metrics, and the stub reports a
    /// connection to the request's observer.
    public var capabilities: TransportCapabilities {
        get { runner.capabilities }
        set { runner = StubTransport.runner(newValue, clock) }
    }

    let responder: Responder
    let log = StubLog()
    private let fallback: (any Transport)?
    private let clock: any Clock<Duration>
    private var runner: ExchangeRunner

    /// Creates a transport that responds with a closure.
    ///
    /// - Parameters:
    ///   - clock: The clock that measures timeouts. Default: the system's clock.
    ///   - handler: Returns the response to a request.
    public init(
        clock: any Clock<Duration> = ContinuousClock(),
        _ handler: @escaping @Sendable (PreparedRequest) async throws -> Response<ResponseBody>
    ) {
        self.init(.script(Script([Reply(handler)], repeatsLast: true)), otherwise: nil, clock: clock)
    }

    /// Creates a transport that responds by route.
    ///
    /// If no route matches and there is no fallback, the request fails with `TransportError.Code.unmatched`, and the
    /// message lists the differences from the closest route.
    ///
    /// - Parameters:
    ///   - routes: The routes. The first one that matches is used.
    ///   - fallback: The transport for requests that no route matches. The stub then has only those capabilities that
    ///     the fallback has, too. Default: `nil`, so these requests fail.
    ///   - clock: The clock of the timeouts, and of delays without a clock. Default: the system's clock.
    public init(
        routes: [Route],
        otherwise fallback: (any Transport)? = nil,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.init(.routes(RouteTable(routes)), otherwise: fallback, clock: clock)
    }

    /// Creates a transport that replies to any request with the next reply of a list.
    ///
    /// After the last reply, requests fail with `TransportError.Code.unmatched`.
    ///
    /// - Parameters:
    ///   - script: The replies, each used once.
    ///   - clock: The clock of the timeouts, and of delays without a clock. Default: the system's clock.
    public init(script: [Reply], clock: any Clock<Duration> = ContinuousClock()) {
        self.init(.script(Script(script)), otherwise: nil, clock: clock)
    }

    private init(_ responder: Responder, otherwise fallback: (any Transport)?, clock: any Clock<Duration>) {
        self.responder = responder
        self.fallback = fallback
        self.clock = clock
        let capabilities = fallback.map { $0.capabilities.intersection(.offline) } ?? .offline
        runner = StubTransport.runner(capabilities, clock)
    }

    private static func runner(_ capabilities: TransportCapabilities, _ clock: any Clock<Duration>) -> ExchangeRunner {
        ExchangeRunner(
            capabilities: capabilities,
            maximumBufferedBytes: 0,
            measures: capabilities.contains(.metrics),
            clock: clock,
            open: { $0.isNone ? nil : try $0.makeReader() }
        )
    }

    /// The routes, which can be changed during a test. Empty if the stub has none.
    ///
    /// Routes that stay keep their number of calls. Setting them has no effect if the stub wasn't created with routes.
    public var routes: [Route] {
        get { if case .routes(let table) = responder { table.routes } else { [] } }
        nonmutating set { if case .routes(let table) = responder { table.routes = newValue } }
    }

    /// Adds a reply to the script. To a stub with routes, adds a last route that replies to any request once. Has no
    /// effect if the stub was created with a closure.
    public func enqueue(_ reply: Reply) {
        switch responder {
        case .routes(let table): table.routes.append(.any("/**", reply).once())
        case .script(let script): if !script.repeatsLast { script.append(reply) }
        }
    }

    /// Forgets all requests and calls, so that every reply can be used again.
    public func reset() {
        responder.reset()
        log.reset()
    }

    /// The numbers of running and completed requests. The list of connections is empty.
    public var statistics: TransportStatistics? { get async { log.statistics } }

    /// Returns the response to a request.
    public func send(_ request: PreparedRequest, context: SendContext) async throws -> Response<ResponseBody> {
        try request.validate(for: capabilities)
        try Task.checkCancellation()
        let number = log.append(request)
        defer { log.end(number) }
        let events = fallback == nil ? nil : DeferredEvents(context.observer)
        var reported = context
        if let events { reported.observer = { events.report($0) } }
        let response = try await runner.runValidated(request, context: reported, startsAtOnce: true) { exchange in
            let request = try await exchange.readBody()
            log.update(request, at: number)
            await exchange.forward {
                do {
                    let choice = try responder.choose(for: request)
                    if let route = choice.route { log.note(.route(route), at: number) }
                    events?.release()
                    return try await choice.response(to: request, in: exchange)
                } catch let error as TransportError where error.code == .unmatched {
                    if let fallback { return try await exchange.response(to: request, over: fallback, context) }
                    log.note(.unmatched(error.message), at: number)
                    throw error
                }
            }
        }
        return try response.decoded(for: request)
    }
}

extension RouteTable.Choice {
    fileprivate func response(
        to request: PreparedRequest,
        in exchange: Exchange
    ) async throws -> Response<ResponseBody> {
        let match = StubTransport.Match(request: request, exchange: exchange, parameters: parameters, call: call)
        var response = try await reply.respond(match)
        try await response.removeBody(asIn: request)
        return response
    }
}

extension Exchange {
    /// The maximum size of a stored body in bytes. Larger bodies are read but not stored.
    private static let maximumBodyBytes = 16 << 20

    /// Reports a connection, and reads the request's body as a transport does.
    ///
    /// - Returns: The request with its trailers, and with its body in memory unless it is larger than 16 MiB.
    fileprivate func readBody() async throws -> PreparedRequest {
        if measures { reportConnection() }
        guard !request.body.isNone else {
            noteRequestSent()
            return request
        }
        var kept: Data? = Data()
        for try await piece in requestBody {
            kept?.append(piece)
            if kept?.count ?? 0 > Exchange.maximumBodyBytes { kept = nil }
        }
        var read = request
        if let kept, request.body.data == nil { read.body = .data(kept).made(from: request.body) }
        do {
            let trailers = try request.body.trailers?()
            try trailers?.validateAsTrailers()
            if let trailers { read.body = read.body.with { trailers } }
        } catch {
            throw TransportError.sourceFailed(error, of: request, phase: .sending)
        }
        return read
    }

    private func reportConnection() {
        measure { $0.requestStart = .zero }
        let origin = request.url.origin
        report(.connected(local: "stub:0", remote: "\(origin.host):\(origin.port)", isReused: false))
        if origin.scheme == "https" { report(.secured(tlsVersion: nil)) }
    }

    /// Sends a request over another transport, which reports to the observer of its context.
    func response(
        to request: PreparedRequest,
        over transport: any Transport,
        _ context: SendContext
    ) async throws -> Response<ResponseBody> {
        var context = context
        context.observer = { [observer = context.observer] event in
            self.noteActivity()
            observer?(event)
        }
        return try await transport.send(request, context: context)
    }
}

/// The events of a request until it is known whether another transport sends it, which reports its own.
private final class DeferredEvents: Sendable {
    private let observer: (@Sendable (PreparedRequest.Event) -> Void)?
    /// `nil` from when they are reported at once.
    private let events = Locked<[PreparedRequest.Event]?>([])

    init(_ observer: (@Sendable (PreparedRequest.Event) -> Void)?) { self.observer = observer }

    func report(_ event: PreparedRequest.Event) {
        let isDeferred = events.withLock { $0?.append(event) != nil }
        if !isDeferred { observer?(event) }
    }

    func release() { for event in events.withLock({ $0.take() }) ?? [] { observer?(event) } }
}

extension Response<ResponseBody> {
    /// Removes the body if the request's method or the status allows none (RFC 9110 §6.4.1).
    ///
    /// - Throws: `TransportError.Code.malformed` if the status allows no body and there is one.
    fileprivate mutating func removeBody(asIn request: PreparedRequest) async throws {
        if [204, 304].contains(statusCode), try await !content.collect(upTo: .max).isEmpty {
            let reason = "the stub's reply has the status \(statusCode), which can't have a body; remove the body"
            throw TransportError(.malformed, of: request, reason, phase: .receiving)
        }
        if request.method == .head || [204, 304].contains(statusCode) { content = ResponseBody(Data()) }
    }
}

extension TransportCapabilities {
    /// The capabilities of a transport without a network.
    static let offline: TransportCapabilities = [
        .streamedRequestBodies, .backPressure, .orderedFields, .connectTimeout, .networkServices,
        .requestTrailers,
    ]
}
