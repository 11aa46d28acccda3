#if FullFoundation
import RequestsClient

/// The progress of a session's task.
struct LoadState {
    enum Stop { case suspended, ended }

    private enum Phase {
        case idle
        case running
        case suspended(Waiter?)
        case ended
    }

    private var phase = Phase.idle
    private var task: Task<Void, Never>?

    /// Starts or resumes the load. Returns the waiter to resume, if any.
    mutating func start() -> (isFirst: Bool, waiter: Waiter?) {
        switch phase {
        case .idle:
            phase = .running
            return (true, nil)
        case .suspended(let waiter):
            phase = .running
            return (false, waiter)
        case .running, .ended: return (false, nil)
        }
    }

    /// Stores the running task, or cancels it if the load has already ended.
    mutating func keep(_ task: Task<Void, Never>) {
        if case .ended = phase { task.cancel() } else { self.task = task }
    }

    /// Suspends or ends the load. Returns the task to cancel and the waiter to resume.
    mutating func stop(_ stop: Stop) -> (Task<Void, Never>?, Waiter?) {
        switch (phase, stop) {
        case (.running, .suspended): phase = .suspended(nil)
        case (.suspended, .suspended), (.idle, .suspended), (.ended, _): break
        case (.suspended(let waiter), .ended):
            phase = .ended
            return (task, waiter)
        case (.idle, .ended), (.running, .ended):
            phase = .ended
            return (task, nil)
        }
        return (nil, nil)
    }

    /// Returns `false` if the load is suspended. Throws if it hasn't started or has ended.
    func isRunning() throws(CancellationError) -> Bool {
        switch phase {
        case .running: true
        case .suspended: false
        case .idle, .ended: throw CancellationError()
        }
    }

    /// Stores a waiter for the end of the suspension. Returns `false` if the load isn't suspended.
    mutating func wait(_ waiter: Waiter) -> Bool {
        guard case .suspended = phase else { return false }
        phase = .suspended(waiter)
        return true
    }
}
#endif
