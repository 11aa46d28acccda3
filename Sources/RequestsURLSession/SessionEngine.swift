import Foundation
import Requests

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A session and its delegate, which live as long as the transport and the bodies that came from it.
final class SessionEngine: Sendable {
    private let session: URLSession
    private let delegate: SessionDelegate
    let configuration: URLSessionTransport.Configuration
    private let watchdog: Watchdog

    init(_ configuration: URLSessionTransport.Configuration, over sessionConfiguration: URLSessionConfiguration) {
        self.configuration = configuration
        delegate = SessionDelegate(configuration.publicKeyPins)
        watchdog = Watchdog { [delegate] now in delegate.exchanges.compactMap { $0.checkDeadlines(at: now) }.min() }
        session = URLSession(
            configuration: SessionEngine.withoutMemory(sessionConfiguration),
            delegate: delegate,
            delegateQueue: nil
        )
    }

    // What is under way was cancelled by whoever gave it up; what has just ended must not be cancelled.
    deinit {
        session.finishTasksAndInvalidate()
    }

    /// Nothing is kept or added: no cookies, no cache, no credentials. The caller's own value stays as it is.
    private static func withoutMemory(_ original: URLSessionConfiguration) -> URLSessionConfiguration {
        let configuration = original.copy() as? URLSessionConfiguration ?? original
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        return configuration
    }

    func makeExchange(for request: PreparedRequest) throws -> SessionExchange {
        let file = try wholeFile(of: request)
        var urlRequest = try URLRequest(request)
        if let userAgent = configuration.userAgent, !request.header.contains(.userAgent) {
            urlRequest.setValue(userAgent, forHTTPHeaderField: Field.Name.userAgent.rawValue)
        }
        // Without it Foundation tells the language of the process. This one means the same as none (RFC 9110 §12.5.4).
        if !request.header.contains(.acceptLanguage) {
            urlRequest.setValue("*", forHTTPHeaderField: Field.Name.acceptLanguage.rawValue)
        }
        // The exchange keeps the limits itself; a day is longer than any of them is meant to be.
        urlRequest.timeoutInterval = 86_400
        if file != nil { urlRequest.httpBodyStream = nil }
        let task = file.map { session.uploadTask(with: urlRequest, fromFile: $0) } ?? session.dataTask(with: urlRequest)
        let exchange = SessionExchange(
            request,
            task: task,
            watchdog: watchdog,
            maximumBufferedBytes: configuration.maximumBufferedBytes
        )
        guard delegate.register(exchange, for: task) else {
            task.cancel()
            throw TransportError.shutDown(phase: .preparing)
        }
        return exchange
    }

    /// Foundation reads the file itself, whatever it is by then.
    private func wholeFile(of request: PreparedRequest) throws(TransportError) -> URL? {
        do {
            try request.body.checkWholeFile()
        } catch {
            throw .sourceFailed(error, of: request, phase: .preparing)
        }
        return request.body.wholeFile
    }

    func shutDown() {
        for exchange in delegate.shutDown() { exchange.end(.failure(TransportError.shutDown(phase: .sending))) }
    }
}

/// Hands what the session reports to the exchange that it is about.
final class SessionDelegate: NSObject, URLSessionDataDelegate {
    private struct Running {
        var exchanges: [Int: SessionExchange] = [:]
        var isShutDown = false
    }

    private let running = Guarded(Running())
    private let pins: PublicKeyPins

    init(_ pins: PublicKeyPins) {
        self.pins = pins
    }

    var exchanges: [SessionExchange] { running.withLock { Array($0.exchanges.values) } }

    /// - Returns: Whether the exchange may start. One that may is among those that ``shutDown()`` returns: there is no
    ///   time between the check and the entry.
    func register(_ exchange: SessionExchange, for task: URLSessionTask) -> Bool {
        running.withLock { running in
            if !running.isShutDown { running.exchanges[task.taskIdentifier] = exchange }
            return !running.isShutDown
        }
    }

    /// Lets no more exchanges start.
    ///
    /// - Returns: Those that have started.
    func shutDown() -> [SessionExchange] {
        running.withLock { running in
            running.isShutDown = true
            return Array(running.exchanges.values)
        }
    }

    func exchange(of task: URLSessionTask) -> SessionExchange? {
        running.withLock { $0.exchanges[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping (URLRequest?) -> Void
    ) {
        PlatformSession.refuse(completionHandler, of: exchange(of: task))
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        if SessionDelegate.isAboutTLS(challenge) {
            if PlatformSession.mayGoOn(challenge, pins) { return completionHandler(.performDefaultHandling, nil) }
            exchange(of: task)?.endForWrongKey()
            return completionHandler(.cancelAuthenticationChallenge, nil)
        }
        // Not answering delivers the challenge as a response, and on Linux then reports a cancellation.
        exchange(of: task)?.noteChallenge()
        completionHandler(.rejectProtectionSpace, nil)
    }

    private static func isAboutTLS(_ challenge: URLAuthenticationChallenge) -> Bool {
        ["NSURLAuthenticationMethodServerTrust", "NSURLAuthenticationMethodClientCertificate"]
            .contains(challenge.protectionSpace.authenticationMethod)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        exchange(of: dataTask)?.receive(response)
        completionHandler(.allow)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        exchange(of: task)?.noteSent(totalBytesSent)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(of: dataTask)?.receive(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        running.withLock { $0.exchanges.removeValue(forKey: task.taskIdentifier) }?.complete(error)
    }
}
