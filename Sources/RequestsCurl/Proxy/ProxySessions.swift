import Requests
import RequestsClient

/// The answers to the challenges of proxies (RFC 9110 §11.7).
struct ProxySessions {
    /// The most answers for one request, because a proxy may find each of them stale.
    private static let maximumAnswers = 3

    private var sessions: [ProxyServer: PasswordSession] = [:]

    /// Returns the credentials for a request. `nil` if the proxy hasn't asked for any.
    mutating func field(for request: PreparedRequest, through proxy: ProxyServer, _ all: Settings) throws -> Field? {
        let url = request.url
        let message =
            proxy.tunnels(to: url)
            ? try PasswordSession.Message("CONNECT", all.configuration.connections.peer(of: url.origin), .none)
            : PasswordSession.Message(request.method, String(url.textBeforePath + url.target), request.body)
        return try sessions[proxy]?.use(for: message, cnonce: PasswordSession.randomNonce())?()
    }

    /// Decides what a response of a proxy means.
    ///
    /// - Parameter answers: The number of challenges that were answered for the request before.
    /// - Returns: Whether the request must be sent again, with credentials.
    mutating func begin(after statusCode: Int, _ header: Header, from proxy: ProxyServer, answers: Int) -> Bool {
        guard let credentials = proxy.requestedCredentials, answers < ProxySessions.maximumAnswers else { return false }
        let unchallenged = PasswordSession(
            username: credentials.username,
            password: credentials.password.text,
            allowsBasic: true,
            challenger: .proxy
        )
        return sessions[proxy, default: unchallenged].begin(after: statusCode, header, hasAnswered: answers > 0)
    }
}
