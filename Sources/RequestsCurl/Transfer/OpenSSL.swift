import CRequestsCurl
import Requests

/// The OpenSSL that libcurl brought into the process, where it did.
enum OpenSSL {
    typealias Version = @convention(c) (UnsafeRawPointer) -> UnsafePointer<CChar>?
    private typealias InfoCallback = @convention(c) (UnsafeRawPointer?, CInt, CInt) -> Void
    private typealias SetInfoCallback = @convention(c) (UnsafeMutableRawPointer?, InfoCallback?) -> Void

    /// Whether libcurl's own is OpenSSL, and none of its descendants: in a process with several, a name may be another's.
    private static let isLinked =
        crc_version_info()?.pointee.ssl_version.map { String(cString: $0) }?.hasPrefix("OpenSSL/") == true

    private static func find<Function>(_ name: String, as type: Function.Type) -> Function? {
        isLinked ? ProcessSymbols.find(name, as: type) : nil
    }

    private typealias Initialize = @convention(c) (UInt64, UnsafeRawPointer?) -> CInt

    /// Has OpenSSL leave its memory to the system when the process exits. It would free it while a transport that was just
    /// dropped closes its connections on its own thread, which ended the process with a signal.
    ///
    /// It counts in a process that has not used OpenSSL before.
    static func leaveMemoryAtExit() {
        let noCleanup: UInt64 = 0x0008_0000  // OPENSSL_INIT_NO_ATEXIT
        _ = find("OPENSSL_init_crypto", as: Initialize.self)?(noCleanup, nil)
    }

    /// Tells the version of TLS that a session speaks.
    static let version = find("SSL_get_version", as: Version.self)

    private static let setInfoCallback = find("SSL_CTX_set_info_callback", as: SetInfoCallback.self)

    private typealias Object = UnsafeMutableRawPointer
    private typealias Extension = @convention(c) (Object?, CInt, UnsafeMutablePointer<CInt>?, Object?) -> Object?
    private typealias Count = @convention(c) (Object?) -> CInt
    private typealias Element = @convention(c) (Object?, CInt) -> Object?
    private typealias Peer = @convention(c) (UnsafeRawPointer?) -> Object?
    private typealias Free = @convention(c) (Object?) -> Void
    private static let readExtension = find("X509_get_ext_d2i", as: Extension.self)
    private static let count = find("OPENSSL_sk_num", as: Count.self)
    private static let element = find("OPENSSL_sk_value", as: Element.self)
    private static let freeNames = find("GENERAL_NAMES_free", as: Free.self)
    private static let free = find("X509_free", as: Free.self)
    /// Its name since OpenSSL 3.0, and before.
    private static let peer =
        find("SSL_get1_peer_certificate", as: Peer.self) ?? find("SSL_get_peer_certificate", as: Peer.self)

    /// Whether the server's certificate has names or addresses of hosts where they belong, and not only a name in its
    /// subject, with which libcurl is content; `true` where it cannot be told.
    static func hasNames(_ session: UnsafeMutableRawPointer) -> Bool {
        guard let readExtension, let count, let element, let freeNames, let free, let certificate = peer?(session)
        else {
            return true
        }
        defer { free(certificate) }
        // NID_subject_alt_name.
        guard let names = readExtension(certificate, 85, nil, nil) else { return false }
        defer { freeNames(names) }
        return (0..<count(names)).contains { index in
            // A name begins with its type: GEN_DNS or GEN_IPADD.
            [2, 7].contains(element(names, index)?.load(as: CInt.self))
        }
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
