#if canImport(CRequestsCurl)
import CRequestsCurl
import Requests
import RequestsClient

/// The wait for sockets, timers and other threads. Lets libcurl handle ready sockets.
///
/// Any thread may call ``wake()``. Everything else belongs to the loop's thread.
protocol Poller: AnyObject, Sendable {
    /// Ends the current wait, or the next one.
    func wake()

    /// Starts waiting for a multi handle's sockets.
    func attach(to multi: UnsafeMutableRawPointer, clock: LoopClock)

    /// Waits until something is ready or the deadline has passed, and lets libcurl handle ready sockets.
    ///
    /// - Parameter deadline: A time of the loop's clock. `nil` for no limit. Doesn't wait if it has passed.
    func wait(until deadline: UInt64?)

    /// Lets libcurl start new transfers and run its timers.
    func work()

    /// Lets libcurl handle all sockets that it uses, ready or not.
    func serveAll()

    /// The error that made libcurl unusable, such as a lack of memory. libcurl isn't called until this is `nil`,
    /// because it may have lost track of a transfer, and 7.88 then crashes.
    var failure: CURLMcode? { get set }

    /// Releases the multi handle before the caller closes it. Afterwards, waking has no effect.
    func detach()

    /// Forgets what was known about a descriptor, because a new socket was opened with its number.
    func noteOpened(_ socket: curl_socket_t)

    /// Changes the state of a socket's connection.
    func update(_ socket: curl_socket_t, _ change: (inout SocketUse) -> Void)

    /// The time of the loop's clock at which data last arrived at a socket. `nil` if that isn't known.
    func lastArrival(on socket: curl_socket_t) -> UInt64?

    /// Whether libcurl has more to write to a socket, as far as is known.
    func wantsToWrite(_ socket: curl_socket_t) -> Bool

    /// Records that libcurl reads more of a request body, delivers more of a response, or was given a command.
    func noteProgress()

    /// Closes a socket that libcurl no longer needs.
    func close(_ socket: curl_socket_t)
}

/// What the transport knows about the connection of a socket.
struct SocketUse {
    /// Whether libcurl will close it with ``Poller/close(_:)``. libcurl closes other sockets silently, and their
    /// descriptors may then belong to any file of the process.
    var isConnected = false
    /// Whether the connection uses HTTP/2, whose server may send at any time.
    var isMultiplexed = false
    /// Whether libcurl must try to write whenever it reads, because of ``Quirks/stallsUploads``.
    var writesAfterReading = false
    /// The number of paused transfers on the connection, whose server may go on sending.
    var pausedTransfers = 0
}

/// The time of the loop's current turn, in nanoseconds, read once per turn.
final class LoopClock {
    private(set) var now = LoopClock.time

    func tick() { now = LoopClock.time }

    static var time: UInt64 { time(of: CLOCK_MONOTONIC) }

    static func time(of clock: clockid_t) -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Returns the milliseconds until a deadline, rounded up so that a wait never ends early.
    func milliseconds(until deadline: UInt64) -> Int32 {
        let time = LoopClock.time
        guard deadline > time else { return 0 }
        return Int32(clamping: (deadline - time).addingReportingOverflow(999_999).partialValue / 1_000_000)
    }
}

/// Waits with libcurl's `curl_multi_poll`, on systems without epoll.
///
/// `@unchecked Sendable`: other threads only use the handle in the lock. Everything else belongs to the loop's thread.
@safe final class MultiPoller: Poller, @unchecked Sendable {
    @safe private struct Handle: @unchecked Sendable {
        let multi: UnsafeMutableRawPointer
    }

    /// The handle to wake. `nil` while waking must have no effect.
    private let wakeable = Locked<Handle?>(nil)
    private var multi: UnsafeMutableRawPointer?
    private var clock = LoopClock()
    var failure: CURLMcode?

    /// Never throws, but has the signature of `EpollPoller`'s initializer because it replaces that type on Darwin.
    init(_ quirks: Quirks) throws(TransportError) {}

    func wake() { wakeable.withLock { if let handle = $0 { _ = unsafe curl_multi_wakeup(handle.multi) } } }

    func attach(to multi: UnsafeMutableRawPointer, clock: LoopClock) {
        unsafe self.multi = multi
        self.clock = clock
        let handle = unsafe Handle(multi: multi)
        wakeable.withLock { $0 = handle }
    }

    func detach() {
        wakeable.withLock { $0 = nil }
        unsafe multi = nil
    }

    func wait(until deadline: UInt64?) {
        guard let multi = unsafe multi, failure == nil else { return }
        let milliseconds = deadline.map { clock.milliseconds(until: $0) } ?? .max
        if milliseconds > 0 { unsafe curl_multi_poll(multi, nil, 0, milliseconds, nil) }
        clock.tick()
    }

    func work() {
        guard let multi = unsafe multi, failure == nil else { return }
        var running: Int32 = 0
        let code = unsafe curl_multi_perform(multi, &running)
        if code != CURLM_OK { failure = code }
    }

    // libcurl itself watches its sockets, and `work()` serves them all.
    func serveAll() {}
    func noteOpened(_ socket: curl_socket_t) {}
    func update(_ socket: curl_socket_t, _ change: (inout SocketUse) -> Void) {}
    func lastArrival(on socket: curl_socket_t) -> UInt64? { nil }
    func wantsToWrite(_ socket: curl_socket_t) -> Bool { true }
    func noteProgress() {}

    func close(_ socket: curl_socket_t) { crc_close_descriptor(socket) }
}

#if canImport(Darwin)
/// Darwin has no epoll, so the transport always uses `MultiPoller` there.
typealias EpollPoller = MultiPoller
#endif
#endif
