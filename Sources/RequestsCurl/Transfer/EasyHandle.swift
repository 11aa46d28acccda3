#if canImport(CRequestsCurl)
import CRequestsCurl
import Requests

/// A libcurl handle, configured once for all transfers and then again for each.
///
/// Only the loop's thread may use it.
@safe final class EasyHandle {
    let easy: UnsafeMutableRawPointer
    let clock: LoopClock
    let quirks: Quirks
    /// Whether its buffer is meant for a small body. The size can't change, because libcurl keeps the buffer.
    let hasSmallBuffer: Bool
    private let errorBuffer: UnsafeMutablePointer<CChar>
    /// The option values that are lists, by option. libcurl uses each until the next one is set.
    var lists: [CURLoption.RawValue: UnsafeMutablePointer<curl_slist>] = unsafe [:]

    private(set) var transfer: Transfer? {
        didSet { unsafe uncounted = transfer.map { unsafe Unmanaged.passUnretained($0) } }
    }
    private var uncounted: Unmanaged<Transfer>?

    /// The last transfer's options, so that equal ones aren't set again. Unchecked exclusivity as in ``Transfer``.
    @safe @exclusivity(unchecked) var last = Last()

    struct Last {
        var hasPins = false
        var origin: Connections.Origin?
        var proxy: ProxyServer?
        var connectTimeout: Int?
        var tag = 0
        var isPlainGet = false
        /// The lines of the fields. Not strings, which can be equal although their bytes differ.
        var fields: [UInt8] = []
        var uploadBuffer = EasyHandle.defaultUploadBuffer
        /// Whether the request needs HTTP/1.1, and the handle must not be reused.
        var isForHTTP1 = false
        /// The Boolean options that are on for this transfer only.
        var switches: [CURLoption] = []
        var isReceivingPaused = false
        /// The sockets that were opened for the transfer.
        var openedSockets: [curl_socket_t] = []
    }

    /// - Parameter driver: Receives the callback for closed sockets, because connections outlive their transfers.
    init(
        _ settings: Settings,
        clock: LoopClock,
        driver: LoopDriver? = nil,
        hasSmallBuffer: Bool = false
    ) throws(TransportError) {
        guard let easy = unsafe curl_easy_init() else { throw .outOfMemory(creating: "a transfer") }
        unsafe self.easy = easy
        self.clock = clock
        self.hasSmallBuffer = hasSmallBuffer
        quirks = settings.configuration.quirks
        unsafe errorBuffer = .allocate(capacity: crc_error_size)
        unsafe errorBuffer.initialize(repeating: 0, count: crc_error_size)
        try setDefaults()
        try setVersion(settings.configuration.httpVersion)
        try configure(settings.configuration.connections)
        try configure(settings.tls)
        let closing = unsafe driver.map { unsafe Unmanaged.passUnretained($0).toOpaque() }
        unsafe check(crc_set_pointer(easy, CURLOPT_CLOSESOCKETDATA, closing))
    }

    deinit {
        unsafe curl_easy_cleanup(easy)
        unsafe lists.values.forEach { unsafe curl_slist_free_all($0) }
        unsafe errorBuffer.deallocate()
    }

    /// libcurl's message about the last error. Empty if there is none.
    var errorText: String { unsafe String(cString: errorBuffer) }

    /// Sets the options that all transfers share. Overrides every default that reads the environment, follows
    /// redirects, retries or weakens a check.
    private func setDefaults() throws(TransportError) {
        try set(CURLOPT_NOSIGNAL, 1)
        try set(crc_option_protocols, crc_protocols_http)
        try set(crc_option_redir_protocols, crc_protocols_http)
        try set(CURLOPT_FOLLOWLOCATION, 0)
        try set(CURLOPT_NETRC, crc_netrc_ignored)
        try set(CURLOPT_PROXY, "")
        // The transport itself decides which hosts bypass the proxy.
        try set(CURLOPT_NOPROXY, "")
        try set(CURLOPT_SSL_VERIFYPEER, 1)
        try set(CURLOPT_SSL_VERIFYHOST, 2)
        try set(CURLOPT_HTTP09_ALLOWED, 0)
        try set(CURLOPT_HEADEROPT, crc_header_separate)
        // Receiving a large body costs a third less with 128 KiB than with 16, but 1000 requests would need 125 MiB.
        try set(CURLOPT_BUFFERSIZE, (hasSmallBuffer ? 16 : 128) << 10)
        // Makes libcurl pass each line of a head to the body callback first, which can reject it.
        if quirks.keepsFreedFields { try set(CURLOPT_HEADER, 1) }
        // The transport decodes chunks and content encodings itself.
        try set(CURLOPT_HTTP_TRANSFER_DECODING, 0)
        try set(CURLOPT_ACCEPT_ENCODING, nil)
        try set(CURLOPT_HTTP_CONTENT_DECODING, 0)
        // A name lookup that hangs must not block the loop after its transfer was abandoned.
        if LinkedLibcurl.abandonsResolvers { try set(crc_option_quick_exit, 1) }
        unsafe check(crc_set_pointer(easy, CURLOPT_ERRORBUFFER, errorBuffer))
        unsafe check(crc_set_bytes_function(easy, CURLOPT_HEADERFUNCTION, Transfer.onHeaderLine))
        unsafe check(crc_set_bytes_function(easy, CURLOPT_WRITEFUNCTION, Transfer.onBody))
        unsafe check(crc_set_bytes_function(easy, CURLOPT_READFUNCTION, Transfer.sendBody))
        unsafe check(crc_set_seek_function(easy, Transfer.rewindBody))
        unsafe check(crc_set_prerequest_function(easy, Transfer.onPrerequest))
        unsafe check(crc_set_debug_function(easy, Transfer.readLog))
        unsafe check(crc_set_resolver_function(easy, Transfer.resolveName))
        unsafe check(crc_set_open_socket_function(easy, Transfer.openSocket))
        unsafe check(crc_set_close_socket_function(easy, LoopDriver.closeSocket))
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        for option in [
            CURLOPT_PRIVATE, CURLOPT_HEADERDATA, CURLOPT_WRITEDATA, CURLOPT_READDATA, CURLOPT_SEEKDATA,
            CURLOPT_TRAILERDATA, CURLOPT_PREREQDATA, CURLOPT_RESOLVER_START_DATA, CURLOPT_OPENSOCKETDATA,
            CURLOPT_DEBUGDATA,
        ] {
            unsafe check(crc_set_pointer(easy, option, context))
        }
    }

    /// Directs libcurl's callbacks to a transfer, and resets the options of the previous one.
    func attach(_ transfer: Transfer) {
        self.transfer = transfer
        unsafe errorBuffer.pointee = 0
        for option in last.switches { unsafe check(crc_set_long(easy, option, 0)) }
        if !last.switches.isEmpty { last.switches.removeAll(keepingCapacity: true) }
        if !last.openedSockets.isEmpty { last.openedSockets = [] }
        last.isReceivingPaused = false
    }

    /// Turns an option on until the next transfer.
    func turnOn(_ option: CURLoption) {
        guard !last.switches.contains(option) else { return }
        last.switches.append(option)
        unsafe check(crc_set_long(easy, option, 1))
    }

    func turnOff(_ option: CURLoption) {
        guard let index = last.switches.firstIndex(of: option) else { return }
        last.switches.remove(at: index)
        unsafe check(crc_set_long(easy, option, 0))
    }

    /// Releases the transfer. Must be called before the handle is removed from libcurl.
    ///
    /// Resumes a paused transfer first, because libcurl 7.88 leaks held-back data if its connection is shared.
    func detach() -> CURLcode {
        transfer = nil
        return last.isReceivingPaused ? pause(receiving: false, sending: false) : CURLE_OK
    }

    /// Pauses or resumes each direction. Resuming delivers held-back data from inside this call.
    ///
    /// libcurl 8.0 to 8.15 keeps reading if only receiving is paused. So both directions are paused, after a call that
    /// marks the transfer as readable, because libcurl ignores readable transfers that are paused. A request body that
    /// is still being sent then waits for the reader, too.
    ///
    /// - Returns: `CURLE_ABORTED_BY_CALLBACK` if libcurl can no longer watch the socket.
    func pause(receiving: Bool, sending: Bool) -> CURLcode {
        let pauses = (receiving ? crc_pause_receiving : 0) | (sending ? crc_pause_sending : 0)
        guard receiving, quirks.readsWhilePaused else {
            last.isReceivingPaused = receiving
            return unsafe curl_easy_pause(easy, pauses)
        }
        guard !last.isReceivingPaused else { return CURLE_OK }
        last.isReceivingPaused = true
        let code = unsafe curl_easy_pause(easy, crc_pause_sending)
        guard code == CURLE_OK else { return code }
        return unsafe curl_easy_pause(easy, crc_pause_receiving | crc_pause_sending)
    }

    /// Makes libcurl work on a transfer in this turn, whether or not anything has happened to it.
    func runNow(sending isPaused: Bool) {
        let pauses = isPaused ? crc_pause_sending : 0
        // libcurl ignores a call that changes nothing.
        for pauses in [pauses | crc_pause_receiving, pauses] { _ = unsafe curl_easy_pause(easy, pauses) }
    }

    /// Makes an abandoned HTTP/2 transfer reset its stream at once, by closing a connection that no other transfer
    /// uses. Must be called before libcurl ends the transfer.
    func resetPromptly() { if quirks.closesAfterResets { forbidReuse() } }

    func forbidReuse() { turnOn(CURLOPT_FORBID_REUSE) }

    /// Makes libcurl wait for the end of an HTTP/2 stream even if the body's length is known. This makes a small
    /// transfer 40% more expensive.
    func ignoreLength() { turnOn(CURLOPT_IGNORE_CONTENT_LENGTH) }

    static func from(_ context: UnsafeMutableRawPointer?) -> EasyHandle? {
        unsafe context.map { unsafe Unmanaged<EasyHandle>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Calls a closure with the handle and the transfer of a callback. The driver retains both, so the call needs no
    /// reference counting, which would slow down each header line.
    static func with<Result>(_ context: UnsafeMutableRawPointer?, _ body: (EasyHandle, Transfer) -> Result) -> Result? {
        guard let context = unsafe context else { return nil }
        return unsafe Unmanaged<EasyHandle>.fromOpaque(context)._withUnsafeGuaranteedRef { handle in
            unsafe handle.uncounted?._withUnsafeGuaranteedRef { body(handle, $0) }
        }
    }
}
#endif
