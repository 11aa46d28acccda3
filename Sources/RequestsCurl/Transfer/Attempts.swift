#if canImport(CRequestsCurl)
import Requests

/// Decides whether a request may go out, and keeps what is known about its earlier attempts.
///
/// libcurl sends a request again by itself if a kept HTTP/1.1 connection closes without a response, or if a server
/// refuses it (RFC 9113 §8.7), and asks each time. What it reports comes in, and the verdict goes out. If it reports
/// nothing, the server may have processed the request.
struct Attempts {
    enum Verdict: Equatable {
        case send
        /// The transfer must be restarted, over a new connection.
        case connect
        case fail(String, TransportError.Phase)
    }

    enum Restart {
        case overFreshConnection
        /// Over a connection that others may have opened meanwhile.
        case afterOthers
        /// With the credentials that the proxy asked for.
        case withCredentials
        /// Without the addresses of the host that had their time.
        case overNextAddress
        /// With all of the time for each address of the host.
        case patiently
    }

    /// The connection of the last attempt.
    struct Last {
        /// Whether it was opened for the request, and no other one has used it.
        var isOnOwnConnection = false
        /// Whether others can use it at the same time, as far as is known.
        var isShared = false
        /// Whether it is known to use HTTP/2 or HTTP/3.
        var isMultiplexed = false
    }

    private enum Report { case openedStream, refusal }

    /// The number of times that libcurl began to send the request.
    private(set) var count = 0
    /// Whether libcurl logs what becomes of the request.
    var isLogged = false
    /// What it has logged since the last attempt began.
    private var report: Report?
    private var wasRefusedAlone = false
    /// The number of the last attempt after which a failed connection restarted the transfer.
    private var lastRestarted = 0
    /// How the transfer must be restarted. `nil` if it needn't.
    private var restart: Restart?
    private var isAfterOthers = false
    /// The addresses that got no more time to accept a connection.
    private var silentAddresses: Set<[UInt8]> = []
    /// Whether each address gets all of the time.
    private(set) var isPatient = false
    /// The number of the proxy's challenges that were answered.
    private(set) var answers = 0

    /// Records that the request has a stream.
    mutating func noteOpenedStream() { report = report ?? .openedStream }

    /// Records that the server says that it didn't process the request.
    mutating func noteRefusal() { report = .refusal }

    /// Whether the server can't have processed the last attempt: it says so, or the request has no stream, because the
    /// connection takes no new ones.
    func isUnprocessed(over last: Last) -> Bool {
        guard isLogged else { return false }
        return report == .refusal || report == nil && last.isMultiplexed
    }

    /// Decides about an attempt over a connection, and counts it.
    ///
    /// - Parameters:
    ///   - isNew: Whether it was opened for the request.
    ///   - isUsable: Whether it is known, and nothing says that it is closed, or about to be.
    mutating func verdict(isNew: Bool, isUsable: Bool, after last: Last, for method: HTTPMethod) -> Verdict {
        // After two closed ones, all others may be closed, too, and libcurl gives up after five.
        guard isUsable, isNew || count < 2 else {
            restart = .overFreshConnection
            return .connect
        }
        defer {
            count += 1
            report = nil
        }
        guard count > 0 else { return .send }
        guard !last.isOnOwnConnection else { return verdictAfterRefusal() }
        if mayRepeat(method, over: last) { return .send }
        return .fail("a kept connection closed or refused the request; \(method) isn't safe to resend", .sending)
    }

    /// Records that the connection failed before a response. If others have used it, it may have been closed before it
    /// got the request, so the transfer must be restarted (RFC 9110 §9.2.2). Once for each of two attempts, because the
    /// next connection may fail, too.
    mutating func noteFailed(_ last: Last, for method: HTTPMethod) {
        guard count > lastRestarted, count <= 2, !last.isOnOwnConnection, mayRepeat(method, over: last) else { return }
        lastRestarted = count
        restart = last.isShared ? .afterOthers : .overFreshConnection
    }

    private func mayRepeat(_ method: HTTPMethod, over last: Last) -> Bool {
        isUnprocessed(over: last) || method.isIdempotent
    }

    /// libcurl resends the only request on a new connection if the server refused its stream or asked for HTTP/1.1, so
    /// it wasn't processed (RFC 9113 §7, §8.7). Allowed once, because the server may be overloaded. A kept connection
    /// has a limit of requests, so after one it is always allowed.
    private mutating func verdictAfterRefusal() -> Verdict {
        defer { wasRefusedAlone = true }
        guard wasRefusedAlone else { return .send }
        return .fail("the server refused the request over two new connections; retry it later", .connecting)
    }

    /// Decides whether libcurl may open a connection for a request that expected a stream of another one. If not, the
    /// transfer must be restarted.
    mutating func mayConnectInsteadOfSharing() -> Bool {
        guard !isAfterOthers else { return true }
        restart = .afterOthers
        return false
    }

    /// Records that addresses get no more time to accept a connection.
    mutating func noteSilent(_ addresses: [[UInt8]]) { silentAddresses.formUnion(addresses) }

    /// Whether an address had its time.
    func isSilent(_ address: [UInt8]) -> Bool { !isPatient && silentAddresses.contains(address) }

    /// Records that no address accepted a connection. If one could have with more time, the transfer must be restarted.
    mutating func noteNoConnection() {
        if !silentAddresses.isEmpty, !isPatient { restart = .patiently }
        isPatient = !silentAddresses.isEmpty
    }

    /// Records that the proxy didn't process the request, but asked for credentials.
    mutating func noteChallenge() {
        answers += 1
        restart = .withCredentials
    }

    /// Forgets the last attempt, which the proxy has answered with a challenge.
    mutating func forgetLast() { (count, report, wasRefusedAlone) = (max(count - 1, 0), nil, false) }

    /// Returns how the transfer must be restarted, once.
    mutating func takeRestart() -> Restart? {
        if restart == .afterOthers { isAfterOthers = true }
        return restart.take()
    }
}
#endif
