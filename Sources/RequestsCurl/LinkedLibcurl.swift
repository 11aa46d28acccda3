import CRequestsCurl
import Requests
import RequestsClient

extension TransportError {
    static func outOfMemory(creating subject: String) -> TransportError {
        TransportError(code: .outOfMemory, message: "out of memory creating \(subject)", phase: .preparing)
    }
}

/// The libcurl that the process uses. It can be another version than the one at compile time.
enum LinkedLibcurl {
    /// Initializes libcurl once for the process.
    static let initialized: Result<Void, TransportError> = {
        guard version >= oldest else {
            return .failure(.unsupported("libcurl \(version) is too old; install version \(oldest) or later"))
        }
        OpenSSL.leaveMemoryAtExit()
        let code = curl_global_init(crc_global_default)
        guard code == CURLE_OK else {
            return .failure(.unsupported(unsafe "libcurl can't be used: \(String(cString: curl_easy_strerror(code)))"))
        }
        return .success(())
    }()

    /// The oldest version that has every function and option the transport uses.
    static let oldest = Version(major: 7, minor: 81)

    struct Version: Comparable, CustomStringConvertible {
        let major: UInt32
        let minor: UInt32

        static func < (lhs: Version, rhs: Version) -> Bool { (lhs.major, lhs.minor) < (rhs.major, rhs.minor) }
        var description: String { "\(major).\(minor)" }
    }

    /// A feature that a libcurl can be built without.
    struct Feature {
        let bit: Int32
        let name: String

        static let http2 = Feature(bit: crc_feature_http2, name: "HTTP/2")
        static let tls = Feature(bit: crc_feature_tls, name: "TLS")
        static let httpsProxy = Feature(bit: crc_feature_https_proxy, name: "HTTPS proxies")
        static let unixSockets = Feature(bit: crc_feature_unix_sockets, name: "Unix domain sockets")
    }

    static let version: Version = {
        let number = unsafe crc_version_info()?.pointee.version_num ?? 0
        return Version(major: number >> 16, minor: number >> 8 & 0xFF)
    }()

    /// The TLS library with its version, such as `OpenSSL/3.0.20`; empty without one.
    static let tlsLibrary = unsafe crc_version_info()?.pointee.ssl_version.map { unsafe String(cString: $0) } ?? ""

    /// Whether the TLS library is OpenSSL or descends from it. libcurl with another one ignores a client certificate in
    /// memory.
    static let usesOpenSSLFamily = ["OpenSSL", "LibreSSL", "BoringSSL", "AWS-LC"].contains { tlsLibrary.hasPrefix($0) }

    /// The file of certificate authorities that libcurl was built with; `nil` if it has another source or is too old to
    /// tell.
    static let authorities: String? = {
        guard version >= Version(major: 7, minor: 84), let easy = unsafe curl_easy_init() else { return nil }
        defer { unsafe curl_easy_cleanup(easy) }
        var file: UnsafeMutablePointer<CChar>?
        guard unsafe crc_get_string(easy, crc_info_cainfo, &file) == CURLE_OK else { return nil }
        return unsafe file.map { unsafe String(cString: $0) }
    }()

    /// Whether the file of certificate authorities that libcurl was built with doesn't exist here.
    static let lacksAuthorities = authorities.map { unsafe access($0, R_OK) != 0 } ?? false

    static let http2Version: Version? = {
        guard let number = unsafe crc_version_info()?.pointee.nghttp2_ver_num, number > 0 else { return nil }
        return Version(major: number >> 16, minor: number >> 8 & 0xFF)
    }()

    /// Whether an HTTP/2 connection that lost a transfer halfway must not serve another.
    ///
    /// libcurl 7.88 to 8.14 resets an abandoned stream only with the connection's next request.
    static let closesAfterResets =
        version >= Version(major: 7, minor: 88) && version < Version(major: 8, minor: 15)
        // It takes data for a reset stream for an attack, and closes the connection.
        || http2Version == Version(major: 1, minor: 67)

    /// Whether libcurl appends a folded line at the start of a head to a field of the handle's previous transfer, which
    /// is already freed (curl/curl#11101). Such a head must be rejected, or a server could crash the process.
    static let keepsFreedFields = version >= Version(major: 7, minor: 83) && version < Version(major: 8, minor: 2)

    /// Whether libcurl drops data that came with a response without a body, and keeps the connection. It only mentions
    /// that in its log. Later versions close the connection.
    static let dropsSurplus = version < Version(major: 8, minor: 7)

    /// Whether libcurl reads what came over an idle HTTP/2 connection before it reuses it. Earlier versions fail every
    /// request from then on, whatever the frame was.
    static let readsIdleFrames = version >= Version(major: 8, minor: 0)

    /// Whether libcurl reports an HTTP/2 connection error only when it is called for the socket once more.
    static let reportsErrorsLate = version >= Version(major: 8, minor: 17)

    /// Whether libcurl sets up HTTP/2 again for each request over a connection without TLS, so that all but the first
    /// fail (curl/curl#10634).
    static let switchesAgain = version >= Version(major: 7, minor: 88) && version < Version(major: 8, minor: 0)

    /// Whether HTTP/2 stalls in a tunnel through an HTTPS proxy, because libcurl doesn't look at data that the outer
    /// TLS connection has already read.
    static let stallsInsideTLS = version < Version(major: 8, minor: 0)

    /// Whether libcurl keeps reading a transfer whose receiving is paused, unless sending is paused too.
    static let readsWhilePaused = version >= Version(major: 8, minor: 0) && version < Version(major: 8, minor: 16)

    /// Whether libcurl reuses a connection without checking that it is usable, unless its last check is a second ago
    /// (curl/curl#22169).
    static let checksConnectionsRarely = version >= Version(major: 8, minor: 22)

    /// Whether libcurl can abandon a thread that resolves a name. Otherwise it waits for the thread.
    static let abandonsResolvers = version >= Version(major: 7, minor: 87)

    /// What a transport can do with this libcurl.
    static let capabilities: TransportCapabilities = {
        var capabilities: TransportCapabilities = [
            .streamedRequestBodies, .backPressure, .orderedFields, .connectTimeout, .metrics, .addressPolicy,
            .requestTrailers, .callScopes,
        ]
        if has(.http2) { capabilities.insert(.http2) }
        if abandonsResolvers { capabilities.insert(.cancelableNameResolution) }
        if CertificateNames.shared != nil { capabilities.insert(.certificateNames) }
        if OpenSSL.reportsClosure { capabilities.insert(.tlsClosure) }
        return capabilities
    }()

    static func has(_ feature: Feature) -> Bool {
        guard let info = unsafe crc_version_info() else { return false }
        return unsafe info.pointee.features & feature.bit != 0
    }

    static func require(_ feature: Feature, for option: String) throws(TransportError) {
        guard has(feature) else {
            throw .unsupported("\(option) requires libcurl with \(feature.name); this build (\(version)) lacks it")
        }
    }
}
