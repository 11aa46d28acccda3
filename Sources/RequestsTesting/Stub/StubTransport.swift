import Requests
import RequestsClient

/// A transport that responds from code, without a network.
///
/// It responds with a closure, by the request, or with one reply after another:
///
/// ```swift
/// let echo = StubTransport { request in try .stub(200, body: request.body.data ?? Data(), for: request) }
/// let api = StubTransport(routes: [
///     .get("/users/{id}", .reply(200, jsonText: #"{"name": "Ada"}"#)),
///     .post("/users", .failure(.timedOut(.idle)), then: .reply(201)),
/// ])
/// let flaky = StubTransport(script: [.reply(503), .reply(200, text: "ok")])
/// ```
///
/// Like a real transport, a stub reads the request's body, reports to the request's observer, and enforces the total
/// and idle timeouts of the request. The default idle timeout applies only to the delays of replies.
///
/// Copies share their replies and the list of requests.
public struct StubTransport: Transport {
    /// The options that the stub supports. It rejects a request that needs any other.
    ///
    /// Default: everything that needs no connection. With `.metrics`, responses have metrics, and the stub reports a
    /// connection to the request's observer.
    public var capabilities: TransportCapabilities = .offline

    let responder: Responder
    let log = StubLog()
    private let fallback: (any Transport)?
    private let clock: any Clock<Duration>

    /// Creates a transport that responds with a closure.
    ///
    /// - Parameters:
    ///   - clock: The clock of the timeouts. Default: the system's clock.
    ///   - handler: Returns the response to a request.
    public init(
        clock: any Clock<Duration> = ContinuousClock(),
        _ handler: @escaping @Sendable (PreparedRequest) async throws -> Response<ResponseBody>
    ) {
        self.init(.reply(Reply(handler)), otherwise: nil, clock: clock)
    }

    /// Creates a transport that responds by route.
    ///
    /// If no route matches, the request fails with `TransportError.Code.unmatched`. The error describes each difference
    /// from the closest route.
    ///
    /// - Parameters:
    ///   - routes: The routes. The first match is used.
    ///   - fallback: Sends the requests that no route matches. The stub has only capabilities that the
    ///     fallback has. Default: `nil`, so that these requests fail.
    ///   - clock: The clock of the timeouts, and of delays without a clock. Default: the system's clock.
    public init(
        routes: [Route],
        otherwise fallback: (any Transport)? = nil,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.init(.routes(RouteTable(routes)), otherwise: fallback, clock: clock)
    }

    /// Creates a transport that uses one reply after another, for any request.
    ///
    /// A request after the last reply fails with `TransportError.Code.unmatched`.
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

    /// The number of waiting and completed requests. A stub has no connections.
    public var statistics: TransportStatistics? { get async { log.statistics } }

    /// Returns the response to a request.
    public func send(_ request: PreparedRequest, context: SendContext) async throws -> Response<ResponseBody> {
        try Task.checkCancellation()
        try request.validate(for: capabilities)
        let index = log.append(request)
        defer { log.end(index) }
        let exchange = StubExchange(request, context, capabilities, clock: clock)
        return try await exchange.limited { [responder, log, fallback] in
            let request = try await exchange.readBody()
            log.update(request, at: index)
            do {
                let (route, reply, parameters) = try responder.choose(for: request)
                if let route { log.note(.route(route), at: index) }
                return try await exchange.respond(with: reply, parameters, to: request)
            } catch let error as TransportError where error.code == .unmatched {
                guard let fallback else {
                    log.note(.unmatched(error.message), at: index)
                    throw error
                }
                return try await fallback.send(request, context: context)
            }
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
