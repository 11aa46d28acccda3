#if FullFoundation && canImport(Darwin)
import Foundation
import Requests
import RequestsClient

/// Provides the body of a request that is resent.
extension SessionDelegate {
    /// Called when the session resends a request, for example because a kept connection was closed. If the body can't
    /// be replayed, the request fails.
    @objc(URLSession:task:needNewBodyStream:)
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping (InputStream?) -> Void
    ) {
        let body = exchange(of: task)?.exchange.request.body
        completionHandler(body?.isReplayable == true ? body?.makeInputStream() : nil)
    }
}
#endif
