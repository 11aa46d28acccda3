#if canImport(CRequestsCurl)
import CRequestsCurl
import Requests
import RequestsClient
import RequestsSystem

/// One request and its response, from the `start` command to the end.
///
/// `@unchecked Sendable`: all variables belong to the loop's thread. Other threads only pass the reference in a
/// command, except that the sender reads ``result`` after the loop has resumed it.
///
/// Variables that change with each line and chunk have unchecked exclusivity, which saves a twentieth of a small
/// exchange. libcurl calls back on the same thread, and never during such a change.
final class Transfer: Connections.Request, BodyChannel.Writer, Cancelable, @unchecked Sendable {
    /// The progress of the exchange, which can end at any stage.
    enum Stage: Comparable {
        /// libcurl hasn't started yet. The handle still has the measurements of the previous exchange.
        case queued
        case connecting
        case sending
        case receivingHead
        case receivingBody
    }

    let request: PreparedRequest
    let context: SendContext
    let hasRequestBody: Bool

    @safe @exclusivity(unchecked) var delivery = Delivery.none
    /// The result for the resumed sender.
    var result: Result<ReceivedResponse, any Error>?

    @safe @exclusivity(unchecked) var stage = Stage.queued
    /// The error of the callback that stopped libcurl.
    var failure: TransportError?

    /// The index in the driver's `transfers`. `nil` while libcurl doesn't work on the transfer.
    var place: Int?
    private(set) var handle: EasyHandle?
    /// Released at the end, so that the driver and the transfer don't retain each other.
    private(set) var driver: LoopDriver?
    private let loop: EventLoop

    @safe @exclusivity(unchecked) var deadlines: ExchangeTimers
    @safe @exclusivity(unchecked) var connecting = Connecting()
    @safe @exclusivity(unchecked) var reception = Reception()
    @safe @exclusivity(unchecked) var timing = Timing()
    @safe @exclusivity(unchecked) var metrics = TransferMetrics()
    /// Whether the observer was told that the request was sent.
    var isSendingReported = false
    private(set) var upload: UploadBody?
    private(set) var proxy: ProxyServer?
    /// The answer to the proxy's last challenge for this request.
    var proxySession: PasswordSession?
    private(set) var isReceivingPaused = false
    /// The socket of the connection while receiving is paused, otherwise `nil`.
    private var pausedSocket: curl_socket_t?

    init(_ request: borrowing PreparedRequest, _ context: SendContext, loop: EventLoop) {
        self.request = copy request
        self.context = context
        self.hasRequestBody = !request.body.isNone
        self.loop = loop
        self.deadlines = ExchangeTimers(
            request.options.timeouts,
            context.deadline,
            start: LoopClock.time,
            isConnecting: true
        )
        super.init(request.method)
    }

    static func of(_ easy: UnsafeMutableRawPointer?) -> Transfer? {
        var context: UnsafeMutableRawPointer?
        guard let easy = unsafe easy, unsafe crc_get_private(easy, &context) == CURLE_OK else { return nil }
        return unsafe from(context)
    }

    static func from(_ context: UnsafeMutableRawPointer?) -> Transfer? {
        unsafe EasyHandle.from(context)?.transfer
    }

    /// Prepares a handle for the exchange. ``close(isDone:)``, ``detach()`` and ``finish(_:)`` must follow.
    func begin(on handle: EasyHandle, driver: LoopDriver) throws {
        self.handle = handle
        self.driver = driver
        timing.begun = driver.clock.now
        reception.head = HeadReader(driver.knownHead)
        handle.attach(self)
        proxy = try driver.settings.proxy(for: request.url)
        upload = try handle.prepare(for: request, isObserved: context.observer != nil, through: proxy, driver)
        isLogged = handle.quirks.logsRefusals && handle.last.switches.contains(CURLOPT_VERBOSE)
        try upload?.start { [loop, self] in loop.submit(.resumeSending(self)) }
    }

    /// Prepares the transfer to be sent again, because the proxy asked for credentials.
    func beginAnew() {
        handle?.turnOff(CURLOPT_FORBID_REUSE)
        reception = Reception()
        reception.head = HeadReader(driver?.knownHead)
        // Only the request for the tunnel was refused. Earlier attempts to send the other one still count.
        guard !connecting.isTunneling else { return }
        driver?.connections.leave(self, at: LoopClock.time)
        forgetLast()
        stage = attempts == 0 ? .connecting : .sending
    }

    /// Sets the credentials that the proxy has asked for.
    func setProxyCredentials() throws {
        guard let proxy, proxy.requestedCredentials != nil, let driver else { return }
        try handle?.setProxyFields(driver.proxySessions.field(for: self, through: proxy, driver.settings))
    }

    /// Ends the transfer, and reads its metrics while it still has a handle.
    ///
    /// - Parameter isDone: Whether libcurl has finished the transfer.
    func close(isDone: Bool) {
        isEnded = true
        if isDone { stage = max(stage, .connecting) }
        upload?.close()
        notePaused(false)
        if let endingSession = unsafe reception.endingSession { _ = unsafe OpenSSL.unwatch(endingSession) }
        if handle != nil { measureEnd() }
    }

    /// Releases and returns the handle, which the driver then removes from libcurl.
    func detach() -> EasyHandle? {
        defer {
            handle = nil
            driver = nil
        }
        if let handle { noteFailure(handle.detach()) }
        return handle
    }

    func noteResponse() {
        stage = .receivingHead
        connection?.lastResponse = handle?.clock.now ?? 0
        // If the request has a body, libcurl measures the time until the body starts instead.
        if hasRequestBody { timing.responseBegun = LoopClock.time }
    }

    /// Pauses or resumes receiving. Data that libcurl has already delivered is kept.
    func pauseReceiving(_ pause: Bool) {
        isReceivingPaused = pause
        notePaused(pause)
        applyPauses()
    }

    private func notePaused(_ isPaused: Bool) {
        guard isPaused != (pausedSocket != nil), let socket = connection?.socket, let driver else { return }
        driver.poller.update(pausedSocket ?? socket) { use in
            use.pausedTransfers = max(use.pausedTransfers + (isPaused ? 1 : -1), 0)
        }
        pausedSocket = isPaused ? socket : nil
    }

    /// Pauses receiving while the reader is behind, and sending while the source has no data.
    func applyPauses() {
        guard let handle, let driver else { return }
        suspendIdle(at: driver.clock.now)
        let code = handle.pause(receiving: isReceivingPaused, sending: upload?.isStarved == true)
        noteFailure(code)
        // libcurl has lost the data that it held back.
        if code == CURLE_OUT_OF_MEMORY { stop(because: ENOMEM) }
    }

    /// Whether libcurl has taken the whole request body, after the start of an HTTP/2 response.
    var mayHaveEnded: Bool { stage == .receivingBody && reception.head.isMultiplexed && upload?.isRead == true }

    /// Makes libcurl look for the end of a response that began before the end of the request, because of
    /// ``Quirks/stallsUploads``.
    func noticeEnd() {
        guard let handle, handle.quirks.stallsUploads, mayHaveEnded, !isReceivingPaused else { return }
        if let socket = connection?.socket { reception.isUploadSent = driver?.poller.wantsToWrite(socket) == false }
        handle.runNow(sending: false)
    }

    /// Makes libcurl look at the connection, unless receiving is paused.
    func runNow() { if !isReceivingPaused { handle?.runNow(sending: upload?.isStarved == true) } }

    /// Makes libcurl deliver what has arrived in this turn although the upload waits, because of
    /// ``Quirks/holdsBackData``. libcurl then asks for the upload again, and waits again.
    func takeHeldBackData(at now: UInt64) {
        guard upload?.isStarved == true, !isReceivingPaused, let handle, let socket = connection?.socket,
            driver?.poller.lastArrival(on: socket) == now
        else { return }
        noteFailure(handle.pause(receiving: false, sending: false))
    }

    /// The idle timeout runs only while this side doesn't keep the server waiting.
    func suspendIdle(at now: UInt64) {
        deadlines.suspendIdle(isReceivingPaused || !refusesUpload && upload?.isStarved == true, at: now)
    }

    /// Reports a failure of libcurl if it can no longer watch the socket.
    private func noteFailure(_ code: CURLcode) {
        if code == CURLE_ABORTED_BY_CALLBACK { driver?.poller.failure = CURLM_OUT_OF_MEMORY }
    }

    /// Whether a part of the request body is still unsent.
    var hasUnsentBody: Bool {
        guard hasRequestBody, let handle else { return false }
        guard let length = request.body.length else { return upload?.isEndTaken == false }
        return handle.number(CURLINFO_SIZE_UPLOAD_T) < length
    }

    /// Whether the response ends the upload. Any other one says only that the server has begun to respond, so the rest
    /// of the body is still sent.
    var refusesUpload: Bool { reception.head.statusCode >= 300 }

    /// Whether the response is complete, and ended the upload.
    var hasEndedUpload: Bool { isWhole && refusesUpload && hasUnsentBody }

    /// Whether the response is complete according to its framing.
    var isWhole: Bool { stage == .receivingBody && reception.isBodyWhole }

    /// Whether the transport must stop libcurl, which would wait for data after the end of the response, or for a
    /// source after the end of an upload.
    var isToBeStopped: Bool { isWhole && reception.mustBeStopped || hasEndedUpload }

    func resumeWriting() { loop.submit(.resumeReceiving(self)) }

    func cancelWriting() { cancel() }

    func cancel() { loop.submit(.cancel(self)) }

    var phase: TransportError.Phase {
        switch stage {
        case .queued, .connecting: .connecting
        case .sending where isUnprocessed: .connecting
        case .sending: .sending
        case .receivingHead, .receivingBody: .receiving
        }
    }

    var curlMessage: String { handle?.errorText ?? "" }
}

extension Transfer {
    struct Connecting {
        /// The number of connections that libcurl opened for the request.
        var made = 0
        /// Whether the next data comes from the proxy, which is asked for a tunnel first.
        var isTunneling = false
        /// The addresses that libcurl tries, and the end of their time.
        var addresses: [[UInt8]] = []
        var addressEnd: UInt64 = .max
        /// When libcurl must look at the addresses again. `nil` if it needn't.
        var nextLook: UInt64?
        /// The end of the wait for `100 Continue`. `nil` before and after it.
        var continueEnd: UInt64?
        /// The system's error number if it couldn't open a socket, otherwise 0.
        var socketError: Int32 = 0
        /// The last address that the transport's policy rejected.
        var rejectedAddress: String?
    }

    @safe struct Reception: ~Copyable {
        var head = HeadReader()
        /// Whether the body callback has received only a part of a head line so far.
        var isInsideLine = false
        /// The parser of a chunked body. `nil` for other bodies.
        var chunks: ChunkReader?
        /// The length of the body in bytes, if its framing defines it, and the number of bytes received so far.
        var expectedBytes: Int64?
        var receivedBytes: Int64 = 0
        /// Whether the whole response arrived before the end of the request body.
        var isEarly = false
        /// Whether libcurl has nothing left to write after the end of the request body.
        var isUploadSent = false
        /// Whether libcurl would keep reading after the end of the body.
        var mustBeStopped = false
        /// The TLS session that must end with close_notify to complete a close-delimited body.
        var endingSession: UnsafeMutableRawPointer?
        /// The data to deliver to the reader at the end of the loop's turn.
        var gathered = BodyBuffer()
        /// Whether the driver has the transfer in its `gathering` list, and the gathered bytes one turn ago.
        var isGathering = false
        var gatheredBefore = 0

        /// Whether the body is complete according to its framing.
        var isBodyWhole: Bool { chunks?.isAtEnd ?? (expectedBytes == receivedBytes) }
    }

    /// The times that libcurl doesn't measure, in nanoseconds of the loop's clock.
    struct Timing {
        var begun: UInt64 = 0
        /// The start of the response. Set only if the request has a body.
        var responseBegun: UInt64?
        /// The time until libcurl began the exchange for the last time.
        var waited = Duration.zero

        /// The time to the start of the response. `nil` if libcurl measures it.
        var timeToResponse: Duration? { responseBegun.map { .nanoseconds($0 - begun) } }
    }

    /// Whether more data is probably ready, so that one more turn beats waking the reader.
    var isFilling: Bool {
        defer { reception.gatheredBefore = reception.gathered.count }
        return reception.gathered.count - reception.gatheredBefore >= BodyBuffer.limit / 2 && !isEnded
    }
}
#endif
