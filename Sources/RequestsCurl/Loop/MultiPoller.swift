import CRequestsCurl
import Requests
import RequestsClient

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

    func wake() {
        wakeable.withLock { if let handle = $0 { _ = unsafe curl_multi_wakeup(handle.multi) } }
    }

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
    func noteProgress() {}

    func close(_ socket: curl_socket_t) {
        crc_close_descriptor(socket)
    }
}
