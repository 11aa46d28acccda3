import Requests

/// What a call knows: its deadline, whether the server may have acted, and whether it has ended.
///
/// The call ends when its state does (``cancel()``, the deadline), and not only when its task is canceled. The
/// library's waits know the state of their call (``canceling(_:_:)``). Code of others doesn't, so it runs in a separate
/// task, for which the call waits (``isolating(endsCall:_:)``).
package final class CallState: Cancelable {
    /// The state of the call that this task belongs to. `nil` outside a call, and in the task for code of others, where
    /// the cancellation of that task ends the waits.
    @TaskLocal package static var current: CallState?

    private struct State {
        var targets: [any Cancelable] = []
        /// Why the call may not go on: it was canceled, or its time is over.
        var end: (any Error)?
        /// The numbers of requests that the transport is sending, and that may have been processed.
        var (sending, processed) = (0, 0)
        /// The last request.
        var request: PreparedRequest?
        /// The failure that the call waits after. It is reported if the time is over during the wait.
        var insteadOfTimeout: (any Error)?
        /// When the shared timer must look, in nanoseconds of ``Watchdog/now``. `nil` if it needn't.
        var due: UInt64?
        /// The `Idempotency-Key` of all requests.
        var key: String?
    }

    private let state = Locked(State())
    let deadline: Deadline

    init(_ deadline: Deadline = .none) { self.deadline = deadline }

    // MARK: The end

    /// Ends what waits in the call, now and later.
    package func cancel() { end(with: CancellationError()) }

    private func end(with reason: any Error) {
        let targets = state.withLock { state in
            guard state.end == nil else { return [] as [any Cancelable] }
            state.end = reason
            return state.targets
        }
        for target in targets { target.cancel() }
    }

    /// Why the call may not go on. `nil` if it may.
    var reason: (any Error)? { state.withLock { $0.end } }

    /// Throws `CancellationError` if the task or its call was canceled.
    package static func checkCancellation() throws {
        try Task.checkCancellation()
        if let reason = current?.reason { throw reason }
    }

    // MARK: The deadline

    /// Ends the call at its deadline, even in code that doesn't look at it.
    ///
    /// - Parameters:
    ///   - request: What the error names if nothing was sent.
    ///   - wake: Schedules ``checkDeadline(at:)`` with the timer that all calls share on the system's clock.
    /// - Returns: The timer of another clock, for ``stopTimer(_:)``.
    func startTimer(for request: PreparedRequest, wake: (_ time: UInt64) -> Void) -> Task<Void, Never>? {
        guard let remaining = deadline.remaining else { return nil }
        state.withLock { $0.request = request }
        if deadline.isOnSystemClock {
            let due = Watchdog.now &+ UInt64(max(remaining / .nanoseconds(1), 0))
            state.withLock { $0.due = due }
            wake(due)
            return nil
        }
        return Task(executorPreference: CallState.executor) { [self] in
            if (try? await deadline.sleep()) != nil { expire() }
        }
    }

    func stopTimer(_ timer: Task<Void, Never>?) {
        timer?.cancel()
        if deadline.total != nil { state.withLock { $0.due = nil } }
    }

    /// - Returns: When to look again. `nil` if there is no deadline, or it has passed.
    func checkDeadline(at now: UInt64) -> UInt64? {
        guard let due = state.withLock({ $0.due }), due <= now else { return state.withLock { $0.due } }
        expire()
        return nil
    }

    private func expire() {
        guard let total = deadline.total, let request = state.withLock({ $0.request }) else { return }
        end(with: reporting(state.withLock { $0.insteadOfTimeout } ?? TransportError.timedOut(total, request)))
    }

    func reportOnTimeout(_ outcome: (any Error)?) { state.withLock { $0.insteadOfTimeout = outcome } }

    /// Returns the call's `Idempotency-Key`, which is made once.
    func key(or token: () -> String) -> String {
        state.withLock { state in
            let key = state.key ?? token()
            state.key = key
            return key
        }
    }

    // MARK: Requests that may have been processed

    /// Called before the transport gets a request. Throws if the call has ended.
    func begins(_ request: PreparedRequest) throws {
        try state.withLock { state in
            if let reason = state.end { throw reason }
            state.sending += 1
            state.request = request
        }
    }

    /// Called after the transport has sent a request.
    func ended(mayHaveBeenProcessed: Bool) {
        state.withLock { state in
            state.sending -= 1
            if mayHaveBeenProcessed { state.processed += 1 }
        }
    }

    /// The number of requests that may have been processed.
    var processed: Int { state.withLock { $0.processed } }

    /// Whether a request may have been processed since there were so many.
    func mayHaveBeenProcessed(since processed: Int) -> Bool {
        state.withLock { $0.processed + $0.sending > processed }
    }

    /// Returns an error that also reports whether requests after the first `processed` ones may have been processed.
    func reporting(_ error: any Error, since processed: Int = 0) -> any Error {
        guard mayHaveBeenProcessed(since: processed), var known = error as? TransportError else { return error }
        known.requestMayHaveBeenProcessed = true
        return known
    }

    // MARK: Waiting

    /// Runs an operation, and cancels its target if the task or its call is canceled meanwhile.
    ///
    /// - Parameters:
    ///   - target: Ends the operation when it is canceled, which can also happen after the operation has returned.
    ///   - endsCall: Whether canceling the task ends the whole call, so that it sends nothing any more.
    ///   - operation: Waits for the target.
    package static func canceling<Result>(
        _ target: any Cancelable,
        endsCall: Bool = false,
        _ operation: () async throws -> Result
    ) async rethrows -> Result {
        let call = current
        call?.add(target)
        defer { call?.remove(target) }
        let ended = endsCall ? call ?? target : target
        return try await withTaskCancellationHandler(operation: operation) { ended.cancel() }
    }

    /// Runs code of others, and returns when the call ends, even if that code doesn't. Outside a call, just runs it.
    package static func isolating<Result: Sendable>(
        endsCall: Bool = false,
        _ operation: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        guard let current else { return try await operation() }
        try Task.checkCancellation()
        let work = Work<Result>()
        defer { work.stop() }
        do {
            return try await canceling(work, endsCall: endsCall) {
                work.start(operation)
                return try await work.promise.take()
            }
        } catch is CancellationError {
            throw current.reason ?? CancellationError()
        }
    }

    private func add(_ target: any Cancelable) {
        let isRunning = state.withLock { state in
            if state.end == nil { state.targets.append(target) }
            return state.end == nil
        }
        if !isRunning { target.cancel() }
    }

    private func remove(_ target: any Cancelable) {
        state.withLock { state in
            if let index = state.targets.firstIndex(where: { $0 === target }) { state.targets.remove(at: index) }
        }
    }
}

/// Something that a task waits for, and that can be canceled at any time.
package protocol Cancelable: AnyObject, Sendable {
    func cancel()
}

/// A transport or a cache that ends when its call is canceled, so that it needs no separate task.
package protocol EndsWithCall: Sendable {}

extension CallState {
    /// The caller's executor preference, for the tasks of a call, because the caller may have blocked the threads that
    /// other tasks share. `nil` if the system can't tell it.
    package static var executor: (any TaskExecutor)? {
        #if compiler(>=6.3)
        if #available(macOS 26.4, iOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *) {
            return unsafe withUnsafeCurrentTask { unsafe $0?.unownedTaskExecutor?.asTaskExecutor() }
        }
        #endif
        return nil
    }
}

/// The task for code of others.
private final class Work<Value: Sendable>: Cancelable {
    let promise = Promise<Value>()
    private let task = Locked<Task<Void, Never>?>(nil)

    /// Does nothing after a cancellation.
    func start(_ operation: @escaping @Sendable () async throws -> Value) {
        task.withLock { task in
            guard !promise.isGiven else { return }
            task = Task(executorPreference: CallState.executor) { [promise] in
                let work = { try await CallState.$current.withValue(nil, operation: operation) }
                promise.give(await Result(awaiting: work))
            }
        }
    }

    func stop() { task.withLock { $0 }?.cancel() }

    func cancel() {
        promise.cancel()
        stop()
    }
}
