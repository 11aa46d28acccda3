#if canImport(CRequestsCurl)
import CRequestsCurl
import Requests
import RequestsClient

extension TransportError {
    static func outOfMemory(creating subject: String) -> TransportError {
        TransportError(code: .outOfMemory, message: "out of memory creating \(subject); retry later", phase: .preparing)
    }
}

/// The libcurl that the process uses, which can differ from the version at compile time.
enum LinkedLibcurl {
    /// The result of initializing libcurl, once for the process.
    static let initialized: Result<Void, TransportError> = {
        guard version >= oldest else {
            let advice = "install version \(text(of: oldest)) or later"
            return .failure(.unsupported("libcurl \(shownVersion) is too old; \(advice)"))
        }
        OpenSSL.leaveMemoryAtExit()
        let code = curl_global_init(crc_global_default)
        guard code == CURLE_OK else {
            return .failure(.unsupported(unsafe "libcurl can't start: \(String(cString: curl_easy_strerror(code)))"))
        }
        return .success(())
    }()

    /// The oldest version that has every function and option the transport uses.
    static let oldest = 781

    /// A feature that a libcurl can be built without.
    struct Feature {
        let bit: Int32
        let name: String

        static let http2 = Feature(bit: crc_feature_http2, name: "HTTP/2 (7.88 or later)")
        static let http3 = Feature(bit: crc_feature_http3, name: "HTTP/3 by ngtcp2")
        static let tls = Feature(bit: crc_feature_tls, name: "TLS")
        static let httpsProxy = Feature(bit: crc_feature_https_proxy, name: "HTTPS proxies")
        static let unixSockets = Feature(bit: crc_feature_unix_sockets, name: "Unix domain sockets")
    }

    /// The version as a number, such as 788 for 7.88.
    static let version = unsafe number(of: crc_version_info()?.pointee.version_num)

    static let shownVersion = text(of: version)
    private static func text(of version: Int) -> String { "\(version / 100).\(version % 100)" }

    /// The version of the HTTP/2 library nghttp2, such as 152 for 1.52. 0 if libcurl has none.
    static let http2Version = unsafe number(of: crc_version_info()?.pointee.nghttp2_ver_num)

    /// - Parameter version: The major, minor and patch version, one byte each.
    private static func number(of version: UInt32?) -> Int {
        Int(version ?? 0) >> 16 * 100 + Int(version ?? 0) >> 8 & 0xFF
    }

    static let tls = TLSLibrary(unsafe crc_version_info()?.pointee.ssl_version.map { unsafe String(cString: $0) } ?? "")

    /// The authorities file that libcurl was built with. `nil` if it has none or doesn't report it.
    static let authorities: String? = {
        guard version >= 784, let easy = unsafe curl_easy_init() else { return nil }
        defer { unsafe curl_easy_cleanup(easy) }
        var file: UnsafeMutablePointer<CChar>?
        guard unsafe crc_get_string(easy, crc_info_cainfo, &file) == CURLE_OK else { return nil }
        return unsafe file.map { unsafe String(cString: $0) }
    }()

    /// Whether the file of certificate authorities that libcurl was built with doesn't exist here.
    static let lacksAuthorities = authorities.map { unsafe access($0, R_OK) != 0 } ?? false

    /// Whether libcurl can abandon a name lookup. If not, canceling waits for the lookup's thread.
    static let abandonsResolvers = version >= 787

    /// The capabilities of a transport with this libcurl.
    static let capabilities: TransportCapabilities = {
        var capabilities: TransportCapabilities = [
            .streamedRequestBodies, .backPressure, .orderedFields, .connectTimeout, .metrics, .addressPolicy,
            .requestTrailers,
        ]
        if has(.http2) { capabilities.insert(.http2) }
        if has(.http3) { capabilities.insert(.http3) }
        if abandonsResolvers { capabilities.insert(.cancelableNameResolution) }
        if CertificateNames.shared != nil { capabilities.insert(.certificateNames) }
        if OpenSSL.reportsClosure { capabilities.insert(.tlsClosure) }
        return capabilities
    }()

    static func has(_ feature: Feature) -> Bool {
        guard let info = unsafe crc_version_info() else { return false }
        guard unsafe info.pointee.features & feature.bit != 0 else { return false }
        // Before 7.88, a body over HTTP/2 that isn't read stops all requests of its connection.
        guard feature.bit != crc_feature_http2 || version >= 788 else { return false }
        // libcurl with another QUIC library is experimental, and fails when a server closes a connection.
        return unsafe feature.bit != crc_feature_http3
            || info.pointee.quic_version.map { unsafe String(cString: $0).hasPrefix("ngtcp2") } == true
    }

    static func require(_ feature: Feature, for option: String) throws(TransportError) {
        guard has(feature) else {
            throw .unsupported("\(option) requires libcurl with \(feature.name); this build (\(shownVersion)) lacks it")
        }
    }
}

/// The TLS library that a libcurl uses.
struct TLSLibrary: Sendable {
    /// The name and version, such as `OpenSSL/3.0.20`. Empty if libcurl has no TLS.
    let name: String

    /// Whether the library trusts the system's authorities in addition to the configured ones, as Apple's does.
    let alwaysTrustsSystem: Bool

    /// - Parameter list: All libraries of a libcurl, with unused ones in parentheses.
    init(_ list: String) {
        let names = list.split(separator: " ")
        name = names.first { !$0.hasPrefix("(") }.map(String.init) ?? ""
        alwaysTrustsSystem = name.hasPrefix("LibreSSL/") && names.contains("(SecureTransport)")
    }

    /// Whether the library is OpenSSL or derived from it. With others, libcurl reads no keys from memory.
    var isOpenSSLFamily: Bool {
        ["OpenSSL", "quictls", "LibreSSL", "BoringSSL", "AWS-LC"].contains { name.hasPrefix($0) }
    }
}
#endif
