import Requests
import RequestsClient

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
/// idle timeouts. A request without any timeout gets the default idle timeout of 60 seconds only for delayed replies.
///
/// Copies share their replies and their list of requests.
public struct StubTransport: Transport, EndsWithCall {
    /// The capabilities of the stub. A request that needs another one is rejected.
    ///
    /// Default: all that don't need a connection. If you add `.metrics`, responses have metrics, and the stub reports a
    /// connection to the request's observer.
    public var capabilities: TransportCapabilities = .offline

    let responder: Responder
    let log = StubLog()
    private let fallback: (any Transport)?
    private let clock: any Clock<Duration>

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
        if let fallback { capabilities.formIntersection(fallback.capabilities) }
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
        try Task.checkCancellation()
        try request.validate(for: capabilities)
        let index = log.append(request)
        defer { log.end(index) }
        let exchange = StubExchange(request, context, capabilities, defersEvents: fallback != nil, clock: clock)
        do {
            return try await exchange.limited { [responder, log, fallback] in
                let request = try await exchange.readBody()
                try CallState.checkCancellation()
                log.update(request, at: index)
                do {
                    let choice = try CallState.$current.withValue(nil) { try responder.choose(for: request) }
                    if let route = choice.route { log.note(.route(route), at: index) }
                    return try await exchange.respond(with: choice, to: request)
                } catch let error as TransportError where error.code == .unmatched {
                    guard let fallback else {
                        log.note(.unmatched(error.message), at: index)
                        throw error
                    }
                    return try await fallback.sendWithCall(request, context: context)
                }
            }
        } catch {
            exchange.end()
            throw error
        }
    }
}

extension TransportCapabilities {
    /// The capabilities of a transport without a network.
    static let offline: TransportCapabilities = [
        .streamedRequestBodies, .backPressure, .orderedFields, .connectTimeout, .networkServices,
        .requestTrailers,
    ]
}
