import CRequestsCurl
import Requests

/// URLs that libcurl has read before, one for each origin: reading one is a third of its work for a small exchange.
///
/// What differs from request to request, path and query, is given to libcurl as it is sent.
final class OriginCache {
    final class Origin {
        let text: Substring
        let url: OpaquePointer
        /// Whether its last response was not of HTTP/2.
        var isOfHTTP1 = false
        /// Whether a transfer is making a connection that others may share, and those that wait for it.
        var isOpening = false
        var waiting: [Transfer] = []

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

    /// - Returns: `nil` when libcurl has no memory, or does not take the origin of a URL.
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
