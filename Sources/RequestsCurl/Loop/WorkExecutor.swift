#if canImport(CRequestsCurl)
import CRequestsCurl
import Dispatch
import Requests
import RequestsClient
import RequestsSystem

/// Threads for the tasks that wait for a transport. The event loop hands over all jobs of a turn at once, which takes
/// one lock and one wake-up instead of one for each job.
final class WorkExecutor: Sendable {
    private struct State {
        var jobs: ArraySlice<UnownedJob> = []
        var threads = 0
        var sleeping = 0
        var isOver = false

        /// Whether a thread must be woken for the jobs. If so, it counts as awake.
        mutating func wakesThread() -> Bool {
            guard !jobs.isEmpty, sleeping > 0 else { return false }
            sleeping -= 1
            return true
        }
    }

    private let state = Locked(State())
    private let wakeUps = DispatchSemaphore(value: 0)
    private let loop: EventLoop

    /// Starts a thread for each processor, and at least two. `nil` if the system can't start any.
    ///
    /// Not called on the loop's thread, whose blocked signals new threads would inherit.
    init?(for loop: EventLoop) {
        self.loop = loop
        for _ in 0..<max(ProcessInfo.processInfo.activeProcessorCount, 2) {
            guard LoopThread.start({ [self] in run() }) == 0 else { break }
            state.withLock { $0.threads += 1 }
        }
        if state.withLock({ $0.threads == 0 }) { return nil }
    }

    private func run() {
        unsafe crc_name_thread("Requests.Work")
        while let job = next() { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// Waits for the next job. `nil` after the end.
    private func next() -> UnownedJob? {
        while true {
            let (job, isOver, wakes) = state.withLock { state in
                let job = state.jobs.popFirst()
                guard job == nil else { return (job, false, state.wakesThread()) }
                if !state.isOver { state.sleeping += 1 }
                return (nil, state.isOver, false)
            }
            if wakes { wakeUps.signal() }
            if job != nil || isOver { return job }
            wakeUps.wait()
        }
    }

    /// Adds jobs, in order.
    func add(_ jobs: some Collection<UnownedJob>) {
        let (isOver, wakes) = state.withLock { state in
            if !state.isOver { state.jobs += jobs }
            return (state.isOver, state.wakesThread())
        }
        if wakes { wakeUps.signal() }
        guard isOver else { return }
        // A task must be able to finish even if it outlives the loop.
        for job in jobs {
            DispatchQueue.global().async { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }

    /// Ends the threads when all jobs have run.
    func stop() {
        let threads = state.withLock { state in
            state.isOver = true
            return state.threads
        }
        for _ in 0..<threads { wakeUps.signal() }
    }
}

extension WorkExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        guard let driver = LoopDriver.current, driver.loop === loop else { return add(CollectionOfOne(job)) }
        driver.gather(job, for: self)
    }
}
#endif
