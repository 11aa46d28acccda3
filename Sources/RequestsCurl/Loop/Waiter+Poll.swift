#if !os(Linux)
// Not compiled on the machine that this was written on.
import CRequestsCurl
import Foundation
import Requests

/// Waits for sockets, for a deadline, and for other threads: poll and a pipe.
final class Waiter: Sendable {
    private let watched = Guarded<[curl_socket_t: Int16]>([:])
    private let wakeUp: (read: Int32, write: Int32)

    init() throws(TransportError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw .unsupported("the transport cannot wait for sockets: \(String(cString: strerror(errno)))")
        }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        wakeUp = (ends[0], ends[1])
    }

    deinit {
        close(wakeUp.read)
        close(wakeUp.write)
    }

    /// Ends the wait that is under way, or else the next.
    func wake() {
        var byte: UInt8 = 1
        _ = write(wakeUp.write, &byte, 1)
    }

    /// Registers what libcurl wants to know of a socket.
    func watch(_ socket: curl_socket_t, _ interest: Int32) {
        let reading = interest & CURL_POLL_IN != 0 ? Int16(POLLIN) : 0
        let writing = interest & CURL_POLL_OUT != 0 ? Int16(POLLOUT) : 0
        watched.withLock { $0[socket] = interest == CURL_POLL_REMOVE ? nil : reading | writing }
    }

    /// Waits, and reports each socket that something happened on.
    ///
    /// - Parameter milliseconds: How long at most; −1 for no limit.
    func wait(milliseconds: Int32, ready: (curl_socket_t, Int32) -> Void) {
        var sockets = watched.withLock { $0.map { pollfd(fd: $0.key, events: $0.value, revents: 0) } }
        sockets.append(pollfd(fd: wakeUp.read, events: Int16(POLLIN), revents: 0))
        guard poll(&sockets, nfds_t(sockets.count), milliseconds) > 0 else { return }
        for socket in sockets where socket.revents != 0 {
            guard socket.fd != wakeUp.read else {
                var bytes = [UInt8](repeating: 0, count: 64)
                while read(wakeUp.read, &bytes, bytes.count) > 0 {}
                continue
            }
            var flags: Int32 = 0
            if socket.revents & Int16(POLLIN | POLLHUP) != 0 { flags |= CURL_CSELECT_IN }
            if socket.revents & Int16(POLLOUT) != 0 { flags |= CURL_CSELECT_OUT }
            if socket.revents & Int16(POLLERR | POLLNVAL) != 0 { flags |= CURL_CSELECT_ERR }
            ready(socket.fd, flags)
        }
    }
}
#endif
