import Dispatch

/// Runs tasks on the loop's thread, between two of its turns.
extension EventLoop: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        submit(.run(UnownedJob(job)))
    }

    /// Runs jobs that arrive after the end of the loop.
    static func runElsewhere(_ job: UnownedJob, for loop: EventLoop) {
        DispatchQueue.global().async { unsafe job.runSynchronously(on: loop.asUnownedTaskExecutor()) }
    }
}
