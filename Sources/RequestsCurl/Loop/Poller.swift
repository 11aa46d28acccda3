import CRequestsCurl

/// Waits for sockets, timers and other threads, and lets libcurl handle ready sockets.
///
/// Any thread may call ``wake()``. Everything else belongs to the loop's thread.
protocol Poller: AnyObject, Sendable {
    /// Ends the current wait, or the next one.
    func wake()

    /// Starts waiting for a multi handle's sockets.
    func attach(to multi: UnsafeMutableRawPointer, clock: LoopClock)

    /// Waits until something is ready or a time of the loop's clock has come, and lets libcurl handle it.
    ///
    /// - Parameter deadline: `nil` for no limit; one that has passed, for no wait.
    func wait(until deadline: UInt64?)

    /// Lets libcurl start what it was told since.
    func work()

    /// Why libcurl has failed, as for lack of memory. It isn't called again until this is `nil`: it can have lost track
    /// of a transfer, and 7.88 then crashes.
    var failure: CURLMcode? { get set }

    /// Releases the multi handle, which is closed next. Waking has no effect from here on.
    func detach()

    /// Notes that a socket was opened for libcurl, about whose number nothing is known any more.
    func noteOpened(_ socket: curl_socket_t)

    /// Changes the state of a socket's connection.
    func update(_ socket: curl_socket_t, _ change: (inout SocketUse) -> Void)

    /// Notes that libcurl reads more of a request body, or passes on more of a response.
    func noteProgress()

    /// Closes a socket that libcurl no longer needs.
    func close(_ socket: curl_socket_t)
}

/// What the transport knows about the connection of a socket.
struct SocketUse {
    /// Whether ``Poller/close(_:)`` is called for it. libcurl closes other sockets without a notice, and their
    /// descriptors may then belong to any file of the process.
    var isConnected = false
    /// Whether the connection uses HTTP/2, whose server may send at any time.
    var isMultiplexed = false
    /// The number of its transfers that are paused. Their server may go on sending.
    var pausedTransfers = 0
}

/// The time of the current turn in nanoseconds, read once for many uses.
final class LoopClock {
    private(set) var now = LoopClock.time

    func tick() { now = LoopClock.time }

    static var time: UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Returns the milliseconds until a time, rounded up so that the time has come then.
    func milliseconds(until deadline: UInt64) -> Int32 {
        let time = LoopClock.time
        guard deadline > time else { return 0 }
        return Int32(clamping: (deadline - time).addingReportingOverflow(999_999).partialValue / 1_000_000)
    }
}
