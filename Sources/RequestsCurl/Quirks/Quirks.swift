#if canImport(CRequestsCurl)
/// The differences between versions of libcurl, as a value so that tests can take each path with any version.
struct Quirks: Sendable {
    /// Whether an HTTP/2 connection must be closed after a transfer was abandoned, because libcurl resets the stream
    /// only with the connection's next request.
    var closesAfterResets: Bool
    /// Whether libcurl appends a folded line at the start of a head to a field of the handle's previous transfer, which
    /// is already freed (curl/curl#11101). Such a head must be rejected, or a server could crash the process.
    var keepsFreedFields: Bool
    /// Whether libcurl allocates a buffer for each transfer, and not one for all of them.
    var ownsBuffers: Bool
    /// Whether libcurl drops data after a response without a body, keeps the connection, and only logs it. Later
    /// versions close the connection.
    var dropsSurplus: Bool
    /// Whether libcurl reports an HTTP/2 connection error only if it is called for the socket once more. The transport
    /// does so after each event, and every second for all sockets, because a timer may have read the error.
    var reportsErrorsLate: Bool
    /// Whether libcurl sets up HTTP/2 again for each request over a connection without TLS, so all but the first fail
    /// (curl/curl#10634).
    var switchesAgain: Bool
    /// Whether HTTP/2 stalls in a tunnel through an HTTPS proxy, because libcurl overlooks data that the outer TLS
    /// connection has already read.
    var stallsInsideTLS: Bool
    /// Whether libcurl keeps reading from the socket while receiving is paused, unless sending is paused, too.
    var readsWhilePaused: Bool
    /// Whether libcurl watches the socket while receiving is paused, and reads from it.
    var watchesPaused: Bool
    /// Whether libcurl checks a connection before reuse only if its last check was a second or more ago
    /// (curl/curl#22169).
    var checksConnectionsRarely: Bool
    /// Whether libcurl notices that a server has closed an HTTP/2 stream before the end of its request only when it
    /// tries to write. It then reports an error, which has a message unless the stream was closed without one.
    var stallsUploads: Bool
    /// Whether libcurl delivers no data to a transfer whose upload waits, if it read the data for another transfer of
    /// the HTTP/2 connection.
    var holdsBackData: Bool
    /// Whether libcurl reports an error when it has sent the end of an HTTP/2 request whose response has ended before.
    var failsAfterUploads: Bool

    /// Whether libcurl logs that the server refused a stream, before it sends the request again.
    var logsRefusals: Bool

    /// Whether libcurl waits for an address of a host for half of the time that is left, minutes by default, before it
    /// tries the next one of the same version of IP. True for 8.14, and not for 8.21.
    var waitsForAddresses: Bool

    /// - Parameters:
    ///   - libcurl: The version of libcurl, such as 788 for 7.88.
    ///   - nghttp2: The version of its HTTP/2 library, such as 152 for 1.52. 0 if it has none.
    init(of libcurl: Int, nghttp2: Int) {
        // nghttp2 1.67 treats data for a reset stream as an attack, and closes the connection.
        closesAfterResets = (788..<815).contains(libcurl) || nghttp2 == 167
        keepsFreedFields = (783..<802).contains(libcurl)
        ownsBuffers = libcurl < 807
        dropsSurplus = libcurl < 807
        reportsErrorsLate = libcurl >= 816
        switchesAgain = (788..<800).contains(libcurl)
        stallsInsideTLS = libcurl < 800
        readsWhilePaused = (800..<816).contains(libcurl)
        watchesPaused = libcurl == 805
        checksConnectionsRarely = libcurl >= 822
        stallsUploads = libcurl < 800
        holdsBackData = (804..<806).contains(libcurl)
        logsRefusals = libcurl >= 819
        waitsForAddresses = libcurl < 821
        failsAfterUploads = (800..<823).contains(libcurl)
    }

    /// The quirks of the libcurl that the process uses.
    static let linked = Quirks(of: LinkedLibcurl.version, nghttp2: LinkedLibcurl.http2Version)
}
#endif
