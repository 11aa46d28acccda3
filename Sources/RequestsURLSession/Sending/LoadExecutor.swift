#if FullFoundation
import Dispatch

/// The executor that loads the requests of sessions, on threads that no other task uses.
///
/// Older code waits for a completion handler with a semaphore. As many such tasks as there are cores block all threads
/// that tasks share, and a load that needs one of them would never end.
final class LoadExecutor: TaskExecutor {
    static let shared = LoadExecutor()

    private let queue = DispatchQueue(label: "RequestsURLSession.loads", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
#endif
