#if canImport(CRequestsCurl)
import Requests
import RequestsClient

extension Connections {
    /// A request: whether it may go out, over which connection it went last, and the facts about its attempts.
    ///
    /// libcurl sends a request again by itself if a kept HTTP/1.1 connection closes without a response, or if a server
    /// refuses it (RFC 9113 §8.7), and asks each time. If it reports nothing, the server may have processed the
    /// request.
    ///
    /// `@unchecked Sendable` because of ``Transfer``: it belongs to the loop's thread.
    class Request: @unchecked Sendable {
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

        /// A request's part in the connections that an origin's requests share.
        struct Admission {
            let origin: Origin
            let generation: Int
            /// Whether it still probes for a free stream.
            var isProbe: Bool
            /// Whether the origin hasn't left the connections since.
            var isCurrent: Bool { generation == origin.generation }
        }

        let method: HTTPMethod
        @safe @exclusivity(unchecked) var isEnded = false
        /// `nil` if the request shares no connection.
        @safe @exclusivity(unchecked) var admission: Admission?
        /// The connection over which the request was sent, and the time, in nanoseconds of the loop's clock.
        @safe @exclusivity(unchecked) var connection: Connection?
        @safe @exclusivity(unchecked) var sentAt: UInt64 = 0
        /// Whether the connection ended before the response.
        @safe @exclusivity(unchecked) var isLost = false
        /// The number of times that libcurl began to send the request.
        @safe @exclusivity(unchecked) private(set) var attempts = 0
        /// Whether libcurl logs what becomes of the request.
        @safe @exclusivity(unchecked) var isLogged = false
        /// Whether the last attempt was refused, or has a stream. `nil` while libcurl has logged neither.
        @safe @exclusivity(unchecked) private var isRefused: Bool?
        private var wasRefusedAlone = false
        /// The number of the last attempt after which a failed connection restarted the request.
        private var lastRestarted = 0
        /// How the request must be restarted. `nil` if it needn't.
        @safe @exclusivity(unchecked) var restart: Restart?
        private(set) var hasWaitedForOthers = false
        /// The addresses that got no more time to accept a connection.
        private var silentAddresses: Set<[UInt8]> = []
        /// Whether each address gets all of the time.
        private(set) var isPatient = false
        /// The number of the proxy's challenges that were answered.
        private(set) var answers = 0

        init(_ method: HTTPMethod) { self.method = method }
    }
}

extension Connections.Request {
    /// Records that the request has a stream.
    func noteOpenedStream() { isRefused = isRefused ?? false }

    /// Records that the server says that it didn't process the request.
    func noteRefusal() { isRefused = true }

    /// Whether the server can't have processed the last attempt: it says so, or the request has no stream, because the
    /// connection takes no new ones.
    var isUnprocessed: Bool { isLogged && isRefused ?? (connection?.version?.isMultiplexed == true) }

    /// Counts an attempt, and returns why it must not go out. `nil` if it may.
    func countAttempt() -> Connections.Decision? {
        defer { (attempts, isRefused) = (attempts + 1, nil) }
        guard attempts > 0 else { return nil }
        return isOnOwnConnection ? failureAfterRefusal() : failureToRepeat()
    }

    /// Records that libcurl has lost the connection of an earlier attempt, which others have used, and returns why the
    /// request must not go out again. `nil` if it may.
    func failureToRepeat() -> Connections.Decision? {
        isLost = attempts > 0
        if !isLost || mayRepeat { return nil }
        return .fail("a kept connection closed or refused the request; \(method) isn't safe to resend", .sending)
    }

    /// Records that the connection failed before a response. If others have used it, it may have been closed before it
    /// got the request, so the request must be restarted (RFC 9110 §9.2.2). Once for each of two attempts, because the
    /// next connection may fail, too.
    func noteFailure() {
        isLost = true
        guard attempts > lastRestarted, attempts <= 2, !isOnOwnConnection, mayRepeat else { return }
        lastRestarted = attempts
        restart = admission == nil ? .overFreshConnection : .afterOthers
    }

    private var mayRepeat: Bool { isUnprocessed || method.isIdempotent }

    /// libcurl resends the only request on a new connection if the server refused its stream or asked for HTTP/1.1, so
    /// it wasn't processed (RFC 9113 §7, §8.7). Allowed once, because the server may be overloaded. A kept connection
    /// has a limit of requests, so after one it is always allowed.
    private func failureAfterRefusal() -> Connections.Decision? {
        defer { wasRefusedAlone = true }
        guard wasRefusedAlone else { return nil }
        return .fail("the server refused the request over two new connections; retry it later", .connecting)
    }

    /// Records that addresses get no more time to accept a connection.
    func noteSilent(_ addresses: [[UInt8]]) { silentAddresses.formUnion(addresses) }

    /// Whether an address had its time.
    func isSilent(_ address: [UInt8]) -> Bool { !isPatient && silentAddresses.contains(address) }

    /// Records that no address accepted a connection. If one could have with more time, the request must be restarted.
    func noteNoConnection() {
        if !silentAddresses.isEmpty, !isPatient { restart = .patiently }
        isPatient = !silentAddresses.isEmpty
    }

    /// Records that the proxy didn't process the request, but asked for credentials.
    func noteChallenge() {
        answers += 1
        restart = .withCredentials
    }

    /// Forgets the last attempt, which the proxy has answered with a challenge.
    func forgetLast() { (attempts, isRefused, wasRefusedAlone) = (max(attempts - 1, 0), nil, false) }

    /// Returns how the request must be restarted, once.
    func takeRestart() -> Restart? {
        if restart == .afterOthers { hasWaitedForOthers = true }
        return restart.take()
    }
}
#endif
