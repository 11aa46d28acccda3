import Foundation

/// Holds a token and renews it, once for all requests that need it.
///
/// ```swift
/// let tokens = TokenStore(saved) { old in
///     let login = try await client.send(api.post(json: Renewal(old?.refreshToken), to: "/token"))
///     return AccessToken(login.token, refreshToken: login.refreshToken)
/// }
/// client.configuration.authentication = .refreshing(tokens)
/// ```
///
/// However many requests find that the token is not accepted, it is renewed once, and they all go on with the new one.
/// When that fails they all fail, with ``ClientError/Code/refreshFailed``, and so do others for a short time: a server
/// in trouble is not asked by each of them. Requests that the renewal itself makes are not authenticated by this store.
public final class TokenStore: Sendable {
    private struct Failure {
        var token: String?
        var error: ClientError
        var age: @Sendable () -> Duration
    }

    private struct State {
        var token: AccessToken?
        var isRefreshing = false
        var waiters: [Int: CheckedContinuation<AccessToken, any Error>] = [:]
        /// Waiters whose task was cancelled before they waited.
        var cancelled: Set<Int> = []
        var nextWaiter = 0
        var failure: Failure?
    }

    private enum Action {
        case wait
        case refresh(AccessToken?)
        case resume(Result<AccessToken, any Error>)
    }

    /// The stores whose renewal the current task is part of.
    @TaskLocal private static var refreshing: Set<ObjectIdentifier> = []

    private let state: Guarded<State>
    private let pause: Duration
    private let clock: any Clock<Duration>
    private let date: @Sendable () -> Date
    private let refresh: @Sendable (AccessToken?) async throws -> AccessToken

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - token: The token to begin with; with `nil`, the default, the first request asks for one.
    ///   - pause: How long a failed renewal counts for requests with the same token; 5 seconds by default.
    ///   - clock: The clock of `pause`; the system's by default.
    ///   - date: The date and time, for tokens that expire; the system's by default.
    ///   - refresh: Gets a new token in place of the one it is given. It is not cancelled with a request.
    public init(
        _ token: AccessToken? = nil,
        pause: Duration = .seconds(5),
        clock: any Clock<Duration> = ContinuousClock(),
        date: @escaping @Sendable () -> Date = { Date() },
        refresh: @escaping @Sendable (AccessToken?) async throws -> AccessToken
    ) {
        self.state = Guarded(State(token: token))
        self.pause = pause
        self.clock = clock
        self.date = date
        self.refresh = refresh
    }

    /// The token. Setting one ends what is known of a failed renewal; `nil` makes the next request ask for one.
    public var token: AccessToken? {
        get { state.withLock { $0.token } }
        set {
            state.withLock { state in
                state.token = newValue
                state.failure = nil
            }
        }
    }

    /// Whether the current task is the renewal, or part of it.
    var isRefreshing: Bool { TokenStore.refreshing.contains(ObjectIdentifier(self)) }

    /// The token, unless it is known to have expired.
    var validToken: AccessToken? {
        token.flatMap { token in token.expires.map { $0 > date() } ?? true ? token : nil }
    }

    /// Waits for another token than one that was not accepted. It is there at once where it was renewed since.
    func newToken(inPlaceOf stale: AccessToken?) async throws -> AccessToken {
        let waiter = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        // A cancellation that came too late for the waiting is not kept.
        defer { state.withLock { _ = $0.cancelled.remove(waiter) } }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                switch join(waiter, continuation, inPlaceOf: stale) {
                case .wait: break
                case .refresh(let old): beginRefresh(of: old)
                case .resume(let result): continuation.resume(with: result)
                }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                let continuation = state.waiters.removeValue(forKey: waiter)
                if continuation == nil { state.cancelled.insert(waiter) }
                return continuation
            }
            continuation?.resume(throwing: CancellationError())
        }
    }

    private func join(
        _ waiter: Int,
        _ continuation: CheckedContinuation<AccessToken, any Error>,
        inPlaceOf stale: AccessToken?
    ) -> Action {
        state.withLock { state in
            if state.cancelled.remove(waiter) != nil { return .resume(.failure(CancellationError())) }
            if let token = state.token, token.value != stale?.value { return .resume(.success(token)) }
            if let failure = state.failure, failure.token == stale?.value, failure.age() < pause {
                return .resume(.failure(failure.error))
            }
            state.waiters[waiter] = continuation
            if state.isRefreshing { return .wait }
            state.isRefreshing = true
            return .refresh(state.token)
        }
    }

    /// In a task of its own: it belongs to all who wait, and not to the first of them.
    private func beginRefresh(of old: AccessToken?) {
        let marks = TokenStore.refreshing.union([ObjectIdentifier(self)])
        Task {
            do {
                end(.success(try await TokenStore.$refreshing.withValue(marks) { try await refresh(old) }), of: old)
            } catch {
                end(.failure(error), of: old)
            }
        }
    }

    private func end(_ result: Result<AccessToken, any Error>, of old: AccessToken?) {
        let result = result.mapError { ClientError.refreshFailed($0) as any Error }
        let waiters = state.withLock { state in
            state.isRefreshing = false
            switch result {
            case .success(let token): (state.token, state.failure) = (token, nil)
            case .failure(let error):
                state.failure = (error as? ClientError).map {
                    Failure(token: old?.value, error: $0, age: clock.stopwatch())
                }
            }
            defer { state.waiters = [:] }
            return state.waiters.values.map { $0 }
        }
        for waiter in waiters { waiter.resume(with: result) }
    }
}

extension ClientError {
    fileprivate static func refreshFailed(_ error: any Error) -> ClientError {
        // The words of errors that are not ours may hold secrets.
        let isOurs = error is TransportError || error is RequestError || error is ClientError
        return ClientError(
            code: .refreshFailed,
            message: "the token could not be renewed (\(isOurs ? "\(error)" : "\(type(of: error))")); "
                + "sign in again, or try later",
            underlying: error
        )
    }
}

extension TokenStore: CustomReflectable {
    /// No part of the token.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
