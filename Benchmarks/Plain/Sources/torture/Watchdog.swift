import Foundation
import Synchronization

/// Ends the process if a trial takes more than a minute, because a loop that hangs has no timeouts.
enum Watchdog {
    private static let limit = 60
    private static let seconds = Atomic(0)

    static func start() {
        Thread.detachNewThread {
            while seconds.load(ordering: .relaxed) < limit {
                sleep(1)
                seconds.add(1, ordering: .relaxed)
            }
            Runner.say("fault hung for \(limit) seconds")
            _exit(1)
        }
    }

    /// Begins the minute of the next trial.
    static func reset() {
        seconds.store(0, ordering: .relaxed)
    }
}
