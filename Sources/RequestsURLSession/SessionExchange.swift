#if FullFoundation
import Foundation
import Requests
import RequestsClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The session task that performs an exchange.
final class SessionExchange: Sendable {
    private enum State: Equatable {
        case running(wasChallenged: Bool)
        case canceling
        case canceled
        case completed
    }

    let exchange: Exchange
    private let task: URLSessionDataTask
    private let state = Locked(State.running(wasChallenged: false))
    /// Held while the task is being canceled, because on Linux a cancellation and the end of the task would deadlock.
    private let cancellation = Locked(())
    /// One element for each suspension of the task. URLSession counts suspensions, so each needs a call of `resume()`.
    private let suspensions = AsyncStream.makeStream(of: Void.self)

    init(_ exchange: Exchange, task: URLSessionDataTask) {
        self.exchange = exchange
        self.task = task
    }

    /// Runs the session task until the exchange ends, which cancels the Swift task that calls this.
    func run() async {
        defer { cancel() }
        guard !Task.isCancelled else { return }
        task.resume()
        for await _ in suspensions.stream {
            do { try await exchange.waitForReader() } catch { return }
            task.resume()
        }
    }

    /// Cancels the task, unless it has completed. May be called repeatedly, because on Linux a cancellation during a
    /// fast body can get lost.
    private func cancel() {
        let mustCancel = state.withLock { state in
            guard state != .canceling, state != .completed else { return false }
            state = .canceling
            return true
        }
        guard mustCancel else { return }
        PlatformSession.cancel { [self] in
            cancellation.withLock { _ in
                guard state.withLock({ $0 == .canceling }) else { return }
                task.cancel()
                state.withLock { $0 = .canceled }
            }
        }
    }

    /// Runs an action, unless the task was canceled or has completed.
    func whileRunning(_ action: () -> Void) {
        state.withLock { state in
            if case .running = state { action() }
        }
    }

    func noteChallenge() {
        state.withLock { state in
            if case .running = state { state = .running(wasChallenged: true) }
        }
    }

    func rejectKey() {
        let reason = "the certificate of \(exchange.request.url.host) isn't trusted or its key isn't in publicKeyPins"
        exchange.fail(exchange.failed(.pinMismatch, reason))
    }

    func noteSent(_ bytes: Int64) {
        forward { try exchange.noteSent(bytes) }
    }

    func receive(_ response: URLResponse) {
        forward { try respond(with: response) }
    }

    func receive(_ data: Data) {
        forward {
            let isReaderBehind = try exchange.receive(data)
            guard !exchange.progress.hasGrownTooFar else {
                throw exchange.failed(.tooLarge, "the body grew by decoding to more than 250 times its received size")
            }
            guard isReaderBehind else { return }
            guard PlatformSession.canPause else {
                let reason = "the unread part of the body exceeds maximumBufferedBytes; read faster, or raise it"
                throw exchange.failed(.tooLarge, reason)
            }
            task.suspend()
            suspensions.continuation.yield()
        }
    }

    func complete(_ error: (any Error)?) {
        let last = cancellation.withLock { _ in
            state.withLock { state in
                defer { state = .completed }
                return state
            }
        }
        forward {
            let progress = exchange.progress
            if let error, !(last == .running(wasChallenged: true) && progress.hasHead && error.isCancellation) {
                throw failure(for: error)
            }
            if error == nil, !progress.hasHead { try respondWithoutCallback() }
            if error == nil { try checkUpload() }
            exchange.complete()
        }
    }

    /// Throws if the server responded as if it accepted the request, but hasn't received all of it.
    private func checkUpload() throws {
        guard let length = exchange.request.body.length, task.countOfBytesSent < length, !exchange.progress.isRefusal
        else { return }
        throw exchange.failed(.closed, "the server responded, but may not have received the whole request body")
    }

    /// Forwards a callback. If that throws, fails the exchange and cancels the task.
    private func forward(_ callback: () throws -> Void) {
        do {
            try callback()
        } catch {
            exchange.fail(error)
            cancel()
        }
    }

    private func respond(with response: URLResponse) throws {
        // Only the first head counts. Each part of a `multipart/x-mixed-replace` body comes with another.
        guard !exchange.progress.hasHead else { return }
        guard let response = response as? HTTPURLResponse, let head = try? ResponseHead(response) else {
            throw exchange.failed(.malformed, "the response isn't HTTP")
        }
        // Foundation doesn't remove the fields that describe the encoded body.
        let isDecoded = head.header[.contentEncoding].map(PlatformSession.decodes) == true
        try exchange.respond(with: head, isDecoded: isDecoded)
    }

    /// Responds with a redirect that has no `Location`, which Foundation on Linux doesn't pass to the delegate. The
    /// body is lost, so the exchange fails if there was one.
    private func respondWithoutCallback() throws {
        guard let response = task.response else { return }
        try respond(with: response)
        guard exchange.progress.expectedBytes == nil else { return }
        throw exchange.failed(.truncated, "Foundation drops the body of a redirect without Location; use CurlTransport")
    }
}

extension ResponseProgress {
    /// Whether a decoded body of more than 1 MiB is over 250 times its received size, which must be an attack.
    fileprivate var hasGrownTooFar: Bool {
        guard let codedBytes, receivedBytes > 1 << 20 else { return false }
        return receivedBytes / 250 > codedBytes
    }
}
#endif
