import CRequestsCurl
import Requests

/// The URLs of origins in libcurl's form, because parsing a URL is a third of its work for a small exchange.
///
/// Path and query differ from request to request, so libcurl gets them as they are sent.
final class OriginCache {
    final class Origin {
        let text: Substring
        let url: OpaquePointer
        /// Whether its last response was of HTTP/1.
        @exclusivity(unchecked) var isOfHTTP1 = false
        /// The connections that its transfers share if it speaks HTTP/2, and the transfers that wait for one.
        @exclusivity(unchecked) var shared = SharedConnections()
        var waiting = Queue<Transfer>()

        init?(_ text: Substring) {
            guard let url = curl_url() else { return nil }
            self.text = text
            self.url = url
            guard curl_url_set(url, CURLUPART_URL, String(text), 0) == CURLUE_OK else { return nil }
        }

        deinit { curl_url_cleanup(url) }
    }

    private static let capacity = 256
    private var origins: [Substring: Origin] = [:]

    /// - Returns: `nil` if libcurl has no memory, or rejects the origin.
    func origin(of url: RequestURL) -> Origin? {
        let text = url.textBeforePath
        if let origin = origins[text] { return origin }
        // A copy: the slice would keep the whole URL.
        guard let origin = Origin(Substring(String(text))) else { return nil }
        if origins.count >= OriginCache.capacity { origins.removeAll(keepingCapacity: true) }
        origins[origin.text] = origin
        return origin
    }
}
