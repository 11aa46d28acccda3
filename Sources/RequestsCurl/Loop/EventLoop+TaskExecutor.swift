import Dispatch

/// Tasks can run on the loop's own thread, between two turns of it.
extension EventLoop: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        submit(.run(UnownedJob(job)))
    }

    /// What comes after the loop's end has to run all the same.
    static func runElsewhere(_ job: UnownedJob, for loop: EventLoop) {
        DispatchQueue.global().async { job.runSynchronously(on: loop.asUnownedTaskExecutor()) }
    }
}
