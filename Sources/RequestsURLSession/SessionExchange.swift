import Foundation
import Requests

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One exchange over a session's task.
final class SessionExchange: BodyChannel.Writer {
    let channel: BodyChannel
    let request: PreparedRequest
    private let task: URLSessionDataTask
    private let watchdog: Watchdog
    private let state: Guarded<State>
    private let suspension = Suspension()
    private let startTime = Watchdog.now

    private struct State {
        var continuation: CheckedContinuation<ResponseHead, any Error>?
        var end: Result<Header?, any Error>?
        var deadlines: Deadlines
        var metrics = TransferMetrics()
        var wasChallenged = false
        var expectedBytes: Int64?
        /// How long a coded body was before URLSession decoded it, where its framing told.
        var codedBytes: Int64?
        var isDecoded = false
        var receivedBytes: Int64 = 0
        var hasHead = false
        var missingBytes: Int64 { (expectedBytes ?? receivedBytes) - receivedBytes }
    }

    init(_ request: PreparedRequest, task: URLSessionDataTask, watchdog: Watchdog, maximumBufferedBytes: Int) {
        self.request = request
        self.watchdog = watchdog
        self.task = task
        self.channel = BodyChannel(from: request.url, highWater: maximumBufferedBytes)
        self.state = Guarded(State(deadlines: Deadlines(request.options.timeouts, start: Watchdog.now)))
    }

    func start(_ continuation: CheckedContinuation<ResponseHead, any Error>) {
        let end = state.withLock { state in
            if state.end == nil { state.continuation = continuation }
            return state.end
        }
        // Cancelled before it began: the task was never resumed and nothing was sent.
        if let end { return continuation.resume(with: end.flatMap { _ in .failure(CancellationError()) }) }
        channel.attach(self)
        noteDeadline()
        task.resume()
    }

    /// Ends the exchange when its time is up: the session's own limits are rounded, or do not hold.
    ///
    /// - Returns: When to look again.
    func checkDeadlines(at now: UInt64) -> UInt64? {
        let deadlines = state.withLock { $0.deadlines }
        guard let limit = deadlines.reached(at: now) else { return deadlines.next }
        end(.failure(failed(.timedOut(limit), TransportError.reason(limit, of: request.options.timeouts))))
        return nil
    }

    private func noteDeadline() {
        if let next = state.withLock({ $0.deadlines.next }) { watchdog.wake(at: next) }
    }

    func resumeWriting() { followReader() }

    func cancelWriting() { end(.failure(CancellationError())) }

    /// Rests while the reader is behind, where the platform's tasks can.
    private func followReader() {
        guard PlatformSession.canPause else { return }
        suspension.update(to: { channel.isPaused }) { suspend in
            state.withLock { $0.deadlines.suspendIdle(suspend, at: Watchdog.now) }
            if suspend { return task.suspend() }
            task.resume()
            noteDeadline()
        }
    }

    /// Tells the sender, or the reader when there is one already, how the exchange ended. The first end counts.
    ///
    /// The task is cancelled, and whatever it reports from then on is ignored: on Linux it can go on for a while.
    func end(_ outcome: Result<Header?, any Error>) {
        let elapsed = elapsed
        let before = state.withLock { state in
            let before = state
            if state.end == nil { state.end = outcome }
            state.continuation = nil
            state.metrics.ended = elapsed
            return before
        }
        guard before.end == nil else { return }
        task.cancel()
        // Not as an argument, which nobody makes where there is no observer.
        let metrics = publishMetrics()
        request.observer?(.ended(metrics))
        channel.finish(outcome)
        before.continuation?.resume(with: outcome.flatMap { _ in .failure(failed(.closed, "there was no response")) })
    }

    func endForWrongKey() {
        end(
            .failure(
                failed(.pinMismatch, "the key of \(request.url.host) is not trusted, or not one of the pinned ones")
            )
        )
    }

    /// Whether URLSession decodes the body, once there is a head.
    var isDecoded: Bool { state.withLock { $0.isDecoded } }

    func noteChallenge() {
        state.withLock { $0.wasChallenged = true }
    }

    func receive(_ response: URLResponse) {
        guard let response = response as? HTTPURLResponse, var head = try? ResponseHead(response) else {
            return end(.failure(failed(.malformed, "the response is not one of HTTP")))
        }
        // What comes before the response is not it (RFC 9110 §15.2).
        if (100..<200).contains(head.statusCode), head.statusCode != 101 { return }
        if let fault = head.header.lengthFault { return end(.failure(failed(.malformed, fault))) }
        guard head.header.count <= Header.maximumFields else {
            return end(.failure(failed(.tooLarge, Header.tooLarge)))
        }
        let length = head.expectedBytes(to: request.method)
        // What URLSession decodes it delivers under the header of the coded body.
        let isDecoded = length != 0 && head.header[.contentEncoding].map(PlatformSession.decodes) == true
        if isDecoded {
            head.header.remove(.contentEncoding)
            head.header.remove(.contentLength)
        }
        let elapsed = elapsed
        let continuation = state.withLock { state in
            state.hasHead = true
            state.metrics.responseStarted = elapsed
            state.deadlines.noteActivity(at: Watchdog.now)
            state.expectedBytes = isDecoded ? nil : length
            state.codedBytes = isDecoded ? length : nil
            state.isDecoded = isDecoded
            defer { state.continuation = nil }
            return state.continuation
        }
        publishMetrics()
        request.observer?(.requestSent)
        request.observer?(.head(head))
        continuation?.resume(returning: head)
    }

    func noteSent(_ bytes: Int64) {
        state.withLock { state in
            state.deadlines.noteActivity(at: Watchdog.now)
            state.metrics.sentBodyBytes = bytes
        }
        request.observer?(.sent(bytes: bytes, total: request.body.length))
    }

    /// Takes over what the session has measured.
    func note(_ measure: (inout TransferMetrics) -> Void) {
        state.withLock { measure(&$0.metrics) }
    }

    private var elapsed: Duration { .nanoseconds(Watchdog.now &- startTime) }

    @discardableResult
    private func publishMetrics() -> TransferMetrics {
        let metrics = state.withLock { state in
            state.metrics.receivedBodyBytes = state.codedBytes ?? state.receivedBytes
            return state.metrics
        }
        channel.metrics = metrics
        return metrics
    }

    func receive(_ data: Data) {
        let (received, expected, coded) = state.withLock { state in
            state.receivedBytes += Int64(data.count)
            state.deadlines.noteActivity(at: Watchdog.now)
            return (state.receivedBytes, state.expectedBytes, state.codedBytes)
        }
        request.observer?(.received(bytes: received, total: expected))
        if let coded, SessionExchange.hasGrownTooFar(from: coded, to: received) {
            return end(.failure(failed(.tooLarge, "the body grew to more than 250 times its size by decoding")))
        }
        switch channel.push(data) {
        case .more: break
        case .pause where PlatformSession.canPause: followReader()
        case .pause: end(.failure(failed(.tooLarge, "the reader of the body is too far behind to keep the rest")))
        // Once more: on Linux a cancellation in the midst of a fast body can get lost.
        case .stop: task.cancel()
        }
    }

    /// Whether a body of more than 1 MiB is an attack on the memory of its reader.
    private static func hasGrownTooFar(from coded: Int64, to decoded: Int64) -> Bool {
        decoded > 1 << 20 && decoded / 250 > coded
    }

    func complete(_ error: (any Error)?) {
        let state = state.withLock { (wasChallenged: $0.wasChallenged, hasHead: $0.hasHead, missing: $0.missingBytes) }
        if let error, !(state.wasChallenged && state.hasHead && (error as? URLError)?.code == .cancelled) {
            return end(.failure(failure(for: error, hasHead: state.hasHead)))
        }
        guard state.missing == 0 else {
            return end(.failure(failed(.truncated, "the response ended \(state.missing) bytes before its end")))
        }
        end(.success(nil))
    }
}
