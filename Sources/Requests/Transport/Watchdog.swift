import Dispatch

/// One timer for the deadlines of all exchanges of a transport.
///
/// A sleeping task for each would be shorter, but what it leaves behind when it is cancelled stays until its time.
package final class Watchdog: Sendable {
    /// Unsafe only in name: a dispatch source may be used from any thread.
    private nonisolated(unsafe) let timer = DispatchSource.makeTimerSource()
    private let deadline = Guarded<UInt64?>(nil)

    package static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    /// - Parameter sweep: Ends what is due at a time, and returns when it has to look again.
    package init(sweep: @escaping @Sendable (_ now: UInt64) -> UInt64?) {
        timer.setEventHandler { [weak self] in
            self?.deadline.withLock { $0 = nil }
            if let next = sweep(Watchdog.now) { self?.wake(at: next) }
        }
        timer.resume()
    }

    deinit {
        timer.cancel()
    }

    /// Looks again at a time, unless it does so earlier anyway.
    package func wake(at time: UInt64) {
        deadline.withLock { deadline in
            if let earlier = deadline, earlier <= time { return }
            deadline = time
            timer.schedule(deadline: DispatchTime(uptimeNanoseconds: time))
        }
    }
}
