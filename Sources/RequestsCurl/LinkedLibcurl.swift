import CRequestsCurl
import Requests

/// The libcurl that the process runs with, which need not be the one it was compiled with.
enum LinkedLibcurl {
    /// Prepares libcurl once for the process.
    static let initialized: Result<Void, TransportError> = {
        let code = curl_global_init(Int(CURL_GLOBAL_DEFAULT))
        guard code == CURLE_OK else {
            let reason = String(cString: curl_easy_strerror(code))
            return .failure(.unsupported("libcurl cannot be used in this process: \(reason)"))
        }
        return .success(())
    }()

    static let supportsHTTP2 = hasFeature(CURL_VERSION_HTTP2)

    private static func hasFeature(_ feature: Int32) -> Bool {
        guard let info = crc_version_info() else { return false }
        return info.pointee.features & feature != 0
    }
}
