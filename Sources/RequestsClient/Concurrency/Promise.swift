/// A value that one task waits for and takes. Only the first result counts.
package final class Promise<Value: Sendable>: Cancelable {
    /// The error for all but one of several tasks that take the value.
    package struct AlreadyTaken: Error {}

    private enum State {
        case pending(Waiter?)
        case given(Result<Value, any Error>)
        /// The result was taken. It isn't kept, because dropping a response body cancels it.
        case taken
    }

    private let state = Locked(State.pending(nil))

    package init() {}

    package func give(_ result: Result<Value, any Error>) {
        let waiter = state.withLock { state in
            guard case .pending(let waiter) = state else { return nil as Waiter? }
            state = .given(result)
            return waiter
        }
        waiter?.resume()
    }

    package func cancel() { give(.failure(CancellationError())) }

    /// Whether there is a result, or was one.
    var isGiven: Bool { state.withLock { if case .pending = $0 { false } else { true } } }

    /// Waits for the result, and stops when the task or its call is canceled.
    package func wait() async throws -> Value { try await CallState.canceling(self) { try await take() } }

    /// Waits for the result, even in a canceled task.
    ///
    /// - Throws: The error that was given, or ``AlreadyTaken``.
    package func take() async throws -> Value {
        if let result = try takeGiven() { return try result.get() }
        await Waiter.wait { waiter in
            let isWaiting = state.withLock { state in
                guard case .pending(nil) = state else { return false }
                state = .pending(waiter)
                return true
            }
            if !isWaiting { waiter.resume() }
        }
        guard let result = try takeGiven() else { throw AlreadyTaken() }
        return try result.get()
    }

    /// Returns `nil` if there is no result yet and no other task waits for it.
    private func takeGiven() throws(AlreadyTaken) -> Result<Value, any Error>? {
        try state.withLock { state throws(AlreadyTaken) in
            switch state {
            case .pending(nil): return nil
            case .given(let result):
                state = .taken
                return result
            case .pending, .taken: throw AlreadyTaken()
            }
        }
    }
}

extension Result where Failure == any Error {
    /// Runs an operation and keeps its result or its error.
    package init(awaiting operation: () async throws -> Success) async {
        do {
            self = .success(try await operation())
        } catch {
            self = .failure(error)
        }
    }
}

/// A suspended task, which any thread can resume once.
///
/// The continuation is unsafe, because the layout of a checked one is known only at run time, so that each copy costs a
/// call. It is resumed only once, because callers remove the waiter from shared state before they resume it.
@safe package struct Waiter: Sendable {
    private let continuation: UnsafeContinuation<Void, Never>

    package func resume() { unsafe continuation.resume() }

    /// Suspends the task until the waiter is resumed.
    ///
    /// If it is resumed before the task is suspended, the runtime doesn't tell Thread Sanitizer about the order, so
    /// this function does.
    ///
    /// - Parameter start: Stores the waiter for the code that resumes it.
    package static func wait(_ start: (Waiter) -> Void) async {
        // The continuation is the task's address, which the runtime passes to the sanitizer when it resumes the task.
        var task: UnsafeMutableRawPointer?
        unsafe await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            if ThreadSanitizer.shared != nil {
                unsafe task = unsafeBitCast(continuation, to: UnsafeMutableRawPointer.self)
            }
            unsafe start(Waiter(continuation: continuation))
        }
        if let task = unsafe task { unsafe ThreadSanitizer.shared?.acquire(task) }
    }
}
