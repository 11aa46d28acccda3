import Requests

/// Whether a task rests. Suspensions of a task are counted, so that each has to be undone, and only once.
///
/// The writer and the reader of a body only say that there is something to look at. What is done follows from what is
/// wanted at that moment: a pause that comes later than the resume that undoes it finds nothing to do.
final class Suspension: Sendable {
    private let isSuspended = Guarded(false)

    /// Suspends or resumes, where that differs from what was done last.
    ///
    /// - Parameters:
    ///   - isWanted: Whether the task is to rest. It is asked under the lock, so that who comes last sees the last wish.
    ///   - apply: Suspends the task, or resumes it.
    func update(to isWanted: () -> Bool, _ apply: (_ suspend: Bool) -> Void) {
        isSuspended.withLock { isSuspended in
            let suspend = isWanted()
            guard suspend != isSuspended else { return }
            isSuspended = suspend
            apply(suspend)
        }
    }
}
