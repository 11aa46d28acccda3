import CRequestsCurl
import Foundation
import Requests
import RequestsClient

/// One exchange, from its command to its end.
///
/// `@unchecked Sendable`: all variables belong to the loop's thread. Other threads only pass the reference to it in a
/// command, and use the channel, which has its own lock.
///
/// Variables that change with each line and chunk have unchecked exclusivity, which saves a twentieth of a small
/// exchange. libcurl calls back on the same thread, and never during such a change.
final class Transfer: BodyChannel.Writer, @unchecked Sendable {
    /// A sender to resume at the end of the loop's turn, when its transfer has the response.
    struct Answer {
        let transfer: Transfer
        let sender: Waiter
    }

    let request: PreparedRequest
    let hasRequestBody: Bool
    let channel: BodyChannel

    /// The index in the driver's list; `nil` while libcurl doesn't work on the transfer.
    var place: Int?

    /// Waits for the head; `nil` once there is a result.
    var sender: Waiter?

    /// The response's head or the error, for the resumed sender.
    var answer: Result<ResponseHead, any Error>?

    @exclusivity(unchecked) var deadlines: Deadlines
    /// Whether any part of a response has arrived, and whether its final head is complete.
    var hasResponseBegun = false
    var isHeadComplete = false
    /// Whether the body callback has seen a part of a head line, before libcurl reads it.
    var isInsideLine = false
    /// Parses the head, and then the trailers.
    @exclusivity(unchecked) var head = HeadReader()
    /// The TLS session whose end is the end of a close-delimited body.
    var endingSession: UnsafeMutableRawPointer?
    /// The error number if the system gave no socket; otherwise 0.
    var socketError: Int32 = 0
    /// The error of a callback that stopped libcurl.
    var failure: TransportError?
    /// Parses a chunked body. libcurl only looks for its end.
    @exclusivity(unchecked) var chunks: ChunkReader?
    /// The length of the response body if its framing tells, and the bytes received so far.
    var expectedBytes: Int64?
    var receivedBytes: Int64 = 0
    /// Whether libcurl keeps reading after the end of the body.
    var mustBeStopped = false
    /// The data for the reader at the end of the loop's turn.
    @exclusivity(unchecked) var gathered = BodyBuffer()
    /// Whether the driver knows about gathered data, and how much there was a turn ago.
    var isGathering = false
    var gatheredBefore = 0
    /// How often libcurl has started to send the request.
    var attempts = 0
    /// The number of connections that libcurl made for the request, the local port of the last one if nothing else used
    /// it, and whether the server refused the request over such a connection.
    var madeConnections = 0
    var lonePort: Int?
    var wasRefused = false
    @exclusivity(unchecked) var metrics = TransferMetrics()
    /// When libcurl got the transfer and when the response began, in nanoseconds of the loop's clock.
    private var begun: UInt64 = 0
    private var responseBegun: UInt64?
    /// Whether the observer knows that the request was sent.
    var isSendingReported = false
    private(set) var upload: UploadBody?
    private(set) var proxy: ProxyServer?
    private(set) var isEnded = false
    private(set) var handle: EasyHandle?
    /// Set until the end, so that driver and transfer don't retain each other.
    private(set) var driver: LoopDriver?
    private let loop: EventLoop
    private var isReceivingPaused = false
    /// Whether libcurl has started the transfer. Until then the handle has the measures of the previous one.
    var hasStarted = false
    /// When the transfer started to wait for another's connection, and how long it waited.
    private var waitingSince: UInt64?
    private(set) var waited = Duration.zero
    /// The origin to which this transfer makes the first connection, until there is one.
    var opening: OriginCache.Origin?
    /// The local port of the connection, while receiving is paused.
    private var pausedPort: Int?

    init(_ request: borrowing PreparedRequest, loop: EventLoop, highWaterMark: Int) {
        self.request = copy request
        self.hasRequestBody = !request.body.isNone
        self.loop = loop
        self.deadlines = Deadlines(request.options.timeouts, start: LoopClock.time, isConnecting: true)
        self.channel = BodyChannel(from: request.url, highWater: highWaterMark)
    }

    /// Returns the transfer that uses a handle.
    static func of(_ easy: UnsafeMutableRawPointer?) -> Transfer? {
        var context: UnsafeMutableRawPointer?
        guard let easy, crc_get_private(easy, &context) == CURLE_OK else { return nil }
        return from(context)
    }

    static func from(_ context: UnsafeMutableRawPointer?) -> Transfer? {
        EasyHandle.from(context)?.transfer
    }

    /// Prepares a handle for the exchange. ``close(isDone:)``, ``detach()`` and ``finish(_:)`` must follow.
    func begin(on handle: EasyHandle, driver: LoopDriver) throws {
        self.handle = handle
        self.driver = driver
        if hasRequestBody { begun = LoopClock.time }
        head = HeadReader(known: driver.lastHead)
        handle.attach(self)
        channel.attach(self)
        proxy = driver.settings.proxies.server(for: request.url)
        upload = try handle.prepare(for: request, through: proxy, driver)
        try upload?.start { [loop, self] in loop.submit(.resumeSending(self)) }
    }

    func beginWaiting() {
        waitingSince = waitingSince ?? LoopClock.time
    }

    /// Notes that libcurl starts the transfer.
    func endWaiting() {
        if let waitingSince { waited = .nanoseconds(LoopClock.time - waitingSince) }
    }

    /// Notes the end while there is a handle to ask.
    ///
    /// - Parameter isDone: Whether libcurl says so.
    func close(isDone: Bool) {
        isEnded = true
        if isDone { hasStarted = true }
        upload?.close()
        notePaused(false)
        if let endingSession { _ = OpenSSL.unwatch(endingSession) }
        if handle != nil { measureEnd() }
    }

    /// Returns the response's head to the resumed sender.
    func takeResponse() throws -> ResponseHead {
        guard let answer = answer.take() else { throw failed(.malformed, "there was no response") }
        return try answer.get()
    }

    /// Releases the handle, which the driver removes from libcurl.
    func detach() -> EasyHandle? {
        defer {
            handle = nil
            driver = nil
        }
        handle?.detach()
        return handle
    }

    /// Passes the outcome to the reader.
    ///
    /// - Returns: What to tell the sender, when there is no reader yet.
    func finish(_ outcome: Result<Header?, any Error>) -> Answer? {
        handOver()
        channel.finish(outcome)
        guard let sender = sender.take() else { return nil }
        if case .failure(let error) = outcome { answer = .failure(error) }
        return Answer(transfer: self, sender: sender)
    }

    func noteResponse() {
        hasResponseBegun = true
        // If the request has a body, libcurl's own time is that of the body's start.
        if hasRequestBody { responseBegun = LoopClock.time }
    }

    /// How long the response took to begin; `nil` if libcurl measures it.
    var timeToResponse: Duration? { responseBegun.map { .nanoseconds($0 - begun) } }

    /// Whether more data is probably ready, so that one more turn beats waking the reader.
    var isFilling: Bool {
        defer { gatheredBefore = gathered.count }
        return gathered.count - gatheredBefore >= BodyBuffer.limit / 2 && !isEnded
    }

    /// Pauses or resumes receiving. Data that libcurl has passed on is kept.
    func pauseReceiving(_ pause: Bool) {
        isReceivingPaused = pause
        notePaused(pause)
        applyPauses()
    }

    private func notePaused(_ isPaused: Bool) {
        guard isPaused != (pausedPort != nil), let handle, let driver else { return }
        let port = pausedPort ?? handle.long(CURLINFO_LOCAL_PORT)
        driver.poller.notePaused(isPaused, onPort: port)
        pausedPort = isPaused ? port : nil
    }

    /// Tells libcurl which directions to pause: receiving while the reader is behind, sending while the source is.
    func applyPauses() {
        guard let handle, let driver else { return }
        deadlines.suspendIdle(isReceivingPaused, at: driver.clock.now)
        handle.pause(receiving: isReceivingPaused, sending: upload?.isStarved == true)
    }

    /// Whether the whole response came before the body of the request was sent.
    ///
    /// libcurl 7.88 doesn't notice that over HTTP/2, and spins until a timeout. Such a transfer is ended here.
    var isAnsweredEarly: Bool {
        guard hasRequestBody, let handle, let version = head.version, version >= .http2, expectedBytes == receivedBytes
        else { return false }
        return handle.number(CURLINFO_SIZE_UPLOAD_T) < request.body.length ?? .max
    }

    /// Whether the response is complete, by its framing.
    var isWhole: Bool { isHeadComplete && (chunks?.isAtEnd ?? (expectedBytes == receivedBytes)) }

    /// Whether libcurl would wait for data after the end of the response.
    var isToBeStopped: Bool { isAnsweredEarly || mustBeStopped && isWhole }

    func resumeWriting() { loop.submit(.resumeReceiving(self)) }

    func cancelWriting() { loop.submit(.cancel(self)) }

    var phase: TransportError.Phase {
        hasResponseBegun ? .receiving : attempts > 0 ? .sending : .connecting
    }

    var curlMessage: String { handle?.errorText ?? "" }
}
