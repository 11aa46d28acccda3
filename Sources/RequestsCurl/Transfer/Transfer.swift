import CRequestsCurl
import Foundation
import Requests

/// One exchange, from its command to its end.
///
/// Unchecked, because all variables belong to the loop's thread: other threads only hand the reference over to it in
/// a command, and use the channel, which locks itself.
final class Transfer: @unchecked Sendable {
    let request: PreparedRequest
    let channel: BodyChannel

    /// Tells the sender the head, or why there is none; `nil` once that is done.
    var answer: ((Result<ResponseHead, any Error>) -> Void)?

    var deadlines: Deadlines
    var parser = HeadParser()
    /// Why a callback made libcurl stop.
    var failure: TransportError?
    /// What the response's framing says of its body, and what has come of it.
    var expectedBytes: Int64?
    var receivedBytes: Int64 = 0
    /// How often libcurl has begun to send the request.
    var attempts = 0
    private(set) var upload: UploadBody?
    private(set) var isEnded = false
    private let loop: EventLoop
    private var handle: EasyHandle?
    private unowned var driver: LoopDriver?
    private var isReceivingPaused = false

    init(_ request: PreparedRequest, loop: EventLoop, highWaterMark: Int) {
        self.request = request
        self.loop = loop
        self.deadlines = Deadlines(request.options.timeouts, start: DispatchTime.now().uptimeNanoseconds)
        self.channel = BodyChannel(from: request.url, highWater: highWaterMark)
    }

    /// The transfer that a handle is for.
    static func of(_ easy: UnsafeMutableRawPointer?) -> Transfer? {
        var context: UnsafeMutableRawPointer?
        guard let easy, crc_get_private(easy, &context) == CURLE_OK else { return nil }
        return from(context)
    }

    static func from(_ context: UnsafeMutableRawPointer?) -> Transfer? {
        context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Prepares a handle for the exchange. From here on ``detach()`` and ``end(_:)`` must follow.
    func begin(on handle: EasyHandle, driver: LoopDriver) throws {
        self.handle = handle
        self.driver = driver
        handle.attach(self)
        channel.attach(
            BodyChannel.Control(
                resume: { [loop, self] in loop.submit(.resumeReceiving(self)) },
                cancel: { [loop, self] in loop.submit(.cancel(self)) }
            )
        )
        upload = try handle.configure(for: request, driver.tls)
        try upload?.start { [loop, self] in loop.submit(.resumeSending(self)) }
    }

    /// Gives up the handle, which the driver takes out of libcurl.
    func detach() -> EasyHandle? {
        defer {
            handle = nil
            driver = nil
        }
        return handle
    }

    /// Tells the sender, or the reader when there is one already, how the exchange ended. The first end counts.
    func end(_ outcome: Result<Header?, any Error>) {
        isEnded = true
        upload?.close()
        channel.finish(outcome)
        guard let answer else { return }
        self.answer = nil
        guard case .failure(let error) = outcome else {
            return answer(.failure(failed(.malformed, "no response head")))
        }
        answer(.failure(error))
    }

    func noteActivity() {
        if let driver { deadlines.noteActivity(at: driver.now) }
    }

    /// Stops receiving after what libcurl has handed over, or goes on.
    func pauseReceiving(_ pause: Bool) {
        isReceivingPaused = pause
        applyPauses()
    }

    /// Tells libcurl which directions are to rest: receiving while the reader is behind, sending while the source is.
    func applyPauses() {
        guard let handle, let driver else { return }
        let pauses = (isReceivingPaused ? CURLPAUSE_RECV : 0) | (upload?.isStarved == true ? CURLPAUSE_SEND : 0)
        deadlines.suspendIdle(isReceivingPaused, at: driver.now)
        // Resuming hands over what was held back, from inside this call.
        curl_easy_pause(handle.easy, pauses)
    }

    /// Whether the whole response came before the body of the request was sent.
    ///
    /// Libcurl 7.88 does not see that over HTTP/2: it turns in circles until a timeout. The transfer is ended for it.
    var isAnsweredEarly: Bool {
        guard let handle, let version = parser.version, version >= .http2, expectedBytes == receivedBytes else {
            return false
        }
        return !request.body.isNone && handle.number(CURLINFO_SIZE_UPLOAD_T) < request.body.length ?? .max
    }

    var phase: TransportError.Phase {
        if parser.hasStarted { return .receiving }
        return (handle?.number(CURLINFO_PRETRANSFER_TIME_T) ?? 0) > 0 ? .sending : .connecting
    }

    var curlMessage: String { handle?.errorText ?? "" }
}
