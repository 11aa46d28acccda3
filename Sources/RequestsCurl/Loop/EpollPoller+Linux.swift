#if !canImport(Darwin)
import CRequestsCurl
import Requests
import RequestsSystem

/// Waits with epoll and an eventfd, and tells libcurl which socket is ready.
///
/// A socket stays registered between transfers. libcurl asks to unregister it after each one, but that would cost a
/// system call per transfer.
///
/// `@unchecked Sendable`: other threads only use the eventfd, which is a constant. Everything else belongs to the
/// loop's thread.
@safe final class EpollPoller: Poller, @unchecked Sendable {
    private struct Socket {
        var use = SocketUse()
        /// The events registered with epoll, and the events that libcurl wants.
        var registered: UInt32 = 0
        var wanted: UInt32 = 0
        var lastArrival: UInt64 = 0
        /// How often in a row the socket was writable but not readable, and libcurl read no more of a request body.
        var fruitlessWrites = 0

        /// Whether writability is ignored for a while, because waiting for it was fruitless too often.
        var isThrottled: Bool { wanted & crc_epoll_out != 0 && registered & crc_epoll_out == 0 }
    }

    /// After this many fruitless wake-ups libcurl is waiting for an HTTP/2 window, or for the reader of a paused body,
    /// during which the timer of 8.14 is always due. A wrong guess costs 10 or 20 ms.
    private static let fruitlessLimit = 8
    private static let throttleNanoseconds: UInt64 = 10_000_000

    private let quirks: Quirks
    private let epoll: Int32
    private let wakeUp: Int32
    // Unchecked exclusivity as in `Transfer`.
    @safe @exclusivity(unchecked) private var sockets: [Socket] = []
    private var multi: UnsafeMutableRawPointer?
    private var clock = LoopClock()
    /// The time at which libcurl wants to be called.
    private var timer: UInt64?
    /// The time until which the writability of some sockets is ignored.
    private var throttleEnd: UInt64?
    /// The time until which a timer that is always due is ignored.
    @safe @exclusivity(unchecked) private var timerThrottleEnd: UInt64?
    /// How often in a row libcurl's timer was due again at once, and nothing was read or delivered.
    @safe @exclusivity(unchecked) private var fruitlessTimers = 0
    /// The number of times that libcurl read a part of a request body, or delivered a part of a response.
    @safe @exclusivity(unchecked) private var progress = 0
    var failure: CURLMcode?

    init(_ quirks: Quirks) throws(TransportError) {
        self.quirks = quirks
        epoll = crc_epoll_create()
        wakeUp = crc_eventfd()
        // The eventfd is edge-triggered and never read, so each write is one event.
        guard epoll >= 0, wakeUp >= 0,
            crc_epoll_control(epoll, crc_epoll_add, wakeUp, crc_epoll_in | crc_epoll_edge) == 0
        else {
            throw .unsupported(unsafe "can't open epoll: \(String(cString: strerror(errno))); free some descriptors")
        }
    }

    /// Also runs after a failed `init`, so a descriptor may be negative.
    deinit { for descriptor in [epoll, wakeUp] where descriptor >= 0 { crc_close_descriptor(descriptor) } }

    func wake() { crc_eventfd_signal(wakeUp) }

    func attach(to multi: UnsafeMutableRawPointer, clock: LoopClock) {
        unsafe self.multi = multi
        self.clock = clock
        unsafe crc_multi_set_functions(
            multi,
            { easy, socket, interest, context, _ in
                let error = unsafe EpollPoller.from(context)?.watch(socket, interest) ?? 0
                if error != 0 { unsafe Transfer.of(easy)?.stop(because: error) }
                return 0
            },
            { _, milliseconds, context in
                unsafe EpollPoller.from(context)?.setTimer(milliseconds)
                return 0
            },
            unsafe Unmanaged.passUnretained(self).toOpaque()
        )
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> EpollPoller? {
        unsafe context.map { unsafe Unmanaged<EpollPoller>.fromOpaque($0).takeUnretainedValue() }
    }

    func detach() { unsafe multi = nil }

    /// Only stores the time, because libcurl calls this from inside other calls.
    private func setTimer(_ milliseconds: Int) {
        // Rounded up, because libcurl ignores an early call and doesn't set the timer again.
        timer =
            milliseconds < 0 ? nil : milliseconds == 0 ? clock.now : LoopClock.time + UInt64(milliseconds) * 1_000_000
    }

    /// The time at which ``work()`` calls libcurl.
    private var nextTimer: UInt64? { timer.map { max($0, timerThrottleEnd ?? 0) } }

    func wait(until deadline: UInt64?) {
        guard failure == nil else { return }
        let next = min(deadline ?? .max, nextTimer ?? .max, throttleEnd ?? .max)
        let milliseconds = next == .max ? -1 : next == 0 ? 0 : clock.milliseconds(until: next)
        unsafe withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 256) { events in
            let count = unsafe crc_epoll_wait(epoll, events.baseAddress, Int32(events.count), milliseconds)
            clock.tick()
            if let throttleEnd, throttleEnd <= clock.now { unthrottleAll() }
            // After a failure, epoll reports the remaining events again.
            for index in 0..<Int(max(count, 0)) where unsafe events[index].data.fd != wakeUp && failure == nil {
                unsafe serve(events[index])
            }
        }
    }

    private func serve(_ event: epoll_event) {
        timerThrottleEnd = nil
        let socket = unsafe event.data.fd
        guard unsafe multi != nil, self[socket].wanted != 0 else { return endIdleConnection(socket) }
        var flags: Int32 = 0
        if unsafe event.events & (crc_epoll_in | crc_epoll_hangup) != 0 {
            flags |= crc_select_in
            self[socket].lastArrival = clock.now
        }
        if unsafe event.events & crc_epoll_out != 0 { flags |= crc_select_out }
        if unsafe event.events & crc_epoll_error != 0 { flags |= crc_select_error }
        let progress = progress
        act(on: socket, flags)
        if self[socket].use.writesAfterReading {
            act(on: socket, crc_select_out)
            serveAgain(socket)
        }
        if quirks.reportsErrorsLate, self[socket].use.isMultiplexed || self.progress == progress { serveAgain(socket) }
        if flags & crc_select_out != 0 || self[socket].fruitlessWrites != 0 {
            noteTurn(of: socket, isFruitless: flags == crc_select_out && self.progress == progress)
        }
    }

    /// Stops watching for writability while libcurl has nothing to write, for example because an HTTP/2 server keeps
    /// its window closed. libcurl still asks for writability then, and a writable socket would wake it endlessly.
    /// Incoming data ends the throttling.
    private func noteTurn(of socket: curl_socket_t, isFruitless: Bool) {
        guard isFruitless, self[socket].wanted & crc_epoll_out != 0 else {
            if self[socket].fruitlessWrites != 0 { self[socket].fruitlessWrites = 0 }
            return unthrottle(socket)
        }
        self[socket].fruitlessWrites += 1
        guard self[socket].fruitlessWrites >= EpollPoller.fruitlessLimit, self[socket].wanted & crc_epoll_in != 0
        else { return }
        register(socket, needed(for: socket) & ~crc_epoll_out)
        throttle()
    }

    private func throttle() { throttleEnd = throttleEnd ?? LoopClock.time + EpollPoller.throttleNanoseconds }

    private func unthrottleAll() {
        throttleEnd = nil
        for socket in sockets.indices { unthrottle(curl_socket_t(socket)) }
    }

    private func unthrottle(_ socket: curl_socket_t) {
        if self[socket].isThrottled, register(socket, needed(for: socket)) != 0 { throttle() }
    }

    /// Ends an idle connection that the server closed, or over which it sent data without a request, which would be
    /// read as the next response (RFC 9112 §6.3). libcurl notices when it tries to reuse the connection.
    private func endIdleConnection(_ socket: curl_socket_t) {
        let use = self[socket].use
        // The event may be outdated, because the transfer has read everything since.
        if use.isConnected, crc_peek(socket) == crc_peek_silent { return }
        register(socket, 0)
        guard use.isConnected, !use.isMultiplexed, use.pausedTransfers == 0 else { return }
        crc_end_connection(socket)
    }

    /// Runs libcurl's timer if it is due. libcurl also starts new transfers with a timer that is due at once.
    func work() {
        // A timer may set the next one, due at once. A few rounds handle most of them without a wait.
        for _ in 0..<4 {
            guard let deadline = nextTimer, deadline <= clock.now else { return }
            timer = nil
            let progress = progress
            act(on: crc_socket_timeout, 0)
            guard self.progress == progress, let timer, timer <= clock.now else {
                fruitlessTimers = 0
                continue
            }
            fruitlessTimers += 1
            if fruitlessTimers >= EpollPoller.fruitlessLimit {
                timerThrottleEnd = LoopClock.time + 2 * EpollPoller.throttleNanoseconds
            }
        }
    }

    func serveAll() { sockets.indices.forEach { serveAgain(curl_socket_t($0)) } }

    private func serveAgain(_ socket: curl_socket_t) {
        if self[socket].wanted != 0 { act(on: socket, crc_select_in) }
    }

    private func act(on socket: curl_socket_t, _ events: Int32) {
        guard let multi = unsafe multi, failure == nil else { return }
        var running: Int32 = 0
        let code = unsafe curl_multi_socket_action(multi, socket, events, &running)
        if code != CURLM_OK { failure = code }
    }
}

extension EpollPoller {
    func noteOpened(_ socket: curl_socket_t) { self[socket] = Socket() }

    func lastArrival(on socket: curl_socket_t) -> UInt64? { self[socket].lastArrival }

    func wantsToWrite(_ socket: curl_socket_t) -> Bool { self[socket].wanted & crc_epoll_out != 0 }

    func update(_ socket: curl_socket_t, _ change: (inout SocketUse) -> Void) {
        change(&self[socket].use)
        guard quirks.watchesPaused, self[socket].wanted != 0, self[socket].registered != needed(for: socket) else {
            return
        }
        register(socket, needed(for: socket))
    }

    /// The events to register for a socket. Because of ``Quirks/watchesPaused``, a socket isn't read while the body of
    /// its only response is paused.
    private func needed(for socket: curl_socket_t) -> UInt32 {
        let (wanted, use) = (self[socket].wanted, self[socket].use)
        return quirks.watchesPaused && use.pausedTransfers > 0 && !use.isMultiplexed ? wanted & ~crc_epoll_in : wanted
    }

    func noteProgress() {
        progress &+= 1
        guard fruitlessTimers != 0 else { return }
        fruitlessTimers = 0
        timerThrottleEnd = nil
    }

    func close(_ socket: curl_socket_t) {
        // epoll forgets a closed descriptor without a call.
        self[socket] = Socket()
        crc_close_descriptor(socket)
    }

    /// Stores the events that libcurl wants for a socket, and registers changes with the kernel.
    ///
    /// - Returns: 0, or the system's error number if the socket can't be watched.
    @discardableResult
    func watch(_ socket: curl_socket_t, _ interest: Int32) -> Int32 {
        let isRemoved = interest == crc_poll_remove
        let reading = !isRemoved && interest & crc_poll_in != 0 ? crc_epoll_in : 0
        let writing = !isRemoved && interest & crc_poll_out != 0 ? crc_epoll_out : 0
        self[socket].wanted = reading | writing
        if isRemoved {
            // An idle connection is watched for unexpected data, but not for writability.
            let kept = self[socket].use.isConnected ? crc_epoll_in : 0
            if self[socket].registered != kept, register(socket, kept) != 0 { crc_end_connection(socket) }
            return 0
        }
        let needed = needed(for: socket)
        return self[socket].registered == needed ? 0 : register(socket, needed)
    }

    /// Registers events. The recorded state can be outdated, so if adding fails, modifying is tried, and vice versa.
    ///
    /// - Returns: 0, or the first operation's error number if both fail.
    @discardableResult
    private func register(_ socket: curl_socket_t, _ events: UInt32) -> Int32 {
        let isKnown = self[socket].registered != 0
        if events == 0 {
            _ = crc_epoll_control(epoll, crc_epoll_delete, socket, 0)
        } else if crc_epoll_control(epoll, isKnown ? crc_epoll_modify : crc_epoll_add, socket, events) != 0 {
            let error = errno
            guard crc_epoll_control(epoll, isKnown ? crc_epoll_add : crc_epoll_modify, socket, events) == 0 else {
                return error
            }
        }
        self[socket].registered = events
        return 0
    }

    private subscript(socket: curl_socket_t) -> Socket {
        get { sockets.indices.contains(Int(socket)) ? sockets[Int(socket)] : Socket() }
        set {
            guard socket >= 0 else { return }
            while sockets.count <= Int(socket) { sockets.append(Socket()) }
            sockets[Int(socket)] = newValue
        }
    }
}
#endif
