#if FullFoundation
import Foundation
import Requests
import RequestsClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A session with its delegate, retained by the transport and its running exchanges.
final class SessionEngine: Sendable {
    let configuration: URLSessionTransport.Configuration
    private let session: URLSession
    private let delegate: SessionDelegate
    private let runner: ExchangeRunner
    /// The queue that creates tasks. On Linux that can block until an earlier task has ended, which must not block the
    /// threads of Swift concurrency.
    let taskQueue = DispatchQueue(label: "URLSessionTransport.tasks")

    init(_ configuration: URLSessionTransport.Configuration, over sessionConfiguration: URLSessionConfiguration) {
        self.configuration = configuration
        delegate = SessionDelegate(configuration.publicKeyPins)
        session = URLSession(
            configuration: SessionEngine.withoutStorage(sessionConfiguration),
            delegate: delegate,
            delegateQueue: nil
        )
        // Returns no source, because Foundation reads request bodies itself.
        runner = ExchangeRunner(
            capabilities: PlatformSession.capabilities,
            maximumBufferedBytes: configuration.maximumBufferedBytes,
            open: { _ in nil }
        )
    }

    // Doesn't cancel tasks: running ones were already canceled, and ones that just ended must not be.
    deinit {
        session.finishTasksAndInvalidate()
    }

    /// Returns a copy of a configuration with cookies, cache and credentials turned off.
    private static func withoutStorage(_ original: URLSessionConfiguration) -> URLSessionConfiguration {
        let configuration = original.copy() as? URLSessionConfiguration ?? original
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        return configuration
    }

    func send(_ request: PreparedRequest, context: SendContext) async throws -> Response<ResponseBody> {
        try await runner.run(request, context: context) { [self] exchange in
            let task = try await task(for: request)
            let sessionExchange = SessionExchange(exchange, task: task)
            delegate.register(sessionExchange, for: task)
            await sessionExchange.run()
        }
    }

    func shutdown() {
        runner.shutdown()
    }

    private func task(for request: PreparedRequest) async throws -> URLSessionDataTask {
        let isAbandoned = Locked(false)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                taskQueue.async { [self] in
                    continuation.resume(
                        with: Result {
                            guard !isAbandoned.withLock({ $0 }) else { throw CancellationError() }
                            return try makeTask(for: request)
                        }
                    )
                }
            }
        } onCancel: {
            isAbandoned.withLock { $0 = true }
        }
    }

    private func makeTask(for request: PreparedRequest) throws -> URLSessionDataTask {
        let file = try wholeFile(of: request)
        var urlRequest = try URLRequest(request)
        if let userAgent = configuration.userAgent, !request.header.contains(.userAgent) {
            urlRequest.setValue(userAgent, forHTTPHeaderField: Field.Name.userAgent.rawValue)
        }
        // By default Foundation sends the user's languages. `*` means the same as no field (RFC 9110 §12.5.4).
        if !request.header.contains(.acceptLanguage) {
            urlRequest.setValue("*", forHTTPHeaderField: Field.Name.acceptLanguage.rawValue)
        }
        // Foundation rounds or ignores some timeouts, so the exchange enforces them itself. Foundation's own is set to
        // a day.
        urlRequest.timeoutInterval = 86_400
        PlatformSession.prepare(&urlRequest, configuration)
        if file != nil { urlRequest.httpBodyStream = nil }
        return file.map { session.uploadTask(with: urlRequest, fromFile: $0) } ?? session.dataTask(with: urlRequest)
    }

    /// Returns the file that is the whole body, or `nil` for other bodies. Checks first that the file hasn't changed,
    /// because Foundation doesn't.
    private func wholeFile(of request: PreparedRequest) throws(TransportError) -> URL? {
        do {
            try request.body.checkWholeFile()
        } catch {
            throw .sourceFailed(error, of: request, phase: .preparing)
        }
        return request.body.wholeFile
    }
}
#endif
