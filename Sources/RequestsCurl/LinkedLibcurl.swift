import CRequestsCurl
import Foundation
import Requests

/// The libcurl that the process runs with, which need not be the one it was compiled with.
enum LinkedLibcurl {
    /// Prepares libcurl once for the process.
    static let initialized: Result<Void, TransportError> = {
        guard version >= oldest else {
            return .failure(.unsupported("libcurl \(version) is too old; install version \(oldest) or later"))
        }
        OpenSSL.leaveMemoryAtExit()
        let code = curl_global_init(crc_global_default)
        guard code == CURLE_OK else {
            let reason = String(cString: curl_easy_strerror(code))
            return .failure(.unsupported("libcurl cannot be used in this process: \(reason)"))
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

    /// What a libcurl can have been built without.
    struct Feature {
        let bit: Int32
        let name: String

        static let http2 = Feature(bit: crc_feature_http2, name: "HTTP/2")
        static let tls = Feature(bit: crc_feature_tls, name: "TLS")
        static let httpsProxy = Feature(bit: crc_feature_https_proxy, name: "HTTPS proxies")
        static let unixSockets = Feature(bit: crc_feature_unix_sockets, name: "Unix domain sockets")
    }

    static let version: Version = {
        let number = crc_version_info()?.pointee.version_num ?? 0
        return Version(major: number >> 16, minor: number >> 8 & 0xFF)
    }()

    /// The file of certificate authorities that libcurl was built with; `nil` if it has another source or is too old to
    /// tell.
    static let authorities: String? = {
        guard version >= Version(major: 7, minor: 84), let easy = curl_easy_init() else { return nil }
        defer { curl_easy_cleanup(easy) }
        var file: UnsafeMutablePointer<CChar>?
        guard crc_get_string(easy, crc_info_cainfo, &file) == CURLE_OK else { return nil }
        return file.map { String(cString: $0) }
    }()

    /// Whether the file of certificate authorities that libcurl was built with doesn't exist here.
    static let trustsNobody = authorities.map { access($0, R_OK) != 0 } ?? false

    /// The version of the HTTP/2 library; `nil` without one.
    static let http2Version: Version? = {
        guard let number = crc_version_info()?.pointee.nghttp2_ver_num, number > 0 else { return nil }
        return Version(major: number >> 16, minor: number >> 8 & 0xFF)
    }()

    /// Whether an HTTP/2 connection that lost a transfer halfway must not serve another.
    ///
    /// libcurl 7.88 to 8.14 resets an abandoned stream only with the connection's next request. nghttp2 1.67 counts what
    /// arrives for a stream that was reset as an attack by the server, and then closes the connection.
    static let losesConnectionsWithStreams =
        version >= Version(major: 7, minor: 88) && version < Version(major: 8, minor: 15)
        || http2Version == Version(major: 1, minor: 67)

    /// Whether libcurl appends a folded line at the start of a head to the last field of the handle's exchange before,
    /// which is freed by then: any server could end the process with it (curl/curl#11101). Such a head has to be refused
    /// before libcurl reads it.
    static let keepsFreedFields = version >= Version(major: 7, minor: 83) && version < Version(major: 8, minor: 2)

    /// Whether libcurl drops what came together with a head that has no body, and keeps the connection: it only says so in
    /// its log. Later ones end the connection, as all do after a body.
    static let dropsSurplus = version < Version(major: 8, minor: 7)

    /// Whether libcurl reads what came over an idle connection of HTTP/2 before it uses it again. Earlier ones fail each
    /// request from then on, whatever the frame said.
    static let readsIdleFrames = version >= Version(major: 8, minor: 0)

    /// Whether libcurl takes a connection that speaks HTTP/2 without TLS for one that does not yet: each request over it
    /// but the first fails (curl/curl#10634).
    static let switchesAgain = version >= Version(major: 7, minor: 88) && version < Version(major: 8, minor: 0)

    /// Whether HTTP/2 stalls in a tunnel whose proxy is spoken to over TLS: what was read of the outer TLS with other bytes is
    /// not looked at.
    static let stallsInsideTLS = version < Version(major: 8, minor: 0)

    /// Whether libcurl reads on although receiving is paused, unless sending is paused as well.
    static let readsWhilePaused = version >= Version(major: 8, minor: 0) && version < Version(major: 8, minor: 16)

    /// What a transport can do with this libcurl.
    static let capabilities: TransportCapabilities = {
        var capabilities: TransportCapabilities = [
            .streamedRequestBodies, .backPressure, .orderedFields, .connectTimeout, .metrics,
        ]
        if has(.http2) { capabilities.insert(.http2) }
        if CertificateNames.shared != nil { capabilities.insert(.certificateNames) }
        if OpenSSL.reportsClosure { capabilities.insert(.tlsClosure) }
        return capabilities
    }()

    static func has(_ feature: Feature) -> Bool {
        guard let info = crc_version_info() else { return false }
        return info.pointee.features & feature.bit != 0
    }

    static func require(_ feature: Feature, for option: String) throws(TransportError) {
        guard has(feature) else {
            throw .unsupported("\(option) needs a libcurl built with \(feature.name), which \(version) here is not")
        }
    }
}
