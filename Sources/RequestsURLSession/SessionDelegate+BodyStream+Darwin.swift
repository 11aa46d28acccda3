#if FullFoundation && canImport(Darwin)
import Foundation
import Requests
import RequestsClient

/// Opens a streamed body again.
extension SessionDelegate {
    /// Called when the session sends a request again, for example because a kept connection was closed. Without a
    /// stream the request fails.
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
