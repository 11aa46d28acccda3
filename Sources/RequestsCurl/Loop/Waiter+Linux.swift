#if os(Linux)
import CRequestsCurl
import Foundation
import Requests

/// Waits for sockets, for a deadline, and for other threads: epoll and an eventfd.
final class Waiter: Sendable {
    private let epoll: Int32
    private let wakeUp: Int32

    init() throws(TransportError) {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        wakeUp = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        // Edge-triggered and never read: each write is one event.
        guard epoll >= 0, wakeUp >= 0, control(EPOLL_CTL_ADD, wakeUp, EPOLLIN.rawValue | EPOLLET.rawValue) else {
            let reason = String(cString: strerror(errno))
            closeDescriptors()
            throw .unsupported("the transport cannot wait for sockets: \(reason)")
        }
    }

    deinit { closeDescriptors() }

    private func closeDescriptors() {
        if epoll >= 0 { close(epoll) }
        if wakeUp >= 0 { close(wakeUp) }
    }

    /// Ends the wait that is under way, or else the next.
    func wake() {
        eventfd_write(wakeUp, 1)
    }

    /// Registers what libcurl wants to know of a socket.
    ///
    /// A closed descriptor leaves epoll by itself, and its number comes back for another socket: what the kernel
    /// knows is the truth, so a failing change is tried the other way round.
    func watch(_ socket: curl_socket_t, _ interest: Int32) {
        switch interest {
        case CURL_POLL_REMOVE:
            _ = control(EPOLL_CTL_DEL, socket, 0)
        default:
            let reading = interest & CURL_POLL_IN != 0 ? EPOLLIN.rawValue : 0
            let writing = interest & CURL_POLL_OUT != 0 ? EPOLLOUT.rawValue : 0
            if !control(EPOLL_CTL_ADD, socket, reading | writing) {
                _ = control(EPOLL_CTL_MOD, socket, reading | writing)
            }
        }
    }

    private func control(_ operation: Int32, _ descriptor: Int32, _ events: UInt32) -> Bool {
        var event = epoll_event(events: events, data: epoll_data_t(fd: descriptor))
        return epoll_ctl(epoll, operation, descriptor, &event) == 0
    }

    /// Waits, and reports each socket that something happened on.
    ///
    /// - Parameter milliseconds: How long at most; −1 for no limit.
    func wait(milliseconds: Int32, ready: (curl_socket_t, Int32) -> Void) {
        withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 256) { events in
            let count = epoll_wait(epoll, events.baseAddress, Int32(events.count), milliseconds)
            for event in events.prefix(Int(max(count, 0))) where event.data.fd != wakeUp {
                var flags: Int32 = 0
                if event.events & (EPOLLIN.rawValue | EPOLLHUP.rawValue) != 0 { flags |= CURL_CSELECT_IN }
                if event.events & EPOLLOUT.rawValue != 0 { flags |= CURL_CSELECT_OUT }
                if event.events & EPOLLERR.rawValue != 0 { flags |= CURL_CSELECT_ERR }
                ready(event.data.fd, flags)
            }
        }
    }
}
#endif
