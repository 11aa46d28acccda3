import Foundation

/// What every transport does the same way: refusing, limits of time, back-pressure, cancellation, errors, shutdown.
///
/// A transport over a library with `async` functions keeps one, and writes down no more than how the library sends a
/// request and how its response is read:
///
/// ```swift
/// func send(_ request: PreparedRequest) async throws -> Response<ResponseBody> {
///     try await runner.run(request) { exchange in
///         let answer = try await library.execute(exchange.request.url.text)
///         try exchange.respond(with: ResponseHead(statusCode: answer.status, url: exchange.request.url))
///         for try await chunk in answer.body { try await exchange.write(chunk) }
///     }
/// }
/// ```
public final class ExchangeRunner: Sendable {
    /// What the transport can do.
    public let capabilities: TransportCapabilities

    private let code: @Sendable (any Error) -> TransportError.Code?
    private let running = RunningExchanges()
    private let watchdog: Watchdog

    /// Creates a runner.
    ///
    /// - Parameters:
    ///   - capabilities: What the transport can do; what a request asks for beyond that is refused. The runner adds
    ///     back-pressure, and takes nothing else off the transport.
    ///   - code: The kind of fault of an error of the library's; `nil` where it is a connection that was closed, which
    ///     is ``TransportError/Code/closed`` before the head and ``TransportError/Code/truncated`` after it.
    public init(
        capabilities: TransportCapabilities,
        code: @escaping @Sendable (any Error) -> TransportError.Code? = { _ in nil }
    ) {
        self.capabilities = capabilities.union(.backPressure)
        self.code = code
        watchdog = Watchdog { [running] now in running.checkDeadlines(at: now) }
    }

    /// Ends what is due at a time of ``Watchdog/now``.
    package func checkDeadlines(at now: UInt64) {
        _ = running.checkDeadlines(at: now)
    }

    /// Runs an exchange in a task of its own, which is cancelled as soon as the exchange is over: because its body was
    /// dropped, a limit of time was reached, or the transport was shut down.
    ///
    /// - Parameters:
    ///   - request: The request. One that ``PreparedRequest/validate(for:)`` refuses is not run.
    ///   - operation: Sends the request, gives the head with ``Exchange/respond(with:isDecoded:)`` and each piece of the
    ///     body with ``Exchange/write(_:)``. Returning ends the body. What it throws fails the exchange: a
    ///     ``TransportError``, ``RequestError`` or `CancellationError` as it is, another error under the code that it
    ///     has.
    /// - Returns: The response, as soon as there is a head.
    public func run(
        _ request: PreparedRequest,
        _ operation: @escaping @Sendable (Exchange) async throws -> Void
    ) async throws -> Response<ResponseBody> {
        try request.validate(for: capabilities)
        try Task.checkCancellation()
        let exchange = try Exchange(request, watchdog: watchdog, code: code) { [running] in running.remove($0) }
        guard running.add(exchange) else { throw TransportError.shutDown(phase: .preparing) }
        return try await withTaskCancellationHandler {
            exchange.start(operation)
            return try await exchange.response.take()
        } onCancel: {
            exchange.end(.failure(CancellationError()))
        }
    }

    /// Ends what is in flight with ``TransportError/Code/shutDown`` and refuses what comes later.
    public func shutDown() {
        for exchange in running.shutDown() { exchange.endForShutDown() }
    }
}

/// The exchanges of a transport that have begun and are not over.
private final class RunningExchanges: Sendable {
    private struct State {
        var exchanges: [ObjectIdentifier: Exchange] = [:]
        var isShutDown = false
    }

    private let state = Guarded(State())

    /// - Returns: When to look again.
    func checkDeadlines(at now: UInt64) -> UInt64? {
        let exchanges = state.withLock { Array($0.exchanges.values) }
        return exchanges.compactMap { $0.checkDeadlines(at: now) }.min()
    }

    /// - Returns: Whether it may start: there is no time between the check and the entry.
    func add(_ exchange: Exchange) -> Bool {
        state.withLock { state in
            if !state.isShutDown { state.exchanges[ObjectIdentifier(exchange)] = exchange }
            return !state.isShutDown
        }
    }

    func remove(_ exchange: Exchange) {
        state.withLock { $0.exchanges[ObjectIdentifier(exchange)] = nil }
    }

    func shutDown() -> [Exchange] {
        state.withLock { state in
            state.isShutDown = true
            return Array(state.exchanges.values)
        }
    }
}
