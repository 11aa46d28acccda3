import CRequestsCurl
import Requests
import RequestsClient

extension EasyHandle {
    func set(_ option: CURLoption, _ value: Int) throws(TransportError) {
        try unsafe demand(crc_set_long(easy, option, value), option)
    }

    func set(_ option: CURLoption, _ value: String?) throws(TransportError) {
        let code =
            unsafe value?.withCString { unsafe crc_set_string(easy, option, $0) } ?? crc_set_string(easy, option, nil)
        try demand(code, option)
    }

    func set(_ option: CURLoption, offset: Int64) throws(TransportError) {
        try unsafe demand(crc_set_offset(easy, option, curl_off_t(offset)), option)
    }

    func set(_ option: CURLoption, pointer: UnsafeMutableRawPointer?) throws(TransportError) {
        try unsafe demand(crc_set_pointer(easy, option, pointer), option)
    }

    func set(_ option: CURLoption, lines: [String]) throws(TransportError) {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            guard let longer = unsafe curl_slist_append(list, line) else {
                unsafe curl_slist_free_all(list)
                throw .outOfMemory(creating: "a transfer")
            }
            unsafe list = longer
        }
        if let list = unsafe list { unsafe lists.append(list) }
        if unsafe list != nil { try unsafe demand(crc_set_list(easy, option, list), option) }
    }

    /// Returns a measurement of the transfer: a time in microseconds, or a number of bytes. 0 if libcurl has none.
    func number(_ info: CURLINFO) -> Int64 {
        var value: curl_off_t = 0
        return unsafe crc_get_offset(easy, info, &value) == CURLE_OK ? Int64(value) : 0
    }

    func long(_ info: CURLINFO) -> Int {
        var value = 0
        return unsafe crc_get_long(easy, info, &value) == CURLE_OK ? value : 0
    }

    /// Returns a string that is valid until the handle is used again.
    func cString(_ info: CURLINFO) -> UnsafePointer<CChar>? {
        var value: UnsafeMutablePointer<CChar>?
        return unsafe crc_get_string(easy, info, &value) == CURLE_OK ? value.map { unsafe UnsafePointer($0) } : nil
    }

    /// Throws if libcurl rejects an option, because the transfer would differ from what the caller asked for.
    func demand(_ code: CURLcode, _ option: CURLoption) throws(TransportError) {
        guard code == CURLE_OK else {
            let reason = unsafe String(cString: curl_easy_strerror(code))
            let name = unsafe curl_easy_option_by_id(option).map { unsafe String(cString: $0.pointee.name) }
            let version = LinkedLibcurl.shownVersion
            throw .unsupported("libcurl \(version) rejects \(name ?? "\(option.rawValue)"): \(reason)")
        }
    }

    /// Asserts that libcurl accepted an option. Only for options that no supported version rejects.
    func check(_ code: CURLcode) {
        assert(code == CURLE_OK)
    }
}
