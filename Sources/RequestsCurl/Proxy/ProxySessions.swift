#if canImport(CRequestsCurl)
import Requests
import RequestsClient

/// The answers to the challenges of proxies (RFC 9110 §11.7).
///
/// A transfer answers its own challenge, because nonces whose counts arrive in another order are rejected. An answer
/// that the proxy accepts is shared with later transfers.
struct ProxySessions {
    /// The most answers for one request, because a proxy may find each of them stale.
    private static let maximumAnswers = 3

    private var shared: [ProxyServer: PasswordSession] = [:]

    /// Returns the credentials for a transfer's request. `nil` if the proxy hasn't asked for any.
    mutating func field(for transfer: Transfer, through proxy: ProxyServer, _ settings: Settings) throws -> Field? {
        let (request, url) = (transfer.request, transfer.request.url)
        let message =
            proxy.tunnels(to: url)
            ? try PasswordSession.Message("CONNECT", settings.configuration.connections.peer(of: url.origin), .none)
            : PasswordSession.Message(request.method, String(url.textBeforePath + url.target), request.body)
        let cnonce = PasswordSession.randomNonce()
        if transfer.proxySession != nil { return try transfer.proxySession?.use(for: message, cnonce: cnonce)?() }
        return try shared[proxy]?.use(for: message, cnonce: cnonce)?()
    }

    /// Decides what a response of a proxy means.
    ///
    /// Outside of a tunnel it may be a server's, which must not get the password. So basic credentials are only used
    /// there if the proxy has accepted them before.
    ///
    /// - Returns: Whether the transfer's request must be sent again, with credentials.
    mutating func begin(after code: Int, _ header: Header, from proxy: ProxyServer, for transfer: Transfer) -> Bool {
        guard let credentials = proxy.requestedCredentials else { return false }
        let (known, answers) = (shared[proxy], transfer.answers)
        guard code == 407 else {
            shared[proxy] = transfer.proxySession ?? known
            return shared[proxy]?.begin(after: code, header, hasAnswered: true) ?? false
        }
        var session = PasswordSession(
            username: credentials.username,
            password: credentials.password.text,
            allowsBasic: known?.isBasic ?? transfer.connecting.isTunneling,
            challenger: .proxy
        )
        guard answers < ProxySessions.maximumAnswers,
            session.begin(after: code, header, hasAnswered: answers > 0)
        else { return false }
        transfer.proxySession = session
        return true
    }
}
#endif
