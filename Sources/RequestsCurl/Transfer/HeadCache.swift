#if canImport(CRequestsCurl)
import CRequestsCurl
import Requests
import RequestsClient
import RequestsSystem

/// The lines of the last response's head. Servers repeat themselves, and an equal line needn't be parsed again.
///
/// Each change increments the revision. A ``HeadReader`` that finds a revision it didn't cause stops using the cache.
/// The variables have unchecked exclusivity as in ``Transfer``.
@safe final class HeadCache {
    private static let lineCount = 32
    /// The maximum length of a cached line in bytes. Longer lines are always parsed.
    private static let lineSize = 256

    private let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: lineCount * lineSize, alignment: 1)
    @safe @exclusivity(unchecked) private var lengths = [Int](repeating: 0, count: lineCount)
    @safe @exclusivity(unchecked) private var fields = [Field?](repeating: nil, count: lineCount)
    private(set) var status = (version: HTTPVersion.http1_1, code: 0)

    /// The complete head that the lines form. `nil` while lines are replaced.
    @safe @exclusivity(unchecked) private(set) var head: Head?
    @safe @exclusivity(unchecked) private(set) var revision = 0

    struct Head {
        let header: Header
        let framing: BodyFraming
    }

    deinit { unsafe bytes.deallocate() }

    /// Whether a line equals the cached line with a number, starting at 0.
    func has(_ line: UnsafeRawBufferPointer, at number: Int) -> Bool {
        guard number < HeadCache.lineCount, lengths[number] == line.count, let line = line.baseAddress,
            let known = unsafe bytes.baseAddress
        else { return false }
        return unsafe memcmp(known + number * HeadCache.lineSize, line, lengths[number]) == 0
    }

    /// Returns the field of a line for which ``has(_:at:)`` is true. `nil` if it has none.
    func field(at number: Int) -> Field? { fields[number] }

    func store(_ line: UnsafeRawBufferPointer, status: (HTTPVersion, Int)) {
        self.status = status
        unsafe store(line, nil, at: 0)
    }

    func store(_ line: UnsafeRawBufferPointer, _ field: Field?, at number: Int) {
        revision += 1
        head = nil
        guard number < HeadCache.lineCount else { return }
        let fits = line.count <= HeadCache.lineSize
        lengths[number] = fits ? line.count : 0
        fields[number] = fits ? field : nil
        guard fits, let line = line.baseAddress else { return }
        unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[(number * HeadCache.lineSize)...])
            .copyMemory(from: UnsafeRawBufferPointer(start: line, count: lengths[number]))
    }

    /// Stores a head after its last line, unless lines between the first and the last aren't exactly one field each.
    func store(_ head: Head, lineCount: Int) {
        guard lineCount <= HeadCache.lineCount, head.header.count == lineCount - 2 else { return }
        revision += 1
        self.head = head
    }
}

/// A cache of origins as parsed libcurl URLs, because parsing a URL is a third of libcurl's work for a small request.
///
/// Path and query differ from request to request, so they aren't parsed but sent unchanged.
final class OriginCache {
    @safe final class Origin {
        let text: Substring
        let url: OpaquePointer
        /// The version of its last response. `nil` before the first one.
        @safe @exclusivity(unchecked) var version: HTTPVersion?
        var isOfHTTP1: Bool { version.map { !$0.isMultiplexed } ?? false }
        /// The HTTP/2 connections that its transfers share, and the transfers that wait for one.
        @safe @exclusivity(unchecked) var shared = SharedConnections()
        var waiting = Queue<Transfer>()
        /// Whether its server has ended an HTTP/2 stream later than the body.
        @safe @exclusivity(unchecked) var endsStreamsLate = false
        /// The number of connections that no longer respond, but are still used.
        private var abandoned = 0

        /// The value of `CURLOPT_SSL_OPTIONS` for the next request. libcurl would send it over the oldest connection
        /// with the same options. The one used here means something only for Schannel.
        var tlsOptions: Int { abandoned.isMultiple(of: 2) ? 0 : crc_tls_try_revoke }

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

        func abandonConnection() {
            shared.noteClosed()
            abandoned += 1
        }
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
#endif
