import CRequestsCurl
import Requests

/// The libcurl that the process runs with, which need not be the one it was compiled with.
enum LinkedLibcurl {
    /// Prepares libcurl once for the process.
    static let initialized: Result<Void, TransportError> = {
        OpenSSL.leaveMemoryAtExit()
        let code = curl_global_init(Int(CURL_GLOBAL_DEFAULT))
        guard code == CURLE_OK else {
            let reason = String(cString: curl_easy_strerror(code))
            return .failure(.unsupported("libcurl cannot be used in this process: \(reason)"))
        }
        guard version >= Version(major: 7, minor: 81) else {
            return .failure(.unsupported("libcurl \(version) is too old; version 7.81 or later has what is needed"))
        }
        return .success(())
    }()

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

        static let http2 = Feature(bit: CURL_VERSION_HTTP2, name: "HTTP/2")
        static let tls = Feature(bit: CURL_VERSION_SSL, name: "TLS")
        static let httpsProxy = Feature(bit: CURL_VERSION_HTTPS_PROXY, name: "HTTPS proxies")
        static let unixSockets = Feature(bit: CURL_VERSION_UNIX_SOCKETS, name: "Unix domain sockets")
    }

    static let version: Version = {
        let number = crc_version_info()?.pointee.version_num ?? 0
        return Version(major: number >> 16, minor: number >> 8 & 0xFF)
    }()

    /// Whether the reset of an abandoned exchange over HTTP/2 reaches the server only with the connection's next exchange.
    static let delaysResets = version >= Version(major: 7, minor: 88) && version < Version(major: 8, minor: 15)

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
