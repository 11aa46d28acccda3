#if FullFoundation
import Foundation
import Requests
import RequestsClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The task of a session for an exchange.
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
    /// Held while the task is canceled. On Linux a cancellation and the end of the task would wait for each other.
    private let cancellation = Locked(())
    /// An element for each suspension of the task. Suspensions are counted, so each one needs a call of `resume()`.
    private let suspensions = AsyncStream.makeStream(of: Void.self)

    init(_ exchange: Exchange, task: URLSessionDataTask) {
        self.exchange = exchange
        self.task = task
    }

    /// Runs the task until the exchange is over, which cancels the Swift task that calls this.
    func run() async {
        defer { cancel() }
        guard !Task.isCancelled else { return }
        task.resume()
        for await _ in suspensions.stream {
            do { try await exchange.waitForReader() } catch { return }
            task.resume()
        }
    }

    /// Cancels the task, unless it has completed. May be called again: on Linux a cancellation in the middle of a fast
    /// body can get lost.
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
        let reason = "the public key of \(exchange.request.url.host) isn't trusted or isn't pinned"
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
                throw exchange.failed(.tooLarge, "the body grew to more than 250 times its size by decoding")
            }
            guard isReaderBehind else { return }
            guard PlatformSession.canPause else {
                let reason = "the unread part of the body is too large; read it faster or raise maximumBufferedBytes"
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
            exchange.complete()
        }
    }

    /// Fails the exchange if a callback can't be forwarded, and cancels the task if the exchange is over.
    private func forward(_ callback: () throws -> Void) {
        do {
            try callback()
        } catch {
            exchange.fail(error)
            cancel()
        }
    }

    private func respond(with response: URLResponse) throws {
        // Each part of a `multipart/x-mixed-replace` body comes with a head.
        guard !exchange.progress.hasHead else { return }
        guard let response = response as? HTTPURLResponse, let head = try? ResponseHead(response) else {
            throw exchange.failed(.malformed, "the response isn't HTTP")
        }
        // Foundation keeps the header of the encoded body.
        let isDecoded = head.header[.contentEncoding].map(PlatformSession.decodes) == true
        try exchange.respond(with: head, isDecoded: isDecoded)
    }

    /// Responds with a redirect without `Location`. Foundation on Linux doesn't pass it to the delegate, and drops its
    /// body.
    private func respondWithoutCallback() throws {
        guard let response = task.response else { return }
        try respond(with: response)
        guard exchange.progress.expectedBytes == nil else { return }
        throw exchange.failed(.truncated, "Foundation drops the body of a redirect without Location")
    }
}

extension ResponseProgress {
    /// Whether a decoded body of more than 1 MiB is so large that it must be an attack on the reader's memory.
    fileprivate var hasGrownTooFar: Bool {
        guard let codedBytes, receivedBytes > 1 << 20 else { return false }
        return receivedBytes / 250 > codedBytes
    }
}
#endif
