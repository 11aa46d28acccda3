import Requests
import Testing

@Suite("Sessions of a password", .timeLimit(.minutes(5)))
struct PasswordSessionsTests {
    private static let digest = #"Digest realm="r", nonce="n", qop="auth""#
    private static let stale = #"Digest realm="r", nonce="m", qop="auth", stale=true"#

    private func request(_ host: String = "a.example") throws -> PreparedRequest {
        try PreparedRequest(url: RequestURL("https://\(host)/"))
    }

    private func head(_ status: Int = 401, _ challenge: String = digest, info: String? = nil) throws -> ResponseHead {
        var header: Header = [Field(name: .wwwAuthenticate, value: challenge)]
        if let info { header.add(Field(name: "Authentication-Info", value: info)) }
        return try ResponseHead(statusCode: status, header: header, url: RequestURL("https://a.example/"))
    }

    private func begins(
        _ sessions: inout PasswordSessions,
        _ head: ResponseHead,
        from host: String = "a.example",
        hasAnswered: Bool = false
    ) throws -> Bool {
        try sessions.begin(after: head, from: request(host).url.origin, hasAnswered: hasAnswered)
    }

    private func field(_ sessions: inout PasswordSessions, _ request: PreparedRequest) throws -> String? {
        try sessions.use(for: request, cnonce: "c")?().value
    }

    @Test("A challenge begins a session, which counts its requests and follows the server's nonces")
    func counts() throws {
        var sessions = PasswordSessions(username: "u", password: "p", allowsBasic: false)
        #expect(try field(&sessions, request()) == nil)
        #expect(try begins(&sessions, head()))
        #expect(try field(&sessions, request())?.contains(#"nonce="n", nc=00000001"#) == true)
        #expect(try field(&sessions, request())?.contains(#"nonce="n", nc=00000002"#) == true)
        #expect(try !begins(&sessions, head(200, info: #"nextnonce="x""#), hasAnswered: true))
        #expect(try field(&sessions, request())?.contains(#"nonce="x", nc=00000001"#) == true)
        #expect(try field(&sessions, request("b.example")) == nil)
    }

    @Test("A second challenge ends the session, unless only the nonce was stale")
    func secondChallenge() throws {
        var sessions = PasswordSessions(username: "u", password: "p", allowsBasic: false)
        #expect(try begins(&sessions, head()))
        #expect(try begins(&sessions, head(401, Self.stale), hasAnswered: true))
        #expect(try field(&sessions, request())?.contains(#"nonce="m""#) == true)
        #expect(try !begins(&sessions, head(), hasAnswered: true))
        #expect(try field(&sessions, request()) == nil)
    }

    @Test("Basic credentials are used only if they are allowed", arguments: [false, true])
    func basic(isAllowed: Bool) throws {
        var sessions = PasswordSessions(username: "u", password: "p", allowsBasic: isAllowed)
        #expect(try begins(&sessions, head(401, #"Basic realm="r""#)) == isAllowed)
        #expect(try field(&sessions, request()) == (isAllowed ? "Basic dTpw" : nil))
    }

    @Test("At most 100 origins are remembered")
    func origins() throws {
        var sessions = PasswordSessions(username: "u", password: "p", allowsBasic: false)
        for host in 0...100 {
            #expect(try begins(&sessions, head(), from: "h\(host)"))
        }
        #expect(try field(&sessions, request("h0")) == nil)
        #expect(try field(&sessions, request("h100")) != nil)
    }
}
