#if os(Linux)
import CRequestsCurl
import Foundation
import Requests

/// Waits with epoll and an eventfd, and tells libcurl which socket is ready.
///
/// A socket stays registered from exchange to exchange: libcurl takes its interest back after each, and a system call
/// for that would cost more than it saves.
///
/// Unchecked, because other threads use the eventfd alone, which never changes; all else is the loop's thread's.
final class EpollPoller: Poller, @unchecked Sendable {
    private struct Socket {
        /// Whether its closing comes to ``close(_:)``. Others belong to libcurl, which reuses their numbers without notice.
        var isTracked = false
        /// What epoll knows, and what libcurl wants.
        var registered: UInt32 = 0
        var wanted: UInt32 = 0
        /// How often in a row there was room to send and nothing to read, and libcurl asked for no more of a body. It may have
        /// sent what it had: then a rest costs a little time.
        var vainTurns = 0
    }

    /// So many turns in vain are no chance: libcurl wants to send what a server of HTTP/2 does not want yet.
    private static let vainTurnLimit = 8
    private static let restInNanoseconds: UInt64 = 10_000_000

    private let epoll: Int32
    private let wakeUp: Int32
    // Without checks of exclusive access, as in a transfer.
    @exclusivity(unchecked) private var sockets: [Socket] = []
    /// The local ports of exchanges that rest, and how many rest there: ports are shared by connections to different
    /// hosts.
    private var restingPorts: [Int: Int] = [:]
    /// The local ports of connections whose servers may speak at any time.
    private var multiplexedPorts: Set<Int> = []
    private var multi: UnsafeMutableRawPointer?
    private var clock = LoopClock()
    /// When libcurl wants to be called.
    private var timer: UInt64?
    /// The sockets of which room to send is no news for a while, and until when.
    private var resting: Set<curl_socket_t> = []
    private var restEnd: UInt64?
    /// How often libcurl has asked for more of a body.
    @exclusivity(unchecked) private var bodyReads = 0

    init() throws(TransportError) {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        wakeUp = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        // Edge-triggered and never read: each write is one event.
        guard epoll >= 0, wakeUp >= 0, control(EPOLL_CTL_ADD, wakeUp, EPOLLIN.rawValue | EPOLLET.rawValue) else {
            throw .unsupported("the transport cannot wait for sockets: \(String(cString: strerror(errno)))")
        }
    }

    /// Also of one that could not be made.
    deinit {
        for descriptor in [epoll, wakeUp] where descriptor >= 0 { Glibc.close(descriptor) }
    }

    func wake() {
        eventfd_write(wakeUp, 1)
    }

    func attach(to multi: UnsafeMutableRawPointer, clock: LoopClock) {
        self.multi = multi
        self.clock = clock
        crc_multi_set_functions(
            multi,
            { _, socket, interest, context, _ in
                EpollPoller.from(context)?.watch(socket, interest)
                return 0
            },
            { _, milliseconds, context in
                EpollPoller.from(context)?.setTimer(milliseconds)
                return 0
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> EpollPoller? {
        context.map { Unmanaged<EpollPoller>.fromOpaque($0).takeUnretainedValue() }
    }

    func detach() {
        multi = nil
    }

    /// Called by libcurl from inside other calls: it only notes the time.
    private func setTimer(_ milliseconds: Int) {
        // Never early: libcurl would ignore the call, and not set the timer again.
        timer =
            milliseconds < 0 ? nil : milliseconds == 0 ? clock.now : LoopClock.time + UInt64(milliseconds) * 1_000_000
    }

    func wait(until deadline: UInt64?) {
        let next = min(deadline ?? .max, timer ?? .max, restEnd ?? .max)
        let milliseconds = next == .max ? -1 : next == 0 ? 0 : clock.milliseconds(until: next)
        withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 256) { events in
            let count = epoll_wait(epoll, events.baseAddress, Int32(events.count), milliseconds)
            clock.tick()
            if let restEnd, restEnd <= clock.now { endRests() }
            for event in events.prefix(Int(max(count, 0))) where event.data.fd != wakeUp { serve(event) }
        }
    }

    private func serve(_ event: epoll_event) {
        let socket = event.data.fd
        guard let multi, self[socket].wanted != 0 else { return endKeptConnection(socket) }
        var flags: Int32 = 0
        if event.events & (EPOLLIN.rawValue | EPOLLHUP.rawValue) != 0 { flags |= CURL_CSELECT_IN }
        if event.events & EPOLLOUT.rawValue != 0 { flags |= CURL_CSELECT_OUT }
        if event.events & EPOLLERR.rawValue != 0 { flags |= CURL_CSELECT_ERR }
        var running: Int32 = 0
        let bodyReads = bodyReads
        curl_multi_socket_action(multi, socket, flags, &running)
        if flags & CURL_CSELECT_OUT != 0 || !resting.isEmpty || self[socket].vainTurns != 0 {
            noteTurn(of: socket, isInVain: flags == CURL_CSELECT_OUT && self.bodyReads == bodyReads)
        }
    }

    /// Lets a socket rest over which libcurl sends nothing although there is room, as it does while a server of HTTP/2
    /// keeps its window shut: it waits for room all the same, which is there at once. What the server says ends the rest.
    private func noteTurn(of socket: curl_socket_t, isInVain: Bool) {
        guard isInVain, self[socket].wanted & EPOLLOUT.rawValue != 0 else {
            if self[socket].vainTurns != 0 { self[socket].vainTurns = 0 }
            if resting.remove(socket) != nil { endRest(of: socket) }
            return
        }
        self[socket].vainTurns += 1
        guard self[socket].vainTurns >= EpollPoller.vainTurnLimit, self[socket].wanted & EPOLLIN.rawValue != 0 else {
            return
        }
        register(socket, self[socket].wanted & ~EPOLLOUT.rawValue)
        resting.insert(socket)
        restEnd = restEnd ?? LoopClock.time + EpollPoller.restInNanoseconds
    }

    private func endRests() {
        for socket in resting { endRest(of: socket) }
        resting.removeAll(keepingCapacity: true)
        restEnd = nil
    }

    /// - Parameter socket: One that may have no exchange any more.
    private func endRest(of socket: curl_socket_t) {
        let (wanted, registered) = (self[socket].wanted, self[socket].registered)
        if wanted & EPOLLOUT.rawValue != 0, wanted != registered { register(socket, wanted) }
    }

    /// Closes a kept connection whose server closed it, or said something that nobody asked for, which would be taken for
    /// the answer to the next request (RFC 9112 §6.3). Libcurl finds out when it wants to use it.
    private func endKeptConnection(_ socket: curl_socket_t) {
        let isTracked = self[socket].isTracked
        // The event can be of before its exchange read all there was, while another's was served.
        if isTracked, crc_is_silent(socket) != 0 { return }
        register(socket, 0)
        guard isTracked else { return }
        if !restingPorts.isEmpty || !multiplexedPorts.isEmpty {
            let port = Int(crc_local_port(socket))
            if restingPorts[port] != nil || multiplexedPorts.contains(port) { return }
        }
        crc_end_connection(socket)
    }

    /// What libcurl is told to do begins with a timer that is due at once.
    func work() {
        guard let multi else { return }
        var running: Int32 = 0
        // A timer that is due may set the next one, due at once; a few rounds serve most of them without a wait.
        for _ in 0..<4 {
            guard let deadline = timer, deadline <= clock.now else { break }
            timer = nil
            curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running)
        }
    }
}

extension EpollPoller {
    func noteOpened(_ socket: curl_socket_t) {
        self[socket] = Socket(isTracked: true)
    }

    func noteBodyRead() {
        bodyReads &+= 1
    }

    func noteMultiplexed(onPort port: Int) {
        multiplexedPorts.insert(port)
    }

    func noteResting(_ rests: Bool, onPort port: Int) {
        let count = restingPorts[port, default: 0] + (rests ? 1 : -1)
        restingPorts[port] = count > 0 ? count : nil
    }

    func close(_ socket: curl_socket_t) {
        if !multiplexedPorts.isEmpty { multiplexedPorts.remove(Int(crc_local_port(socket))) }
        if !resting.isEmpty { resting.remove(socket) }
        // A closed descriptor leaves epoll by itself.
        self[socket] = Socket()
        Glibc.close(socket)
    }

    /// Notes what libcurl wants to know of a socket, and tells the kernel what is new to it.
    private func watch(_ socket: curl_socket_t, _ interest: Int32) {
        let isRemoved = interest == CURL_POLL_REMOVE
        let reading = !isRemoved && interest & CURL_POLL_IN != 0 ? EPOLLIN.rawValue : 0
        let writing = !isRemoved && interest & CURL_POLL_OUT != 0 ? EPOLLOUT.rawValue : 0
        self[socket].wanted = reading | writing
        if isRemoved {
            // Of a kept connection matters what the server says unasked, and not that there is room to send.
            let kept = self[socket].isTracked ? EPOLLIN.rawValue : 0
            if self[socket].registered != kept { register(socket, kept) }
        } else if self[socket].registered != reading | writing {
            register(socket, reading | writing)
        }
    }

    /// What the kernel knows is the truth, so a change that fails is tried the other way round.
    private func register(_ socket: curl_socket_t, _ events: UInt32) {
        let isKnown = self[socket].registered != 0
        self[socket].registered = events
        if events == 0 {
            _ = control(EPOLL_CTL_DEL, socket, 0)
        } else if !control(isKnown ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, events) {
            _ = control(isKnown ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket, events)
        }
    }

    private func control(_ operation: Int32, _ descriptor: Int32, _ events: UInt32) -> Bool {
        var event = epoll_event(events: events, data: epoll_data_t(fd: descriptor))
        return epoll_ctl(epoll, operation, descriptor, &event) == 0
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
