import Requests
import Testing

@Suite("Authentication challenges", .timeLimit(.minutes(5)))
struct AuthenticationChallengeTests {
    /// The scheme, token and sorted parameters of each challenge, in one line.
    private func read(_ values: [String]) -> [String] {
        let header = Header(values.map { Field(name: .wwwAuthenticate, value: $0) })
        return AuthenticationProvider.Challenge.challenges(in: header).map { challenge in
            let parameters = challenge.parameters.sorted { $0.key < $1.key }.map { "\($0.key)=<\($0.value)>" }
            return ([challenge.scheme] + (challenge.token.map { [$0] } ?? []) + parameters).joined(separator: " ")
        }
    }

    @Test(
        "Challenges are read in every valid form of the field",
        arguments: [
            (#"Basic realm="a""#, ["Basic realm=<a>"]),
            (#"Basic realm="a", Digest realm="b", nonce=n"#, ["Basic realm=<a>", "Digest nonce=<n> realm=<b>"]),
            (
                #"Newauth realm="apps", type=1, title="Login to \"apps\"", Basic realm="simple""#,
                [#"Newauth realm=<apps> title=<Login to "apps"> type=<1>"#, "Basic realm=<simple>"]
            ),
            ("Negotiate", ["Negotiate"]), ("Negotiate, Basic realm=a", ["Negotiate", "Basic realm=<a>"]),
            ("Negotiate YWJj==", ["Negotiate YWJj=="]), ("Negotiate YWJj , NTLM", ["Negotiate YWJj", "NTLM"]),
            (", ,Basic realm=a ,, charset=UTF-8,", ["Basic charset=<UTF-8> realm=<a>"]),
            ("Basic realm = \"a\"\t,  x\t=\ty", ["Basic realm=<a> x=<y>"]),
            (#"Basic REALM="a", realm="b""#, ["Basic realm=<a>"]),
            (#"Digest realm="a, b", qop="auth,auth-int""#, ["Digest qop=<auth,auth-int> realm=<a, b>"]),
            (#"Basic realm="open"#, ["Basic realm=<open>"]), (#"Basic realm="a\"#, ["Basic realm=<a>"]),
            ("Basic realm=", ["Basic realm="]), ("", []), (",", []), ("=x, Basic realm=a", ["Basic realm=<a>"]),
            ("\"x\", Basic realm=a", ["Basic realm=<a>"]), ("Bäsic realm=a", []),
        ]
    )
    func forms(value: String, expected: [String]) {
        #expect(read([value]) == expected)
    }

    @Test(
        "A malformed parameter of a challenge is skipped, and the other ones count",
        arguments: [
            ("Digest nonce=a/b+c==, qop=auth", ["Digest nonce=<a/b+c==> qop=<auth>"]),
            ("Digest nonce=a:b@c, realm=My Big Realm, qop=x", ["Digest nonce=<a:b@c> qop=<x> realm=<My Big Realm>"]),
            ("Digest realm=a, stale, nonce=n", ["Digest nonce=<n> realm=<a>"]),
            ("Digest stale, realm=a, nonce=n", ["Digest nonce=<n> realm=<a>"]),
            ("Digest realm=a, =x, nonce=n", ["Digest nonce=<n> realm=<a>"]),
            ("Digest realm=a, n@me=x, nonce=n", ["Digest nonce=<n> realm=<a>"]),
            (#"Digest realm="a" x, nonce=n"#, ["Digest nonce=<n> realm=<a>"]),
            (#"Digest realm="a"x"y,z", nonce=n"#, ["Digest nonce=<n> realm=<a>"]),
            (#"Digest realm="a", "x, Basic realm=b", nonce=n"#, ["Digest nonce=<n> realm=<a>"]),
            ("Digest nonce=, realm=a, nonce=n", ["Digest nonce=<n> realm=<a>"]),
            (#"Digest realm="a" nonce="n" qop=auth"#, ["Digest nonce=<n> qop=<auth> realm=<a>"]),
            (#"Basic realm="a" Digest realm="b""#, ["Basic realm=<a>", "Digest realm=<b>"]),
            ("Digest realm=a, Negotiate, NTLM TlRM==", ["Digest realm=<a>", "Negotiate", "NTLM TlRM=="]),
            ("Negotiate, Basic, realm=a", ["Negotiate", "Basic realm=<a>"]),
        ]
    )
    func malformed(value: String, expected: [String]) {
        #expect(read([value]) == expected)
    }

    @Test("The challenges of several fields are read in order")
    func fields() {
        #expect(read(["Basic realm=a", "Digest realm=b"]) == ["Basic realm=<a>", "Digest realm=<b>"])
    }

    @Test("The challenges of a proxy are read from Proxy-Authenticate")
    func proxy() {
        let header: Header = [Field(name: "Proxy-Authenticate", value: "Basic realm=a"), .userAgent("Basic x=y")]
        #expect(AuthenticationProvider.Challenge.challenges(in: header).isEmpty)
        #expect(
            AuthenticationProvider.Challenge.challenges(in: header, name: "Proxy-Authenticate").map(\.scheme) == [
                "Basic"
            ]
        )
    }
}
