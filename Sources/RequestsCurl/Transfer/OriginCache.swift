import CRequestsCurl
import Requests

/// A cache of origins as parsed libcurl URLs, because parsing a URL is a third of libcurl's work for a small request.
///
/// Path and query differ from request to request, so they aren't parsed but sent unchanged.
final class OriginCache {
    @safe final class Origin {
        let text: Substring
        let url: OpaquePointer
        /// Whether its last response used HTTP/1.
        @safe @exclusivity(unchecked) var isOfHTTP1 = false
        /// The HTTP/2 connections that its transfers share, and the transfers that wait for one.
        @safe @exclusivity(unchecked) var shared = SharedConnections()
        var waiting = Queue<Transfer>()

        init(of url: RequestURL) throws(TransportError) {
            guard let handle = unsafe curl_url() else {
                throw .outOfMemory(creating: "the URL \(url.origin)")
            }
            // Copied, because a slice would retain the whole URL.
            let text = String(url.textBeforePath)
            self.text = Substring(text)
            unsafe self.url = handle
            let code = unsafe curl_url_set(handle, CURLUPART_URL, text, 0)
            guard code != CURLUE_OUT_OF_MEMORY else { throw .outOfMemory(creating: "the URL \(url.origin)") }
            guard code == CURLUE_OK else { throw .unsupported("libcurl can't parse the URL \(url.origin)") }
        }

        deinit { unsafe curl_url_cleanup(url) }
    }

    private static let capacity = 256
    private var origins: [Substring: Origin] = [:]

    func origin(of url: RequestURL) throws(TransportError) -> Origin {
        if let origin = origins[url.textBeforePath] { return origin }
        let origin = try Origin(of: url)
        if origins.count >= OriginCache.capacity { origins.removeAll(keepingCapacity: true) }
        origins[origin.text] = origin
        return origin
    }
}
