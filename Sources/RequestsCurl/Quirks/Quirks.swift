/// What a version of libcurl does differently. A value, so that a test can take each path with any version.
struct Quirks: Sendable {
    /// Whether an HTTP/2 connection that lost a transfer halfway must not serve another, because libcurl resets an
    /// abandoned stream only with the connection's next request.
    var closesAfterResets: Bool
    /// Whether libcurl appends a folded line at the start of a head to a field of the handle's previous transfer, which
    /// is already freed (curl/curl#11101). Such a head must be rejected, or a server could crash the process.
    var keepsFreedFields: Bool
    /// Whether libcurl drops data that came with a response without a body, and keeps the connection. It only mentions
    /// that in its log. Later versions close the connection.
    var dropsSurplus: Bool
    /// Whether libcurl reads what came over an idle HTTP/2 connection before it reuses it. Earlier versions fail every
    /// request from then on, whatever the frame was.
    var readsIdleFrames: Bool
    /// Whether libcurl reports an HTTP/2 connection error only when it is called for the socket once more.
    var reportsErrorsLate: Bool
    /// Whether libcurl sets up HTTP/2 again for each request over a connection without TLS, so that all but the first
    /// fail (curl/curl#10634).
    var switchesAgain: Bool
    /// Whether HTTP/2 stalls in a tunnel through an HTTPS proxy, because libcurl doesn't look at data that the outer
    /// TLS connection has already read.
    var stallsInsideTLS: Bool
    /// Whether libcurl keeps reading a transfer whose receiving is paused, unless sending is paused too.
    var readsWhilePaused: Bool
    /// Whether libcurl reuses a connection without checking that it is usable, unless its last check is a second ago
    /// (curl/curl#22169).
    var checksConnectionsRarely: Bool

    /// - Parameters:
    ///   - libcurl: The version of libcurl, such as 788 for 7.88.
    ///   - nghttp2: The version of its HTTP/2 library, such as 152 for 1.52. 0 without one.
    init(of libcurl: Int, nghttp2: Int) {
        // nghttp2 1.67 takes data for a reset stream for an attack, and closes the connection.
        closesAfterResets = (788..<815).contains(libcurl) || nghttp2 == 167
        keepsFreedFields = (783..<802).contains(libcurl)
        dropsSurplus = libcurl < 807
        readsIdleFrames = libcurl >= 800
        reportsErrorsLate = libcurl >= 817
        switchesAgain = (788..<800).contains(libcurl)
        stallsInsideTLS = libcurl < 800
        readsWhilePaused = (800..<816).contains(libcurl)
        checksConnectionsRarely = libcurl >= 822
    }

    /// The quirks of the libcurl that the process uses.
    static let linked = Quirks(of: LinkedLibcurl.version, nghttp2: LinkedLibcurl.http2Version)
}
