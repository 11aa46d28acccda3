import CRequestsCurl
import Foundation
import Requests

/// One exchange, from its command to its end.
///
/// Unchecked, because all variables belong to the loop's thread: other threads only hand the reference over to it in
/// a command, and use the channel, which locks itself.
///
/// Those that are changed for each line and piece do without checks of exclusive access at run time, a twentieth of
/// what a small exchange costs: libcurl calls back on the same thread, and never while one of them is being changed.
final class Transfer: BodyChannel.Writer, @unchecked Sendable {
    /// A sender that is resumed at the end of the loop's turn: its transfer has the answer.
    struct Answer {
        let transfer: Transfer
        let sender: Waiter
    }

    let request: PreparedRequest
    let hasRequestBody: Bool
    let channel: BodyChannel

    /// Where the driver keeps it; `nil` while libcurl does not work on it.
    var place: Int?

    /// Waits for the head; `nil` once there is an answer.
    var sender: Waiter?

    /// The response's head, or why there is none: the sender's to take, once it is resumed.
    var answer: Result<ResponseHead, any Error>?

    @exclusivity(unchecked) var deadlines: Deadlines
    /// Whether anything of a response has come, and whether its final head is complete.
    var hasResponseBegun = false
    var isHeadComplete = false
    /// Whether libcurl has shown a part of a line of the head, before it reads it.
    var isInsideLine = false
    /// What has come of the head, and then of the trailers.
    @exclusivity(unchecked) var head = HeadReader()
    /// The TLS session whose end is the body's end, when nothing else is.
    var endingSession: UnsafeMutableRawPointer?
    /// Why the system gave no socket; 0 where it did.
    var socketError: Int32 = 0
    /// Why a callback made libcurl stop.
    var failure: TransportError?
    /// Reads a body of chunks, of which libcurl only looks for the end.
    @exclusivity(unchecked) var chunks: ChunkReader?
    /// What the response's framing says of its body, and what has come of it.
    var expectedBytes: Int64?
    var receivedBytes: Int64 = 0
    /// Whether libcurl reads on when the body is whole.
    var mustBeStopped = false
    /// What the reader gets at the end of the loop's turn.
    @exclusivity(unchecked) var gathered = BodyBuffer()
    /// Whether the driver knows that something is gathered, and how much it was a turn ago.
    var isGathering = false
    var gatheredBefore = 0
    /// How often libcurl has begun to send the request.
    var attempts = 0
    /// How many connections libcurl made for it, the local port of the last where nothing else went over it, and whether a
    /// server refused the request over such a one.
    var madeConnections = 0
    var lonePort: Int?
    var wasRefused = false
    @exclusivity(unchecked) var metrics = TransferMetrics()
    /// When libcurl got the transfer, and when the first of the response came, in nanoseconds of the loop's clock.
    private var begun: UInt64 = 0
    private var responseBegun: UInt64?
    /// Whether the observer knows that the request has been sent.
    var isSendingReported = false
    private(set) var upload: UploadBody?
    private(set) var proxy: ProxyServer?
    private(set) var isEnded = false
    private(set) var handle: EasyHandle?
    /// Until the end, so that both do not keep each other.
    private(set) var driver: LoopDriver?
    private let loop: EventLoop
    private var isReceivingPaused = false
    /// Whether libcurl has worked on it. Until then the handle knows of the exchange before.
    var hasStarted = false
    /// When it began to wait for another's connection, and how long it did.
    private var waitingSince: UInt64?
    private(set) var waited = Duration.zero
    /// The server whose first connection it makes, until that stands.
    var opening: OriginCache.Origin?
    /// The local port of its connection, while receiving is paused.
    private var pausedPort: Int?

    init(_ request: borrowing PreparedRequest, loop: EventLoop, highWaterMark: Int) {
        self.request = copy request
        self.hasRequestBody = !request.body.isNone
        self.loop = loop
        self.deadlines = Deadlines(request.options.timeouts, start: LoopClock.time, isConnecting: true)
        self.channel = BodyChannel(from: request.url, highWater: highWaterMark)
    }

    /// The transfer that a handle is for.
    static func of(_ easy: UnsafeMutableRawPointer?) -> Transfer? {
        var context: UnsafeMutableRawPointer?
        guard let easy, crc_get_private(easy, &context) == CURLE_OK else { return nil }
        return from(context)
    }

    static func from(_ context: UnsafeMutableRawPointer?) -> Transfer? {
        EasyHandle.from(context)?.transfer
    }

    /// Prepares a handle for the exchange. From here on ``close(isDone:)``, ``detach()`` and ``tell(_:)`` must follow.
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

    /// Notes that libcurl begins with it.
    func endWaiting() {
        if let waitingSince { waited = .nanoseconds(LoopClock.time - waitingSince) }
    }

    /// Notes the end, while there still is a handle to ask.
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

    /// The response's head, for the sender that was resumed.
    func takeResponse() throws -> ResponseHead {
        guard let answer = answer.take() else { throw failed(.malformed, "there was no response") }
        return try answer.get()
    }

    /// Gives up the handle, which the driver takes out of libcurl.
    func detach() -> EasyHandle? {
        defer {
            handle = nil
            driver = nil
        }
        handle?.detach()
        return handle
    }

    /// Tells the reader how the exchange ended.
    ///
    /// - Returns: What to tell the sender, when there is no reader yet.
    func tell(_ outcome: Result<Header?, any Error>) -> Answer? {
        handOver()
        channel.finish(outcome)
        guard let sender = sender.take() else { return nil }
        if case .failure(let error) = outcome { answer = .failure(error) }
        return Answer(transfer: self, sender: sender)
    }

    func noteResponse() {
        hasResponseBegun = true
        // Of a request with a body libcurl's own mark says when the body began.
        if hasRequestBody { responseBegun = LoopClock.time }
    }

    /// How long the response took to begin; `nil` where libcurl tells.
    var timeToResponse: Duration? { responseBegun.map { .nanoseconds($0 - begun) } }

    /// Whether so much came in this turn that there is more at once: to wake the reader costs more than to wait for that.
    var isFilling: Bool {
        defer { gatheredBefore = gathered.count }
        return gathered.count - gatheredBefore >= BodyBuffer.limit / 2 && !isEnded
    }

    /// Stops receiving after what libcurl has handed over, or goes on.
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
    /// Libcurl 7.88 does not see that over HTTP/2: it turns in circles until a timeout. The transfer is ended for it.
    var isAnsweredEarly: Bool {
        guard hasRequestBody, let handle, let version = head.version, version >= .http2, expectedBytes == receivedBytes
        else { return false }
        return handle.number(CURLINFO_SIZE_UPLOAD_T) < request.body.length ?? .max
    }

    /// Whether all of the response is there, as its framing tells.
    var isWhole: Bool { isHeadComplete && (chunks?.isAtEnd ?? (expectedBytes == receivedBytes)) }

    /// Whether libcurl would wait for bytes that belong to nothing.
    var isToBeStopped: Bool { isAnsweredEarly || mustBeStopped && isWhole }

    func resumeWriting() { loop.submit(.resumeReceiving(self)) }

    func cancelWriting() { loop.submit(.cancel(self)) }

    var phase: TransportError.Phase {
        hasResponseBegun ? .receiving : attempts > 0 ? .sending : .connecting
    }

    var curlMessage: String { handle?.errorText ?? "" }
}
