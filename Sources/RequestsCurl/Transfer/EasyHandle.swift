import CRequestsCurl
import Requests

/// A handle of libcurl, configured once for all transfers and then for each.
///
/// A handle is used by the loop's thread alone.
final class EasyHandle {
    let easy: UnsafeMutableRawPointer
    private var fields: UnsafeMutablePointer<curl_slist>?
    private let errorBuffer = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    /// Whether the last transfer had pins.
    var hasPins = false

    init(_ tls: CurlTransport.TLS) throws(TransportError) {
        guard let easy = curl_easy_init() else { throw .unsupported("libcurl has no memory for another transfer") }
        self.easy = easy
        errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        try configure()
        try configure(tls)
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(fields)
        errorBuffer.deallocate()
    }

    /// What libcurl says of the last error; empty where it says nothing.
    var errorText: String { String(cString: errorBuffer) }

    /// What every transfer has in common. Nothing is left to libcurl's defaults that reads the environment, follows,
    /// retries or weakens.
    private func configure() throws(TransportError) {
        try set(CURLOPT_NOSIGNAL, 1)
        try set(CURLOPT_PROTOCOLS_STR, "http,https")
        try set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
        try set(CURLOPT_FOLLOWLOCATION, 0)
        try set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        try set(CURLOPT_PROXY, "")
        try set(CURLOPT_NOPROXY, "*")
        try set(CURLOPT_SSL_VERIFYPEER, 1)
        try set(CURLOPT_SSL_VERIFYHOST, 2)
        try set(CURLOPT_HTTP09_ALLOWED, 0)
        try set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
        try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        try set(CURLOPT_PIPEWAIT, 1)
        // A resolver that hangs must not hold up the loop when its transfer is given up.
        try set(CURLOPT_QUICK_EXIT, 1)
        check(crc_set_pointer(easy, CURLOPT_ERRORBUFFER, errorBuffer))
        check(crc_set_bytes_function(easy, CURLOPT_HEADERFUNCTION, Transfer.receiveHeaderLine))
        check(crc_set_bytes_function(easy, CURLOPT_WRITEFUNCTION, Transfer.receiveBody))
        check(crc_set_bytes_function(easy, CURLOPT_READFUNCTION, Transfer.sendBody))
        check(crc_set_seek_function(easy, Transfer.rewindBody))
        check(crc_set_prerequest_function(easy, Transfer.beforeSending))
    }

    func set(_ option: CURLoption, _ value: Int) throws(TransportError) {
        try demand(crc_set_long(easy, option, value), option)
    }

    func set(_ option: CURLoption, _ value: String?) throws(TransportError) {
        let code =
            value.map { $0.withCString { crc_set_string(easy, option, $0) } } ?? crc_set_string(easy, option, nil)
        try demand(code, option)
    }

    func set(_ option: CURLoption, offset: Int64) throws(TransportError) {
        try demand(crc_set_offset(easy, option, curl_off_t(offset)), option)
    }

    /// Makes a transfer the one that the callbacks are for.
    func attach(_ transfer: Transfer) {
        let context = Unmanaged.passUnretained(transfer).toOpaque()
        for option in [
            CURLOPT_PRIVATE, CURLOPT_HEADERDATA, CURLOPT_WRITEDATA, CURLOPT_READDATA, CURLOPT_SEEKDATA,
            CURLOPT_PREREQDATA,
        ] {
            check(crc_set_pointer(easy, option, context))
        }
        errorBuffer.pointee = 0
    }

    /// Sets the lines of the request's header. They are libcurl's own copies and live until the next transfer.
    func setFieldLines(_ lines: [String]) throws(TransportError) {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            guard let longer = curl_slist_append(list, line) else {
                curl_slist_free_all(list)
                throw .unsupported("libcurl has no memory for the header")
            }
            list = longer
        }
        let old = fields
        fields = list
        check(crc_set_list(easy, CURLOPT_HTTPHEADER, list))
        curl_slist_free_all(old)
    }

    /// What libcurl knows of the transfer: a time in microseconds, or a number of bytes.
    func number(_ info: CURLINFO) -> Int64 {
        var value: curl_off_t = 0
        return crc_get_offset(easy, info, &value) == CURLE_OK ? Int64(value) : 0
    }

    /// An option that libcurl refuses is an error: a transfer without it could be another one than was asked for.
    private func demand(_ code: CURLcode, _ option: CURLoption) throws(TransportError) {
        guard code == CURLE_OK else {
            let reason = String(cString: curl_easy_strerror(code))
            throw .unsupported(
                "libcurl \(String(cString: curl_version())) refuses option \(option.rawValue): \(reason)"
            )
        }
    }

    /// For options that every libcurl has and that take any value of their type.
    private func check(_ code: CURLcode) {
        assert(code == CURLE_OK)
    }
}

/// Handles that wait for their next transfer: a configured one costs less than a new one.
struct HandlePool {
    let tls: CurlTransport.TLS
    private var idle: [EasyHandle] = []

    init(_ tls: CurlTransport.TLS) {
        self.tls = tls
    }

    mutating func take() throws(TransportError) -> EasyHandle {
        if let handle = idle.popLast() { return handle }
        return try EasyHandle(tls)
    }

    mutating func give(back handle: EasyHandle) {
        if idle.count < 128 { idle.append(handle) }
    }

    mutating func empty() {
        idle = []
    }
}
