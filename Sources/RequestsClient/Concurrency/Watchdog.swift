import Dispatch

/// One timer for the deadlines of all exchanges of a transport.
///
/// A sleeping task for each exchange would stay in memory until its time, even if it is canceled.
package final class Watchdog: Sendable {
    /// Safe, because a dispatch source may be used from any thread.
    private nonisolated(unsafe) let timer = DispatchSource.makeTimerSource()
    private let deadline = Locked<UInt64?>(nil)

    package static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    /// - Parameter sweep: Ends the exchanges that are due, and returns the time of the next check.
    package init(sweep: @escaping @Sendable (_ now: UInt64) -> UInt64?) {
        unsafe timer.setEventHandler { [weak self] in
            self?.deadline.withLock { $0 = nil }
            if let next = sweep(Watchdog.now) { self?.wake(at: next) }
        }
        unsafe timer.resume()
    }

    deinit {
        unsafe timer.cancel()
    }

    /// Schedules a check, unless an earlier one is scheduled.
    package func wake(at time: UInt64) {
        deadline.withLock { deadline in
            if let earlier = deadline, earlier <= time { return }
            deadline = time
            unsafe timer.schedule(deadline: DispatchTime(uptimeNanoseconds: time))
        }
    }
}
