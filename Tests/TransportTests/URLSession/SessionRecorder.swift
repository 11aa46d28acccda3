#if FullFoundation
import Foundation
import RequestsClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A delegate that records what its session reports.
final class SessionRecorder: NSObject, URLSessionDataDelegate, Sendable {
    enum Event: Equatable {
        case response(Int)
        case data(String)
        case challenge
        case end(URLError.Code?)
    }

    let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation
    private let onData: @Sendable (Data) -> Void

    init(onData: @escaping @Sendable (Data) -> Void = { _ in }) {
        (events, continuation) = AsyncStream.makeStream()
        self.onData = onData
    }

    /// All events, once the task has ended.
    func recorded() async -> [Event] {
        var events: [Event] = []
        for await event in self.events { events.append(event) }
        return events
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        continuation.yield(.response((response as? HTTPURLResponse)?.statusCode ?? 0))
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        onData(data)
        continuation.yield(.data(String(decoding: data, as: UTF8.self)))
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        continuation.yield(.challenge)
        completionHandler(.useCredential, URLCredential(user: "a", password: "b", persistence: .none))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        continuation.yield(.end((error as? URLError)?.code))
        continuation.finish()
    }
}
#endif
