/// Cancels one call of a client, and not the task that it runs in.
///
/// A separate task for each call would do the same, but costs more than the rest of the client. Instead, the library's
/// waits know the scope of their call, and code of callers runs in a separate task (``isolating(_:)``).
package final class CallScope: Sendable {
    /// The scope of the call that this task belongs to. `nil` outside a call.
    @TaskLocal package static var current: CallScope?

    private enum State {
        case running([any Cancelable])
        case canceled
    }

    private let state = Locked(State.running([]))

    /// Cancels what waits in the scope, now and later.
    func cancel() {
        let waiting = state.withLock { state in
            defer { state = .canceled }
            guard case .running(let waiting) = state else { return [] as [any Cancelable] }
            return waiting
        }
        for target in waiting { target.cancel() }
    }

    /// Throws `CancellationError` if the task or its call was canceled.
    static func checkCancellation() throws {
        try Task.checkCancellation()
        if let current, current.isCanceled { throw CancellationError() }
    }

    private var isCanceled: Bool {
        state.withLock { state in
            if case .canceled = state { return true }
            return false
        }
    }

    /// Runs an operation, and cancels the target if the task or its call is canceled meanwhile.
    ///
    /// - Parameters:
    ///   - target: Ends the operation when it is canceled, which can also happen after the operation has returned.
    ///   - operation: Waits for the target.
    package static func canceling<Result>(
        _ target: any Cancelable,
        _ operation: () async throws -> Result
    ) async rethrows -> Result {
        let scope = current
        scope?.add(target)
        defer { scope?.remove(target) }
        return try await withTaskCancellationHandler(operation: operation) { target.cancel() }
    }

    /// Runs code that doesn't know the scope in a separate task, which the scope cancels.
    static func isolating<Result: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        guard current != nil else { return try await operation() }
        try checkCancellation()
        let task = task { try await $current.withValue(nil, operation: operation) }
        return try await canceling(CancelableTask(task)) { try await task.value }
    }

    /// Starts a task, on this thread if the system can, which saves switching threads.
    private static func task<Result: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Result
    ) -> Task<Result, any Error> {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            Task.immediate { try await operation() }
        } else {
            Task { try await operation() }
        }
    }

    private func add(_ target: any Cancelable) {
        let isRunning = state.withLock { state in
            guard case .running(let waiting) = state else { return false }
            state = .running(waiting + [target])
            return true
        }
        if !isRunning { target.cancel() }
    }

    private func remove(_ target: any Cancelable) {
        state.withLock { state in
            guard case .running(let waiting) = state else { return }
            state = .running(waiting.filter { $0 !== target })
        }
    }
}

/// Something that a task waits for, and that can be canceled at any time.
package protocol Cancelable: AnyObject, Sendable {
    func cancel()
}

private final class CancelableTask<Success: Sendable>: Cancelable {
    private let task: Task<Success, any Error>

    init(_ task: Task<Success, any Error>) {
        self.task = task
    }

    func cancel() {
        task.cancel()
    }
}
