import Foundation
import Requests

/// Shares one exchange among equal `GET` requests that are in flight at the same time.
///
/// ```swift
/// let client = Client(transport: CoalescingTransport(CurlTransport.shared))
/// ```
///
/// Requests are equal if their URL, header and options are. A transport sees credentials and cookies, so the requests
/// of different users are never equal. The exchange goes on until it ends or every request that shares it is canceled.
///
/// Responses are read into memory. If a body is larger than the limit, each request is sent on its own.
public final class CoalescingTransport: Transport {
    private let base: any Transport
    private let maximumBodyBytes: Int
    private let flights = Locked<[String: [Flight]]>([:])

    /// Creates a transport that sends over another one.
    ///
    /// - Parameters:
    ///   - base: The transport that sends the requests.
    ///   - maximumBodyBytes: The maximum size of a body that is shared. Default: 1 MiB.
    public init(_ base: any Transport, maximumBodyBytes: Int = 1 << 20) {
        self.base = base
        self.maximumBodyBytes = maximumBodyBytes
    }

    /// The capabilities of the other transport.
    public var capabilities: TransportCapabilities { base.capabilities.subtracting(.callScopes) }

    /// Sends a request, or waits for the response to an equal one.
    public func send(_ request: PreparedRequest) async throws -> Response<ResponseBody> {
        guard request.method == .get, request.body.isNone, request.observer == nil else {
            return try await base.send(request)
        }
        let waiter = Promise<SharedResponse?>()
        let flight = join(request, waiter)
        let shared = try await withTaskCancellationHandler {
            try await waiter.take()
        } onCancel: {
            waiter.give(.failure(CancellationError()))
            flight.leave(waiter)
        }
        guard let shared else { return try await base.send(request) }
        return shared.response
    }

    /// Shuts the other transport down.
    public func shutdown() async { await base.shutdown() }

    /// The number of requests that wait for a shared exchange.
    package var waiterCount: Int { flights.withLock { $0.values.joined().reduce(0) { $0 + $1.waiterCount } } }

    private func join(_ request: PreparedRequest, _ waiter: Promise<SharedResponse?>) -> Flight {
        flights.withLock { flights in
            let key = request.url.text
            for flight in flights[key] ?? [] where flight.request == request && flight.add(waiter) { return flight }
            let flight = Flight(request, waiter)
            flights[key, default: []].append(flight)
            flight.start { [self] in
                defer { remove(flight) }
                return try await collect(request)
            }
            return flight
        }
    }

    private func remove(_ flight: Flight) {
        flights.withLock { flights in
            let key = flight.request.url.text
            flights[key]?.removeAll { $0 === flight }
            if flights[key]?.isEmpty == true { flights[key] = nil }
        }
    }

    /// Returns `nil` if the body is too large to be shared.
    private func collect(_ request: PreparedRequest) async throws -> SharedResponse? {
        let response = try await base.send(request)
        do {
            let data = try await response.collect(upTo: maximumBodyBytes, of: request.method)
            return SharedResponse(read: response.replacingReadBody(with: data), trailers: response.content.trailers)
        } catch let error as TransportError where error.code == .tooLarge {
            return nil
        }
    }
}

/// A response in memory.
private struct SharedResponse: Sendable {
    let read: Response<Data>
    let trailers: Header?

    var response: Response<ResponseBody> {
        let source = DataSource(read.content, from: read.head.url, trailers: trailers, metrics: read.boxedMetrics)
        return read.replacing(ResponseBody(source: source))
    }
}

/// An exchange that several requests share.
private final class Flight: Sendable {
    private struct State {
        var waiters: [Promise<SharedResponse?>]
        var task: Task<Void, Never>?
        /// Whether no request can join anymore.
        var isOver = false
    }

    let request: PreparedRequest
    private let state: Locked<State>

    init(_ request: PreparedRequest, _ waiter: Promise<SharedResponse?>) {
        self.request = request
        state = Locked(State(waiters: [waiter]))
    }

    func start(_ operation: @escaping @Sendable () async throws -> SharedResponse?) {
        // The exchange doesn't belong to the call that starts it.
        let task = CallScope.$current.withValue(nil) {
            Task {
                do {
                    end(.success(try await operation()))
                } catch {
                    end(.failure(error))
                }
            }
        }
        state.withLock { $0.task = task }
    }

    var waiterCount: Int { state.withLock { $0.waiters.count } }

    func add(_ waiter: Promise<SharedResponse?>) -> Bool {
        state.withLock { state in
            if !state.isOver { state.waiters.append(waiter) }
            return !state.isOver
        }
    }

    /// Cancels the exchange if no other request waits for it.
    func leave(_ waiter: Promise<SharedResponse?>) {
        let unused = state.withLock { state -> Task<Void, Never>? in
            state.waiters.removeAll { $0 === waiter }
            guard state.waiters.isEmpty else { return nil }
            state.isOver = true
            return state.task
        }
        unused?.cancel()
    }

    private func end(_ result: Result<SharedResponse?, any Error>) {
        let waiters = state.withLock { state in
            defer { state.waiters = [] }
            state.isOver = true
            return state.waiters
        }
        for waiter in waiters { waiter.give(result) }
    }
}
