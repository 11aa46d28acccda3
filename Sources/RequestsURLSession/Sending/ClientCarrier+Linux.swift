#if FullFoundation && !canImport(Darwin)
import Foundation
import FoundationNetworking
import RequestsClient

/// A URL cache that carries a client from a session's configuration to the instances of `ClientProtocol`.
///
/// Foundation creates those instances and passes them a request, a task and a cached response, none of which identifies
/// the session. But the cache belongs to one session, so this cache returns, for each data and upload task, a response
/// that holds the client. It lives as long as the sessions and configurations that refer to it.
final class ClientCarrier: URLCache, @unchecked Sendable {
    // Unchecked only because the superclass is: the client is a constant that is Sendable.
    private static let key = "Client"
    private let client: Client

    init(_ client: Client) {
        self.client = client
        // The path can't be a directory, which keeps Foundation from creating one.
        super.init(memoryCapacity: 0, diskCapacity: 0, diskPath: "/dev/null/none")
    }

    static func client(in response: CachedURLResponse?) -> Client? { response?.userInfo?[key] as? Client }

    override func getCachedResponse(
        for dataTask: URLSessionDataTask,
        completionHandler: @Sendable @escaping (CachedURLResponse?) -> Void
    ) {
        let url = dataTask.originalRequest?.url ?? URL(filePath: "/")
        let response = URLResponse(url: url, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
        completionHandler(
            CachedURLResponse(
                response: response,
                data: Data(),
                userInfo: [ClientCarrier.key: client],
                storagePolicy: .notAllowed
            )
        )
    }

    override func cachedResponse(for request: URLRequest) -> CachedURLResponse? { nil }
    override func storeCachedResponse(_ cachedResponse: CachedURLResponse, for request: URLRequest) {}
    override func storeCachedResponse(_ cachedResponse: CachedURLResponse, for dataTask: URLSessionDataTask) {}
}
#endif
