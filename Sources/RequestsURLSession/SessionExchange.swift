import Foundation
import Requests

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One exchange over a session's task.
final class SessionExchange: BodyChannel.Writer {
    let channel: BodyChannel
    let request: PreparedRequest
    let head = Promise<ResponseHead>()
    private let task: URLSessionDataTask
    private let watchdog: Watchdog
    private let state: Guarded<State>
    /// Whether the task has reported its end.
    private let isTaskOver = Guarded(false)
    private let suspension = Suspension()
    private let startTime = Watchdog.now

    private struct State {
        var end: Result<Header?, any Error>?
        var deadlines: Deadlines
        var metrics = TransferMetrics()
        var progress = ResponseProgress()
        var wasChallenged = false
        /// Whether the task is being cancelled at this moment.
        var isCancelling = false
    }

    init(_ request: PreparedRequest, task: URLSessionDataTask, watchdog: Watchdog, maximumBufferedBytes: Int) {
        self.request = request
        self.watchdog = watchdog
        self.task = task
        self.channel = BodyChannel(from: request.url, highWater: maximumBufferedBytes)
        self.state = Guarded(State(deadlines: Deadlines(request.options.timeouts, start: Watchdog.now)))
    }

    private var isOver: Bool { state.withLock { $0.end != nil } }

    func start() {
        // Cancelled before it began: the task is never resumed and nothing is sent.
        guard state.withLock({ $0.end == nil }) else { return }
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
    /// The task is cancelled, and whatever it reports from then on is ignored: on Linux it can go on for a while, or, in
    /// the midst of a fast body, to the end.
    ///
    /// - Parameter isComplete: Whether the task is over as well.
    func end(_ outcome: Result<Header?, any Error>, isComplete: Bool = false) {
        let elapsed = elapsed
        let isFirst = state.withLock { state in
            guard state.end == nil else { return false }
            state.end = outcome
            state.metrics.ended = elapsed
            return true
        }
        guard isFirst else { return }
        if !isComplete { cancelTask() }
        // Not as an argument, which nobody makes where there is no observer.
        let metrics = publishMetrics()
        request.observer?(.ended(metrics))
        channel.finish(outcome)
        head.give(outcome.flatMap { _ in .failure(failed(.closed, "there was no response")) })
    }

    private func cancelTask() {
        let isFree = state.withLock { state in
            defer { state.isCancelling = true }
            return !state.isCancelling
        }
        guard isFree else { return }
        PlatformSession.cancel {
            // On Linux a cancellation in the midst of the end ends the process: each waits for the other.
            self.isTaskOver.withLock { isOver in
                if !isOver { self.task.cancel() }
            }
            self.state.withLock { $0.isCancelling = false }
        }
    }

    /// Does something unless the exchange is over, and before it is.
    func whileRunning(_ action: () -> Void) {
        state.withLock { if $0.end == nil { action() } }
    }

    func endForWrongKey() {
        end(
            .failure(
                failed(.pinMismatch, "the key of \(request.url.host) is not trusted, or not one of the pinned ones")
            )
        )
    }

    /// Whether URLSession decodes the body, once there is a head.
    var isDecoded: Bool { state.withLock { $0.progress.isDecoded } }

    func noteChallenge() {
        state.withLock { $0.wasChallenged = true }
    }

    func receive(_ response: URLResponse) {
        guard !isOver else { return }
        guard let response = response as? HTTPURLResponse, let head = try? ResponseHead(response) else {
            return end(.failure(failed(.malformed, "the response is not one of HTTP")))
        }
        // What comes before the response is not it (RFC 9110 §15.2).
        if (100..<200).contains(head.statusCode), head.statusCode != 101 { return }
        if let fault = head.header.lengthFault { return end(.failure(failed(.malformed, fault))) }
        guard head.header.count <= Header.maximumFields else {
            return end(.failure(failed(.tooLarge, Header.tooLarge)))
        }
        // What URLSession decodes it delivers under the header of the coded body.
        let isDecoded = head.header[.contentEncoding].map(PlatformSession.decodes) == true
        let elapsed = elapsed
        let decodedHead = state.withLock { state in
            var head = head
            state.progress.note(&head, to: request.method, isDecoded: isDecoded)
            state.metrics.responseStarted = elapsed
            state.deadlines.noteActivity(at: Watchdog.now)
            return head
        }
        publishMetrics()
        request.observer?(.requestSent)
        request.observer?(.head(decodedHead))
        self.head.give(.success(decodedHead))
    }

    func noteSent(_ bytes: Int64) {
        guard !isOver else { return }
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
            state.metrics.receivedBodyBytes = state.progress.receivedCodedBytes
            return state.metrics
        }
        channel.metrics = metrics
        return metrics
    }

    func receive(_ data: Data) {
        // Once more: on Linux a cancellation in the midst of a fast body can get lost.
        guard !isOver else { return cancelTask() }
        let progress = state.withLock { state in
            state.progress.noteReceived(data.count)
            state.deadlines.noteActivity(at: Watchdog.now)
            return state.progress
        }
        request.observer?(.received(bytes: progress.receivedBytes, total: progress.expectedBytes))
        if let coded = progress.codedBytes, SessionExchange.hasGrownTooFar(from: coded, to: progress.receivedBytes) {
            return end(.failure(failed(.tooLarge, "the body grew to more than 250 times its size by decoding")))
        }
        switch channel.push(data) {
        case .more: break
        case .pause where PlatformSession.canPause: followReader()
        case .pause: end(.failure(failed(.tooLarge, "the reader of the body is too far behind to keep the rest")))
        case .stop: cancelTask()
        }
    }

    /// Whether a body of more than 1 MiB is an attack on the memory of its reader.
    private static func hasGrownTooFar(from coded: Int64, to decoded: Int64) -> Bool {
        decoded > 1 << 20 && decoded / 250 > coded
    }

    func complete(_ error: (any Error)?) {
        isTaskOver.withLock { $0 = true }
        if error == nil { receiveUnshown() }
        let (progress, wasChallenged) = state.withLock { ($0.progress, $0.wasChallenged) }
        if let error, !(wasChallenged && progress.hasHead && (error as? URLError)?.code == .cancelled) {
            return end(.failure(failure(for: error, hasHead: progress.hasHead)), isComplete: true)
        }
        let missing = progress.missingBytes ?? 0
        guard missing == 0 else {
            let error = failed(.truncated, "the response ended \(missing) bytes early")
            return end(.failure(error), isComplete: true)
        }
        end(.success(nil), isComplete: true)
    }

    /// Foundation on Linux shows no redirect that does not say where to, and drops its body.
    private func receiveUnshown() {
        guard !state.withLock({ $0.progress.hasHead }), let response = task.response else { return }
        receive(response)
        guard state.withLock({ $0.progress.expectedBytes }) == nil else { return }
        end(.failure(failed(.truncated, "Foundation gives no body of a redirect that does not say where to")))
    }
}
