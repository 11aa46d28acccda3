#if canImport(CRequestsCurl)
import CRequestsCurl
import Requests
import RequestsClient
import RequestsSystem

/// The OpenSSL that libcurl uses, if its functions can be found in the process.
///
/// It allows checks that libcurl doesn't do. Without it the transport lacks the capabilities `certificateNames` and
/// `tlsClosure`.
enum OpenSSL {
    typealias Version = @convention(c) (UnsafeRawPointer) -> UnsafePointer<CChar>?
    private typealias InfoCallback = @convention(c) (UnsafeRawPointer?, CInt, CInt) -> Void
    private typealias SetInfoCallback = @convention(c) (UnsafeMutableRawPointer?, InfoCallback?) -> Void
    private typealias LibraryVersion = @convention(c) (CInt) -> UnsafePointer<CChar>?

    /// Whether the OpenSSL that the process finds by name is the one that libcurl uses. A process can load several, and
    /// libcurl can have one linked statically.
    private static let isFound: Bool = {
        let name = LinkedLibcurl.tls.name
        guard name.hasPrefix("OpenSSL/"),
            let version = try? unsafe ProcessSymbols.find("OpenSSL_version", as: LibraryVersion.self)(0)
        else { return false }
        return unsafe String(cString: version).hasPrefix("OpenSSL \(name.dropFirst("OpenSSL/".count)) ")
    }()

    static func find<Function>(
        _ name: String,
        as type: Function.Type = Function.self
    ) throws(ProcessSymbols.Missing) -> Function {
        guard isFound else { throw ProcessSymbols.Missing() }
        return try ProcessSymbols.find(name)
    }

    private typealias Initialize = @convention(c) (UInt64, UnsafeRawPointer?) -> CInt

    /// Keeps OpenSSL from freeing its memory when the process exits, because a transport's thread may still be closing
    /// its connections then.
    ///
    /// Has no effect if the process has already used OpenSSL.
    static func leaveMemoryAtExit() {
        let noCleanup: UInt64 = 0x0008_0000  // OPENSSL_INIT_NO_ATEXIT
        _ = try? unsafe find("OPENSSL_init_crypto", as: Initialize.self)(noCleanup, nil)
    }

    static let version = try? unsafe find("SSL_get_version", as: Version.self)

    private static let setInfoCallback = try? unsafe find("SSL_CTX_set_info_callback", as: SetInfoCallback.self)

    /// Whether `unwatch(_:)` can report how a session ended.
    static var reportsClosure: Bool { unsafe setInfoCallback != nil }

    /// The watched sessions by address, and whether the peer has sent close_notify.
    private static let watched = Locked<[UInt: Bool]>([:])

    /// libcurl calls this with each TLS context that it creates.
    static let prepareContext: crc_tls_context_function = { _, context, _ in
        unsafe setInfoCallback?(context) { session, what, value in
            // 0x4004 is SSL_CB_READ_ALERT. The low byte of the value is the alert: 0 is close_notify.
            guard let session = unsafe session, what == 0x4004, value & 0xFF == 0 else { return }
            watched.withLock { sessions in
                if sessions[UInt(bitPattern: session)] != nil { sessions[UInt(bitPattern: session)] = true }
            }
        }
        return CURLE_OK
    }

    static func watch(_ session: UnsafeMutableRawPointer) {
        watched.withLock { $0[UInt(bitPattern: session)] = false }
    }

    /// - Returns: Whether the peer has sent close_notify since the session was watched.
    static func unwatch(_ session: UnsafeMutableRawPointer) -> Bool {
        watched.withLock { $0.removeValue(forKey: UInt(bitPattern: session)) } ?? false
    }
}
#endif
