import CRequestsCurl
import Requests
import RequestsClient

/// One request and its response, from the `start` command to the end.
///
/// `@unchecked Sendable`: all variables belong to the loop's thread. Other threads only pass the reference in a
/// command, except that the sender reads ``result`` after the loop has resumed it.
///
/// Variables that change with each line and chunk have unchecked exclusivity, which saves a twentieth of a small
/// exchange. libcurl calls back on the same thread, and never during such a change.
final class Transfer: BodyChannel.Writer, Cancelable, @unchecked Sendable {
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
    private(set) var isEnded = false
    /// The error of the callback that stopped libcurl.
    var failure: TransportError?

    /// The index in the driver's `transfers`. `nil` while libcurl doesn't work on the transfer.
    var place: Int?
    private(set) var handle: EasyHandle?
    /// Released at the end, so that the driver and the transfer don't retain each other.
    private(set) var driver: LoopDriver?
    private let loop: EventLoop

    @safe @exclusivity(unchecked) var deadlines: Deadlines
    @safe @exclusivity(unchecked) var connection = Connection()
    @safe @exclusivity(unchecked) var reception = Reception()
    @safe @exclusivity(unchecked) var timing = Timing()
    @safe @exclusivity(unchecked) var metrics = TransferMetrics()
    /// Whether the observer was told that the request was sent.
    var isSendingReported = false
    private(set) var upload: UploadBody?
    private(set) var proxy: ProxyServer?
    private var isReceivingPaused = false
    /// The socket of the connection while receiving is paused, otherwise `nil`.
    private var pausedSocket: curl_socket_t?

    init(_ request: borrowing PreparedRequest, _ context: SendContext, loop: EventLoop) {
        self.request = copy request
        self.context = context
        self.hasRequestBody = !request.body.isNone
        self.loop = loop
        self.deadlines = Deadlines(
            request.options.timeouts,
            remaining: context.remaining,
            start: LoopClock.time,
            isConnecting: true
        )
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
        if hasRequestBody { timing.begun = LoopClock.time }
        reception.head = HeadReader(driver.headCache)
        handle.attach(self)
        proxy = driver.settings.proxies.server(for: request.url)
        upload = try handle.prepare(for: request, isObserved: context.observer != nil, through: proxy, driver)
        try upload?.start { [loop, self] in loop.submit(.resumeSending(self)) }
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
        guard isPaused != (pausedSocket != nil), let socket = connection.socket, let driver else { return }
        driver.poller.update(pausedSocket ?? socket) { use in
            use.pausedTransfers = max(use.pausedTransfers + (isPaused ? 1 : -1), 0)
        }
        pausedSocket = isPaused ? socket : nil
    }

    /// Pauses receiving while the reader is behind, and sending while the source has no data.
    func applyPauses() {
        guard let handle, let driver else { return }
        deadlines.suspendIdle(isReceivingPaused, at: driver.clock.now)
        let code = handle.pause(receiving: isReceivingPaused, sending: upload?.isStarved == true)
        noteFailure(code)
        // libcurl has lost the data that it held back.
        if code == CURLE_OUT_OF_MEMORY { stop(because: ENOMEM) }
    }

    /// Reports a failure of libcurl if it can no longer watch the socket.
    private func noteFailure(_ code: CURLcode) {
        if code == CURLE_ABORTED_BY_CALLBACK { driver?.poller.failure = CURLM_OUT_OF_MEMORY }
    }

    /// Whether the whole response arrived before the request body was sent.
    ///
    /// Over HTTP/2, libcurl 7.88 doesn't notice this and spins until a timeout, so the transfer is ended early.
    var hasEarlyResponse: Bool {
        guard hasRequestBody, let handle, let version = reception.head.version, version >= .http2,
            reception.expectedBytes == reception.receivedBytes
        else { return false }
        return handle.number(CURLINFO_SIZE_UPLOAD_T) < request.body.length ?? .max
    }

    /// Whether a part of the request body is still unsent.
    var hasUnsentBody: Bool {
        guard let upload, let handle else { return false }
        guard let length = request.body.length else { return !upload.isRead }
        return handle.number(CURLINFO_SIZE_UPLOAD_T) < length
    }

    /// Whether the response is complete according to its framing.
    var isWhole: Bool { stage == .receivingBody && reception.isBodyWhole }

    /// Whether the transport must stop libcurl, which would wait for data after the end of the response.
    var isToBeStopped: Bool { hasEarlyResponse || reception.mustBeStopped && isWhole }

    func resumeWriting() { loop.submit(.resumeReceiving(self)) }

    func cancelWriting() { cancel() }

    func cancel() { loop.submit(.cancel(self)) }

    var phase: TransportError.Phase {
        switch stage {
        case .queued, .connecting: .connecting
        case .sending: .sending
        case .receivingHead, .receivingBody: .receiving
        }
    }

    var curlMessage: String { handle?.errorText ?? "" }
}
