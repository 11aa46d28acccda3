#if FullFoundation
import Foundation
import Requests
import RequestsClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A session delegate that forwards each callback to the exchange of its task.
final class SessionDelegate: NSObject, URLSessionDataDelegate {
    private let exchanges = Locked<[Int: SessionExchange]>([:])
    private let pins: PublicKeyPins

    init(_ pins: PublicKeyPins) {
        self.pins = pins
    }

    func register(_ exchange: SessionExchange, for task: URLSessionTask) {
        exchanges.withLock { $0[task.taskIdentifier] = exchange }
    }

    func exchange(of task: URLSessionTask) -> SessionExchange? {
        exchanges.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping (URLRequest?) -> Void
    ) {
        PlatformSession.reject(completionHandler, of: exchange(of: task))
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        if SessionDelegate.isAboutTLS(challenge) {
            if PlatformSession.allows(challenge, pins) { return completionHandler(.performDefaultHandling, nil) }
            exchange(of: task)?.rejectKey()
            return completionHandler(.cancelAuthenticationChallenge, nil)
        }
        // Foundation now delivers the challenge as a response. On Linux it then reports a cancellation.
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
        exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.complete(error)
    }
}
#endif
