import Requests

/// The common part of transports: unsupported options, timeouts, back-pressure, cancellation, errors and shutdown.
///
/// A transport over a library with `async` functions is an ``ExchangeTransport``, which has a runner.
public final class ExchangeRunner: Sendable {
    /// The capabilities of the transport.
    public let capabilities: TransportCapabilities

    let maximumBufferedBytes: Int
    private let open: @Sendable (RequestBody) throws -> RequestBody.Reader?
    let code: @Sendable (any Error) -> TransportError.Code?
    let running = RunningExchanges()
    let clock: ExchangeClock
    /// Whether responses have measurements.
    let measures: Bool

    /// Creates a runner.
    ///
    /// - Parameters:
    ///   - capabilities: The capabilities of the transport. Requests that need anything else are rejected. The runner
    ///     adds back-pressure.
    ///   - code: Returns the code for an error of the library. If it returns `nil`, the connection was closed: the code
    ///     is `TransportError.Code.closed` before the head and `TransportError.Code.truncated` after it.
    public convenience init(
        capabilities: TransportCapabilities,
        code: @escaping @Sendable (any Error) -> TransportError.Code? = { _ in nil }
    ) {
        self.init(
            capabilities: capabilities.union(.backPressure),
            maximumBufferedBytes: 256 << 10,
            open: { try $0.makeReader() },
            code: code
        )
    }

    /// - Parameters:
    ///   - maximumBufferedBytes: The number of unread bytes of a response body from which on its reader is behind.
    ///   - clock: The clock of the timeouts.
    ///   - open: Opens a request's body; returns `nil` if the library reads it itself.
    package init(
        capabilities: TransportCapabilities,
        maximumBufferedBytes: Int,
        measures: Bool = true,
        clock: any Clock<Duration> = ContinuousClock(),
        open: @escaping @Sendable (RequestBody) throws -> RequestBody.Reader?,
        code: @escaping @Sendable (any Error) -> TransportError.Code? = { _ in nil }
    ) {
        self.capabilities = capabilities
        self.maximumBufferedBytes = maximumBufferedBytes
        self.open = open
        self.measures = measures
        self.code = code
        self.clock =
            clock is ContinuousClock
            ? .system(Watchdog { [running] now in running.checkDeadlines(at: now) }) : .other(clock.stopwatch(), clock)
    }

    /// Ends the exchanges whose time is up at a time of ``Watchdog/now``.
    package func checkDeadlines(at now: UInt64) { _ = running.checkDeadlines(at: now) }

    /// Runs an exchange in a separate task.
    ///
    /// The task is canceled when the exchange ends early: the sender was canceled, the body was dropped, a timeout was
    /// reached, or the transport was shut down.
    ///
    /// - Parameters:
    ///   - request: The request. It isn't run if `PreparedRequest.validate(for:)` rejects it.
    ///   - context: The context that the transport got.
    ///   - operation: Sends the request, and passes on the head with ``Exchange/respond(with:isDecoded:)`` and each
    ///     piece of the body with ``Exchange/write(_:)``. The body ends when the operation returns. If it throws an
    ///     error, the exchange fails: with a `TransportError`, `RequestError` or `CancellationError` unchanged, and
    ///     otherwise with a `TransportError` around the error.
    /// - Returns: The response, as soon as its head has arrived.
    public func run(
        _ request: PreparedRequest,
        context: SendContext,
        _ operation: @escaping @Sendable (Exchange) async throws -> Void
    ) async throws -> Response<ResponseBody> {
        try request.validate(for: capabilities)
        return try await runValidated(request, context: context, operation)
    }

    /// - Parameter startsAtOnce: Whether the operation begins on the caller's thread, and goes on in a separate task
    ///   only if it suspends.
    package func runValidated(
        _ request: PreparedRequest,
        context: SendContext,
        startsAtOnce: Bool = false,
        _ operation: @escaping @Sendable (Exchange) async throws -> Void
    ) async throws -> Response<ResponseBody> {
        try Task.checkCancellation()
        let exchange = Exchange(request, context, reader: try open(request.body), of: self)
        guard running.add(exchange) else { throw TransportError.shutdown(phase: .preparing) }
        return try await CallState.canceling(exchange) {
            exchange.start(atOnce: startsAtOnce, operation)
            return try await exchange.response.take()
        }
    }

    /// Ends all exchanges with `TransportError.Code.shutdown`, and rejects later ones.
    public func shutdown() { for exchange in running.shutdown() { exchange.endForShutdown() } }
}

/// A transport that only defines how a library sends a request and reads its response. An ``ExchangeRunner`` does the
/// rest.
///
/// ```swift
/// struct LibraryTransport: ExchangeTransport {
///     let runner = ExchangeRunner(capabilities: [])
///
///     func perform(_ exchange: Exchange) async throws {
///         let request = exchange.request
///         let response = try await library.execute(request.url.text)
///         try exchange.respond(
///             with: ResponseHead(
///                 statusCode: response.status,
///                 url: request.url
///             )
///         )
///         for try await chunk in response.body {
///             try await exchange.write(chunk)
///         }
///     }
/// }
/// ```
///
/// A call over any other transport gets a separate task, so that ``Client/cancelAll()`` ends it. This costs a few
/// microseconds.
public protocol ExchangeTransport: Transport {
    /// Runs the exchanges.
    var runner: ExchangeRunner { get }

    /// Sends the request of an exchange and passes on the response.
    ///
    /// Called in a separate task, as ``ExchangeRunner/run(_:context:_:)`` says.
    func perform(_ exchange: Exchange) async throws
}

extension ExchangeTransport {
    /// The capabilities of the runner.
    public var capabilities: TransportCapabilities { runner.capabilities }

    /// Performs an exchange. Don't replace this function: it waits for nothing but the runner.
    public func send(_ request: PreparedRequest, context: SendContext) async throws -> Response<ResponseBody> {
        try await runner.run(request, context: context) { try await perform($0) }
    }

    /// Shuts the runner down.
    public func shutdown() async { runner.shutdown() }
}

/// The time of a runner, and what wakes its exchanges at their deadlines.
enum ExchangeClock {
    /// The system's clock, with one timer for all exchanges.
    case system(Watchdog)
    /// Another clock, on which each exchange sleeps.
    case other(Stopwatch, any Clock<Duration>)

    /// In nanoseconds.
    var now: UInt64 {
        switch self {
        case .system: Watchdog.now
        case .other(let stopwatch, _): stopwatch.elapsed.clampedNanoseconds
        }
    }

    func sleep(for duration: Duration) async throws {
        switch self {
        case .system: try await Task.sleep(for: duration)
        case .other(_, let clock): try await clock.sleep(for: duration)
        }
    }
}

/// The exchanges of a transport that aren't over.
final class RunningExchanges: Sendable {
    /// `nil` after a shutdown.
    private let exchanges = Locked<[ObjectIdentifier: Exchange]?>([:])

    /// - Returns: When to check again.
    func checkDeadlines(at now: UInt64) -> UInt64? {
        let exchanges = exchanges.withLock { Array(($0 ?? [:]).values) }
        return exchanges.compactMap { $0.checkDeadlines(at: now) }.min()
    }

    /// - Returns: Whether the exchange may start. If it may, ``shutdown()`` returns it.
    func add(_ exchange: Exchange) -> Bool {
        exchanges.withLock { exchanges in
            exchanges?[ObjectIdentifier(exchange)] = exchange
            return exchanges != nil
        }
    }

    func remove(_ exchange: Exchange) { exchanges.withLock { $0?[ObjectIdentifier(exchange)] = nil } }

    func shutdown() -> [Exchange] { exchanges.withLock { Array(($0.take() ?? [:]).values) } }
}
