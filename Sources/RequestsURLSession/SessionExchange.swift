import Foundation
import Requests

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One exchange over a session's task.
final class SessionExchange: Sendable {
    let channel: BodyChannel
    let request: PreparedRequest
    private let task: URLSessionDataTask
    private let watchdog: Watchdog
    private let state: Guarded<State>

    private struct State {
        var continuation: CheckedContinuation<ResponseHead, any Error>?
        var end: Result<Header?, any Error>?
        var deadlines: Deadlines
        var wasChallenged = false
        var expectedBytes: Int64?
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
        channel.attach(
            BodyChannel.Control(
                resume: { [self] in pause(false) },
                cancel: { [self] in self.end(.failure(CancellationError())) }
            )
        )
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

    private func pause(_ pause: Bool) {
        guard PlatformSession.canPause else { return }
        state.withLock { $0.deadlines.suspendIdle(pause, at: Watchdog.now) }
        if pause {
            task.suspend()
        } else {
            task.resume()
            noteDeadline()
        }
    }

    /// Tells the sender, or the reader when there is one already, how the exchange ended. The first end counts.
    ///
    /// The task is cancelled, and whatever it reports from then on is ignored: on Linux it can go on for a while.
    func end(_ outcome: Result<Header?, any Error>) {
        let before = state.withLock { state in
            let before = state
            if state.end == nil { state.end = outcome }
            state.continuation = nil
            return before
        }
        guard before.end == nil else { return }
        task.cancel()
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

    func noteChallenge() {
        state.withLock { $0.wasChallenged = true }
    }

    func receive(_ response: URLResponse) {
        guard let response = response as? HTTPURLResponse, let head = try? ResponseHead(response) else {
            return end(.failure(failed(.malformed, "the response is not one of HTTP")))
        }
        // What comes before the response is not it (RFC 9110 §15.2).
        if (100..<200).contains(head.statusCode), head.statusCode != 101 { return }
        if let fault = head.header.lengthFault { return end(.failure(failed(.malformed, fault))) }
        guard head.header.count <= Header.maximumFields else {
            return end(.failure(failed(.tooLarge, Header.tooLarge)))
        }
        // After a content coding was undone the length is another one.
        let isLiteral = !head.header.contains(.contentEncoding)
        let length = isLiteral ? head.expectedBytes(to: request.method) : nil
        let continuation = state.withLock { state in
            state.hasHead = true
            state.deadlines.noteActivity(at: Watchdog.now)
            state.expectedBytes = length
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume(returning: head)
    }

    func receive(_ data: Data) {
        state.withLock { state in
            state.receivedBytes += Int64(data.count)
            state.deadlines.noteActivity(at: Watchdog.now)
        }
        switch channel.push(data) {
        case .more: break
        case .pause where PlatformSession.canPause: pause(true)
        case .pause: end(.failure(failed(.tooLarge, "the reader of the body is too far behind to keep the rest")))
        // Once more: on Linux a cancellation in the midst of a fast body can get lost.
        case .stop: task.cancel()
        }
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
