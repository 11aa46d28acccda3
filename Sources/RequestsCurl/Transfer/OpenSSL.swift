import CRequestsCurl
import Requests

/// The OpenSSL that libcurl brought into the process, where it did.
enum OpenSSL {
    typealias Version = @convention(c) (UnsafeRawPointer) -> UnsafePointer<CChar>?
    private typealias InfoCallback = @convention(c) (UnsafeRawPointer?, CInt, CInt) -> Void
    private typealias SetInfoCallback = @convention(c) (UnsafeMutableRawPointer?, InfoCallback?) -> Void

    /// Tells the version of TLS that a session speaks.
    static let version = ProcessSymbols.find("SSL_get_version", as: Version.self)

    private static let setInfoCallback: SetInfoCallback? = {
        guard crc_version_info()?.pointee.ssl_version.map({ String(cString: $0) })?.hasPrefix("OpenSSL/") == true else {
            return nil
        }
        return ProcessSymbols.find("SSL_CTX_set_info_callback", as: SetInfoCallback.self)
    }()

    private typealias FindExtension = @convention(c) (UnsafeMutableRawPointer?, CInt, CInt) -> CInt
    private typealias Peer = @convention(c) (UnsafeRawPointer?) -> UnsafeMutableRawPointer?
    private typealias Free = @convention(c) (UnsafeMutableRawPointer?) -> Void
    private static let findExtension = ProcessSymbols.find("X509_get_ext_by_NID", as: FindExtension.self)
    private static let free = ProcessSymbols.find("X509_free", as: Free.self)
    /// Its name until OpenSSL 3.0, and since.
    private static let peer =
        ProcessSymbols.find("SSL_get1_peer_certificate", as: Peer.self)
        ?? ProcessSymbols.find("SSL_get_peer_certificate", as: Peer.self)

    /// Whether the server's certificate has names where they belong, and not only one in its subject, with which libcurl
    /// is content; `true` where it cannot be told.
    static func hasNames(_ session: UnsafeMutableRawPointer) -> Bool {
        guard let findExtension, let free, let certificate = peer?(session) else { return true }
        defer { free(certificate) }
        // NID_subject_alt_name.
        return findExtension(certificate, 85, -1) >= 0
    }

    /// Whether it can be told how a session ended.
    static var reportsEnds: Bool { setInfoCallback != nil }

    /// Sessions by their address, and whether the peer has ended them.
    private static let watched = Guarded<[UInt: Bool]>([:])

    /// Set for libcurl to call with each context that it makes for connections.
    static let prepareContext: crc_tls_context_function = { _, context, _ in
        setInfoCallback?(context) { session, what, value in
            // SSL_CB_READ_ALERT; the low byte of the value is the alert, 0 for `close_notify`.
            guard let session, what == 0x4004, value & 0xFF == 0 else { return }
            watched.withLock { sessions in
                if sessions[UInt(bitPattern: session)] != nil { sessions[UInt(bitPattern: session)] = true }
            }
        }
        return CURLE_OK
    }

    static func watch(_ session: UnsafeMutableRawPointer) {
        watched.withLock { $0[UInt(bitPattern: session)] = false }
    }

    /// - Returns: Whether the peer has ended the session since it was watched.
    static func unwatch(_ session: UnsafeMutableRawPointer) -> Bool {
        watched.withLock { $0.removeValue(forKey: UInt(bitPattern: session)) } ?? false
    }
}
