import Requests

/// Stores a token and refreshes it once for all requests that need it.
///
/// ```swift
/// let tokens = TokenStore(saved) { old in
///     let renewal = api.post(
///         json: ["refresh_token": old?.refreshToken],
///         to: "/token"
///     )
///     let login = try await client.send(renewal.receiving(json: Login.self))
///     return AccessToken(login.token, refreshToken: login.refreshToken)
/// }
/// client.configuration.authenticate(
///     "https://api.example.com",
///     with: .refreshing(tokens)
/// )
/// ```
///
/// If several requests find that the token isn't accepted, it is refreshed once, and all of them continue with the new
/// token. If a refresh fails, every waiting request fails with `ClientError.Code.refreshFailed`. So do later ones for a
/// short time, to spare the server. If a refresh is canceled, for example by ``Client/cancelAll()``, it is repeated
/// once for the requests that still wait.
///
/// Requests that the refresh sends, in its task or in child tasks, aren't authenticated by this store.
///
/// If ``token`` is set during a refresh, the result of the refresh is dropped. Waiting requests continue with the token
/// that was set, or fail if it is `nil`.
public final class TokenStore: Sendable {
    private struct Failure {
        var token: String?
        var error: ClientError
        let age: Stopwatch
    }

    /// The result for a waiting request.
    struct NewToken {
        var token: AccessToken
        /// Whether the token comes from a refresh. A token that was set may be as old as the rejected one.
        var isRefreshed: Bool
    }

    private typealias Waiter = Promise<NewToken>

    private struct State {
        var token: AccessToken?
        /// A name for the user of the token.
        var identity: String
        /// Whether the token comes from a refresh.
        var isRefreshed = false
        /// Incremented when the token is set. The result of a refresh of an earlier generation is dropped.
        var generation = 0
        var isRefreshing = false
        /// The task of the refresh in progress.
        var task: Task<Void, Never>?
        var waiters: [ObjectIdentifier: Waiter] = [:]
        var failure: Failure?

        mutating func takeWaiters() -> [Waiter] {
            defer { waiters = [:] }
            return Array(waiters.values)
        }
    }

    private enum Action {
        case wait(Task<Void, Never>?)
        case refresh(AccessToken?, generation: Int)
        case resume(Result<NewToken, any Error>)
    }

    private let state: Locked<State>
    private let pause: Duration
    private let clock: any Clock<Duration>
    private let date: @Sendable () -> Date
    private let refresh: @Sendable (AccessToken?) async throws -> AccessToken

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - token: The initial token. Default: `nil`, so that the first request refreshes it.
    ///   - pause: How long requests with the same token fail after a failed refresh. Default: 5 seconds.
    ///   - clock: The clock of `pause`. Default: the system's.
    ///   - date: Returns the current date, for tokens that expire. Default: the system's.
    ///   - identity: A name for the token's user, by which a cache keeps responses apart, also when the app runs again.
    ///     Default: `nil`, a random one. Refreshes keep it. Setting ``token`` replaces it by a random one.
    ///   - refresh: Returns a new token, given the old one. Canceling a request doesn't cancel it.
    public init(
        _ token: AccessToken? = nil,
        pause: Duration = .seconds(5),
        clock: any Clock<Duration> = ContinuousClock(),
        date: @escaping @Sendable () -> Date = { Date() },
        identity: String? = nil,
        refresh: @escaping @Sendable (AccessToken?) async throws -> AccessToken
    ) {
        self.state = Locked(State(token: token, identity: identity ?? UUID().uuidString))
        self.pause = pause
        self.clock = clock
        self.date = date
        self.refresh = refresh
    }

    /// A name for the user of the token. A refresh sends its requests without one.
    var identity: String { state.withLock { $0.identity } + (isRefreshing ? " refreshing" : "") }

    /// The token. `nil` makes the next request refresh it.
    ///
    /// Setting it resets a failed refresh, and ends the waiting for one in progress.
    public var token: AccessToken? {
        get { state.withLock { $0.token } }
        set {
            let waiters = state.withLock { state in
                (state.token, state.isRefreshed) = (newValue, false)
                // It may be another user's.
                state.identity = UUID().uuidString
                state.failure = nil
                state.generation += 1
                // A refresh in progress is for the old token, so no request should wait for it.
                state.isRefreshing = false
                return state.takeWaiters()
            }
            let removed = ClientError.refresh("The token was removed while it was refreshed. Sign in again.")
            let result: Result<NewToken, any Error> =
                newValue.map { .success(NewToken(token: $0, isRefreshed: false)) } ?? .failure(removed)
            for waiter in waiters { waiter.give(result) }
        }
    }

    /// Whether the current task is part of a refresh.
    var isRefreshing: Bool { TaskMark.isPresent(of: ObjectIdentifier(self)) }

    /// Returns the token, or a new one if it is missing or has expired.
    ///
    /// - Parameter mayRefresh: Whether a token that has expired is refreshed.
    func validToken(mayRefresh: Bool) async throws -> NewToken {
        // Read once: a token that is set in the meantime isn't the one that has expired.
        let known = token
        if let known, !mayRefresh || known.expires.map({ $0 > date() }) ?? true {
            return NewToken(token: known, isRefreshed: false)
        }
        return try await newToken(replacing: known)
    }

    /// Returns a token that differs from the rejected one. Waits for a refresh if necessary.
    func newToken(replacing stale: AccessToken?) async throws -> NewToken {
        try Task.checkCancellation()
        let waiter = Waiter()
        switch join(waiter, replacing: stale) {
        case .wait(let task):
            if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
                task?.escalatePriority(to: Task.currentPriority)
            }
        case .refresh(let old, let generation): beginRefresh(of: old, generation)
        case .resume(let result): return try result.get()
        }
        defer { state.withLock { $0.waiters[ObjectIdentifier(waiter)] = nil } }
        return try await waiter.wait()
    }

    private func join(_ waiter: Waiter, replacing stale: AccessToken?) -> Action {
        state.withLock { state in
            if let token = state.token, token.value != stale?.value {
                return .resume(.success(NewToken(token: token, isRefreshed: state.isRefreshed)))
            }
            if let failure = state.failure, failure.token == stale?.value, failure.age.elapsed < pause {
                return .resume(.failure(failure.error))
            }
            state.waiters[ObjectIdentifier(waiter)] = waiter
            if state.isRefreshing { return .wait(state.task) }
            state.isRefreshing = true
            return .refresh(state.token, generation: state.generation)
        }
    }

    /// Runs a refresh in a separate task, because it belongs to all waiting requests.
    private func beginRefresh(of old: AccessToken?, _ generation: Int, isSecond: Bool = false) {
        let task = Task(executorPreference: CallState.executor) { [self] in
            do {
                let new = try await TaskMark.run(of: ObjectIdentifier(self)) {
                    try await CallQueue.exempting { try await refresh(old) }
                }
                end(.success(new), of: old, generation)
            } catch  where Task.isCancelled || error is CancellationError {
                endCanceled(error, of: old, generation, isSecond: isSecond)
            } catch {
                let advice = "Sign in again, or try later. Reason: \(Redaction.reason(error))"
                end(.failure(.refresh("The token couldn't be refreshed. \(advice)", error)), of: old, generation)
            }
        }
        // Requests with a higher priority that join the refresh must not wait at its priority.
        state.withLock { if $0.generation == generation, $0.isRefreshing { $0.task = task } }
    }

    private func end(_ result: Result<AccessToken, ClientError>, of old: AccessToken?, _ generation: Int) {
        let waiters = state.withLock { state -> [Waiter] in
            // If the token was set since, the waiters already have their result.
            guard state.generation == generation else { return [] }
            state.isRefreshing = false
            switch result {
            case .success(let token): (state.token, state.isRefreshed, state.failure) = (token, true, nil)
            case .failure(let error):
                state.failure = Failure(token: old?.value, error: error, age: clock.stopwatch())
            }
            return state.takeWaiters()
        }
        for waiter in waiters {
            waiter.give(result.map { NewToken(token: $0, isRefreshed: true) }.mapError { $0 })
        }
    }

    /// Ends a canceled refresh, which says nothing about the token. Starts another one for the requests that still
    /// wait.
    private func endCanceled(_ error: any Error, of old: AccessToken?, _ generation: Int, isSecond: Bool) {
        let waiters = state.withLock { state -> [Waiter]? in
            guard state.generation == generation else { return [] }
            guard isSecond || state.waiters.values.allSatisfy(\.isGiven) else { return nil }
            state.isRefreshing = false
            return state.takeWaiters()
        }
        guard let waiters else { return beginRefresh(of: old, generation, isSecond: true) }
        let message = "The refresh of the token was canceled twice. Send the request again."
        for waiter in waiters { waiter.give(.failure(ClientError.refresh(message, error))) }
    }
}

extension ClientError {
    fileprivate static func refresh(_ message: String, _ underlying: (any Error)? = nil) -> ClientError {
        ClientError(code: .refreshFailed, message: message, underlying: underlying)
    }
}

extension TokenStore: CustomReflectable {
    /// No part of the token.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
