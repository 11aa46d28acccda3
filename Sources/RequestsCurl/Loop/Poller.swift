import CRequestsCurl
import Foundation

/// How the loop's thread waits for sockets, for timers and for other threads, and lets libcurl work on what is ready.
///
/// Any thread may call ``wake()``; all else is for the loop's thread.
protocol Poller: AnyObject, Sendable {
    /// Ends the wait that is under way, or else the next.
    func wake()

    /// Starts to wait for a multi handle's sockets.
    func attach(to multi: UnsafeMutableRawPointer, clock: LoopClock)

    /// Waits until something is ready, or until a time of the loop's clock, and lets libcurl work on it.
    ///
    /// - Parameter deadline: `nil` for no limit; one that has passed, for no wait.
    func wait(until deadline: UInt64?)

    /// Lets libcurl begin what it was told to do since.
    func work()

    /// Lets go of the multi handle, which is closed next. Waking has no effect from here on.
    func detach()

    /// Notes a socket that was opened for libcurl: its closing will come to ``close(_:)``.
    func noteOpened(_ socket: curl_socket_t)

    /// Notes that libcurl asks for more of a request's body.
    func noteBodyRead()

    /// Notes that the connection of a local port speaks HTTP/2, in which a server may speak at any time.
    func noteMultiplexed(onPort port: Int)

    /// Notes that a transfer was paused or resumed. Its server may go on sending to this local port.
    func notePaused(_ isPaused: Bool, onPort port: Int)

    /// Closes a socket that libcurl is done with.
    func close(_ socket: curl_socket_t)
}

/// The time of what the loop is working on, in nanoseconds: asked for once for many uses.
final class LoopClock {
    private(set) var now = LoopClock.time

    func tick() { now = LoopClock.time }

    static var time: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// How long until a time, rounded up so that the time has come then.
    func milliseconds(until deadline: UInt64) -> Int32 {
        let time = LoopClock.time
        guard deadline > time else { return 0 }
        return Int32(clamping: (deadline - time).addingReportingOverflow(999_999).partialValue / 1_000_000)
    }
}
