import Foundation

/// Holds a token and renews it, once for all requests that need it.
///
/// ```swift
/// let tokens = TokenStore(saved) { old in
///     let renewal = api.post(json: ["refresh_token": old?.refreshToken], to: "/token")
///     let login = try await client.send(renewal.receiving(json: Login.self))
///     return AccessToken(login.token, refreshToken: login.refreshToken)
/// }
/// client.configuration.authentication = .refreshing(tokens)
/// ```
///
/// However many requests find that the token is not accepted, it is renewed once, and they all go on with the new one.
/// When that fails they all fail, with ``ClientError/Code/refreshFailed``, and so do others for a short time: a server
/// in trouble is not asked by each of them. Requests that the renewal itself makes, in its task or in those
/// that it begins, are not authenticated by this store.
/// A renewal that is cancelled, by ``Client/cancelAll()`` say, is no such failure: it begins again, once, for those who
/// still wait.
///
/// A token that is set, or removed, while another one is renewed stays: what the renewal gives is then dropped, and
/// those who wait for it go on with the one that is set, or fail.
public final class TokenStore: Sendable {
    private struct Failure {
        var token: String?
        var error: ClientError
        var age: @Sendable () -> Duration
    }

    /// What those get who wait.
    struct NewToken {
        var token: AccessToken
        /// Whether it is of a renewal: one that somebody has set may be as old as the one that was not accepted.
        var isRenewed: Bool
    }

    private typealias Waiter = CheckedContinuation<NewToken, any Error>

    private struct State {
        var token: AccessToken?
        /// Whether a renewal gave the token.
        var isRenewed = false
        /// How often the token was set: a renewal that began before the last time is of a token that is gone.
        var generation = 0
        var isRefreshing = false
        var waiters: [Int: Waiter] = [:]
        /// Waiters whose task was cancelled before they waited.
        var cancelled: Set<Int> = []
        var nextWaiter = 0
        var failure: Failure?

        mutating func takeWaiters() -> [Waiter] {
            defer { waiters = [:] }
            return Array(waiters.values)
        }
    }

    private enum Action {
        case wait
        case refresh(AccessToken?, generation: Int)
        case resume(Result<NewToken, any Error>)
    }

    /// A mark of what a renewal does. Tasks that it begins inherit it, and can go on when the renewal is over.
    private final class Renewal: Sendable {
        let store: ObjectIdentifier
        private let isOver = Guarded(false)

        init(of store: TokenStore) {
            self.store = ObjectIdentifier(store)
        }

        var isRunning: Bool { isOver.withLock { !$0 } }

        func end() { isOver.withLock { $0 = true } }
    }

    /// The renewals that the current task is part of, or was begun by.
    @TaskLocal private static var renewals: [Renewal] = []

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

    /// The token. Setting one ends what is known of a failed renewal, and the waits for one that is under way; `nil`
    /// makes the next request ask for one.
    public var token: AccessToken? {
        get { state.withLock { $0.token } }
        set {
            let waiters = state.withLock { state in
                (state.token, state.isRenewed) = (newValue, false)
                state.failure = nil
                state.generation += 1
                // A renewal under way is for the old token: nobody should wait for it to renew the new one.
                state.isRefreshing = false
                return state.takeWaiters()
            }
            let result = newValue.map { NewToken(token: $0, isRenewed: false) }
            for waiter in waiters {
                waiter.resume(with: result.map { .success($0) } ?? .failure(ClientError.tokenRemoved))
            }
        }
    }

    /// Whether the current task is the renewal, or part of it.
    var isRefreshing: Bool { TokenStore.renewals.contains { $0.store == ObjectIdentifier(self) && $0.isRunning } }

    /// Whether a token is not known to have expired.
    func isValid(_ token: AccessToken) -> Bool { token.expires.map { $0 > date() } ?? true }

    /// Waits for another token than one that was not accepted. It is there at once where it was renewed since.
    func newToken(inPlaceOf stale: AccessToken?) async throws -> NewToken {
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
                case .refresh(let old, let generation): beginRefresh(of: old, generation)
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
        _ continuation: Waiter,
        inPlaceOf stale: AccessToken?
    ) -> Action {
        state.withLock { state in
            if state.cancelled.remove(waiter) != nil { return .resume(.failure(CancellationError())) }
            if let token = state.token, token.value != stale?.value {
                return .resume(.success(NewToken(token: token, isRenewed: state.isRenewed)))
            }
            if let failure = state.failure, failure.token == stale?.value, failure.age() < pause {
                return .resume(.failure(failure.error))
            }
            state.waiters[waiter] = continuation
            if state.isRefreshing { return .wait }
            state.isRefreshing = true
            return .refresh(state.token, generation: state.generation)
        }
    }

    /// In a task of its own: it belongs to all who wait, and not to the first of them.
    private func beginRefresh(of old: AccessToken?, _ generation: Int, isSecond: Bool = false) {
        let renewal = Renewal(of: self)
        let renewals = TokenStore.renewals.filter(\.isRunning) + [renewal]
        Task {
            do {
                let new = try await TokenStore.$renewals.withValue(renewals) {
                    defer { renewal.end() }
                    return try await refresh(old)
                }
                end(.success(new), of: old, generation)
            } catch  where Task.isCancelled || error is CancellationError {
                endCancelled(error, of: old, generation, isSecond: isSecond)
            } catch {
                end(.failure(ClientError.refreshFailed(error)), of: old, generation)
            }
        }
    }

    private func end(_ result: Result<AccessToken, any Error>, of old: AccessToken?, _ generation: Int) {
        let waiters = state.withLock { state -> [Waiter] in
            // A token that was set since stays, and who waited has gone on.
            guard state.generation == generation else { return [] }
            state.isRefreshing = false
            switch result {
            case .success(let token): (state.token, state.isRenewed, state.failure) = (token, true, nil)
            case .failure(let error):
                state.failure = (error as? ClientError).map {
                    Failure(token: old?.value, error: $0, age: clock.stopwatch())
                }
            }
            return state.takeWaiters()
        }
        for waiter in waiters { waiter.resume(with: result.map { NewToken(token: $0, isRenewed: true) }) }
    }

    /// Says nothing about the token, and is not kept: those who were not cancelled with the renewal get another one.
    private func endCancelled(_ error: any Error, of old: AccessToken?, _ generation: Int, isSecond: Bool) {
        let waiters = state.withLock { state -> [Waiter]? in
            guard state.generation == generation else { return [] }
            guard isSecond || state.waiters.isEmpty else { return nil }
            state.isRefreshing = false
            return state.takeWaiters()
        }
        guard let waiters else { return beginRefresh(of: old, generation, isSecond: true) }
        for waiter in waiters { waiter.resume(throwing: ClientError.refreshCancelled(error)) }
    }
}

extension ClientError {
    fileprivate static var tokenRemoved: ClientError {
        ClientError(code: .refreshFailed, message: "the token was removed while it was renewed; sign in again")
    }

    fileprivate static func refreshCancelled(_ error: any Error) -> ClientError {
        ClientError(
            code: .refreshFailed,
            message: "the renewal of the token was cancelled twice; send the request again",
            underlying: error
        )
    }

    fileprivate static func refreshFailed(_ error: any Error) -> ClientError {
        ClientError(
            code: .refreshFailed,
            message: "the token could not be renewed (\(Redaction.reason(error))); sign in again, or try later",
            underlying: error
        )
    }
}

extension TokenStore: CustomReflectable {
    /// No part of the token.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
