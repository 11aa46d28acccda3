#if FullFoundation
import Foundation
import Requests
import RequestsClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A URL protocol that loads a session's requests over its client.
final class ClientProtocol: URLProtocol {
    private let state = Locked(LoadState())

    override class func canInit(with request: URLRequest) -> Bool { true }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        // Foundation on Linux calls this again for each further `resume()`, also after a suspension.
        let (isFirst, waiter) = state.withLock { $0.start() }
        waiter?.resume()
        guard isFirst else { return }
        // Safe, because only this task uses the protocol instance.
        nonisolated(unsafe) let loader = self
        let request = Result { try preparedRequest() }
        let task = Task(executorPreference: LoadExecutor.shared) { unsafe await loader.load(request) }
        state.withLock { $0.keep(task) }
    }

    override func stopLoading() {
        guard let stop else { return }
        let (task, waiter) = state.withLock { $0.stop(stop) }
        task?.cancel()
        waiter?.resume()
    }

    private func load(_ request: Result<(Client, PreparedRequest), any Error>) async {
        do {
            let (sender, request) = try request.get()
            let response = try await sender.stream(request)
            let head = try sessionResponse(response.head)
            let limit = request.options.maximumBodyBytes ?? sender.configuration.options.maximumBodyBytes
            try await deliver(head, response.content, upTo: limit ?? CallOptions.defaultMaximumBodyBytes)
            try await report(finish)
        } catch {
            // Not delivered after a cancellation, which the session's own task reports.
            try? await report {
                $0.urlProtocol(self, didFailWithError: URLError(describing: error, failing: self.request.url))
            }
        }
    }

    /// Calls the session, after waiting for the end of a suspension.
    ///
    /// The state stays locked during the call, because Foundation on Linux traps if it is called after `stopLoading()`.
    ///
    /// - Throws: `CancellationError` after `stopLoading()`.
    func report<Value>(_ call: (any URLProtocolClient) -> Value) async throws -> Value {
        while true {
            let value: Value? = try state.withLock { state in
                guard try state.isRunning() else { return nil }
                guard let client else { throw CancellationError() }
                // Safe, because the value doesn't leave this task.
                nonisolated(unsafe) let value = call(client)
                return unsafe value
            }
            if let value { return value }
            await Waiter.wait { waiter in
                let isSuspended = state.withLock { $0.wait(waiter) }
                if !isSuspended { waiter.resume() }
            }
        }
    }
}

extension URLError {
    /// Returns the error for a task that can't be sent over a client.
    static func unsupportedTask(_ reason: String) -> URLError {
        URLError(.unsupportedURL, userInfo: [NSLocalizedDescriptionKey: reason])
    }
}
#endif
