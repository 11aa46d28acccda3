import RequestsConformance
import RequestsTesting
import Testing

@Suite("Digest authentication", .timeLimit(.minutes(5)))
struct DigestTests {
    let api = BaseURL("http://www.example.org")
    let sent = Recorder<PreparedRequest>()
    static let nonce = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"
    static let cnonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
    static let realm = #"realm="http-auth@example.org""#
    static let common = #"\#(realm), nonce="\#(nonce)""#

    let provider = AuthenticationProvider.digest(
        username: "Mufasa",
        password: "Circle of Life",
        cnonce: { Self.cnonce }
    )

    /// Responds to each request with the next status and header.
    func client(_ replies: [(Int, Header)]) -> Client {
        Client(
            transport: StubTransport { [sent] request in
                sent.record(request)
                let (status, header) = replies[min(sent.count, replies.count) - 1]
                return try .stub(status, header: header, for: request)
            }
        )
    }

    func challenge(_ parameters: String) -> (Int, Header) {
        (401, [Field(name: .wwwAuthenticate, value: "Digest \(parameters)")])
    }

    func credentials(_ index: Int = 1) -> String? { sent.recorded[index].header[.authorization] }

    @Test(
        "The credentials match the examples of RFC 7616 §3.9.1",
        arguments: [
            ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
            ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
        ]
    )
    func example(algorithm: String, response: String) async throws {
        let opaque = "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
        let challenge = challenge(
            #"\#(Self.common), qop="auth, auth-int", algorithm=\#(algorithm), opaque="\#(opaque)""#
        )
        let result = try await client([challenge, (200, [])])
            .response(for: api.get(.none, from: "/dir/index.html").authenticated(with: provider))
        #expect(sent.recorded.first?.header.isEmpty == true)
        #expect(
            credentials() == #"Digest username="Mufasa", \#(Self.realm), uri="/dir/index.html", "#
                + #"algorithm=\#(algorithm), nonce="\#(Self.nonce)", nc=00000001, cnonce="\#(Self.cnonce)", "#
                + #"qop=auth, response="\#(response)", opaque="\#(opaque)""#
        )
        #expect(result.history.map(\.statusCode) == [401])
    }

    @Test(
        "Each algorithm and quality of protection returns the expected credentials",
        arguments: [
            ("", "", "7b2cc3b30e75b4777ea31027084363fd"), ("MD5", "", "7b2cc3b30e75b4777ea31027084363fd"),
            ("SHA-256", "", "a1306b0595a6c7fe96c448631fb5cfbd5107bd1fe1da729d978dd7446b812363"),
            ("SHA-512-256", "auth", "430d05014cecc49cab6fbe03176d41a1da86cbfe24a16580e22aaad928d960d0"),
            ("SHA-512-256-sess", "auth", "3f2a34f923c38b0fb26dce2fdfc2ce326c23cecf86fbb1444f3e51fbbc2cb92e"),
            ("MD5-sess", "auth", "e783283f46242139c486a698fec7211d"),
            ("SHA-256-sess", "auth", "2fd51b3a77ad75bad6afad6003e818d767133c46d9e2749e7f5232ae1ea3efd7"),
            ("md5", "auth-int", "8804a53d3640a40a4f73cea12c5ba451"),
            ("sha-256", "AUTH-INT", "8bdf6f15638e260831e905028de5450562816d093c9bfc5c13d3a46adcdde940"),
            ("sha-256-SESS", "auth-int,auth", "2fd51b3a77ad75bad6afad6003e818d767133c46d9e2749e7f5232ae1ea3efd7"),
        ]
    )
    func algorithms(algorithm: String, quality: String, response: String) async throws {
        let parameters = [
            Self.common, algorithm.isEmpty ? nil : "algorithm=\(algorithm)",
            quality.isEmpty ? nil : #"qop="\#(quality)""#,
        ]
        let replies = [challenge(parameters.compactMap { $0 }.joined(separator: ", ")), (200, [])]
        try await client(replies).send(api.get(.none, from: "/dir/index.html").authenticated(with: provider))
        let field = try #require(credentials())
        #expect(field.contains(#"response="\#(response)""#))
        #expect(field.contains("nc=00000001") == !quality.isEmpty)
        #expect(field.contains("cnonce=") == !quality.isEmpty)
        #expect(field.contains("algorithm=") == !algorithm.isEmpty)
        #expect(!field.contains("opaque"))
    }

    @Test(
        "A challenge with malformed parameters is answered, and an empty qop counts as a missing one",
        arguments: [
            (#"realm=a, nonce=b/c+d==, qop="auth""#, true), (#"realm="a", stale, nonce="b/c+d==", qop=auth"#, true),
            (#"realm="a", nonce="b/c+d==", qop="""#, false), (#"realm="a", nonce="b/c+d==", qop=" , ""#, false),
            (#"realm="a", nonce="b/c+d==", qop="#, false), (#"realm="a", nonce="b/c+d==", qop"#, false),
            (#"realm="a", nonce="b/c+d==", qop="other, auth""#, true),
        ]
    )
    func malformed(parameters: String, hasQuality: Bool) async throws {
        let replies = [challenge(parameters), (200, [])]
        try await client(replies).send(api.get(.none, from: "/").authenticated(with: provider))
        let field = try #require(credentials())
        #expect(field.contains(#"nonce="b/c+d==""#))
        #expect(field.contains("qop=auth") == hasQuality)
    }

    @Test("`auth-int` hashes the body only if it is in memory")
    func integrity() async throws {
        let replies = [challenge(#"\#(Self.common), qop="auth-int""#), (200, [])]
        try await client(replies).send(api.post(.text("hello"), to: "/dir/index.html").authenticated(with: provider))
        #expect(credentials()?.contains(#"qop=auth-int, response="23fef4d928a3e9fa6e0b0de51288c997""#) == true)

        let stream = api.post(BodyProvider { _ in .oneShot(Data()) }, to: "/").authenticated(with: provider)
        let error = await #expect(throws: ResponseError.self) { try await client([replies[0]]).send(stream) }
        #expect(error?.head.statusCode == 401)
    }

    @Test("A challenge throws if the body can be read only once")
    func oneShot() async throws {
        let request = api.post(BodyProvider { _ in .oneShot(Data()) }, to: "/").authenticated(with: provider)
        let error = await #expect(throws: ClientError.self) {
            try await client([challenge(Self.common)]).send(request)
        }
        #expect(error?.code == .bodyNotReplayable)
        #expect(
            error?.message == "401 from http://www.example.org/ requires credentials, "
                + "but its body can be read only once. Use a body in memory or from a file."
        )
        #expect(error?.history.count == 1)
    }

    @Test(
        "The strongest of several challenges is used",
        arguments: [
            (["MD5", "SHA-256"], "SHA-256"), (["SHA-256", "MD5"], "SHA-256"), (["MD5-sess", "MD5"], "MD5-sess"),
            (["SHA-384", "MD5"], "MD5"), (["SHA-512-256", "SHA-512"], "SHA-512"),
            (["token", "SHA-256-sess"], "SHA-256-sess"),
            (["SHA-256", "SHA-512-256-sess", "MD5"], "SHA-512-256-sess"),
        ]
    )
    func strongest(algorithms: [String], expected: String) async throws {
        let fields = algorithms.map { algorithm in
            Field(name: .wwwAuthenticate, value: #"Basic realm="x", Digest \#(Self.common), algorithm=\#(algorithm)"#)
        }
        try await client([(401, Header(fields)), (200, [])])
            .send(api.get(.none, from: "/").authenticated(with: provider))
        #expect(credentials()?.contains("algorithm=\(expected), ") == true)
    }

    @Test(
        "A response with an unsupported challenge is returned",
        arguments: [
            "Basic realm=a", #"Digest realm="a""#, "Digest nonce=a", "Digest realm=a, nonce=b, algorithm=SHA-1",
            "Digest realm=a, nonce=b, qop=other", "Negotiate", "",
        ]
    )
    func unsupported(value: String) async throws {
        let client = client([(401, [Field(name: .wwwAuthenticate, value: value)])])
        let response = try await client.stream(api.get(.none, from: "/").authenticated(with: provider))
        #expect(response.head.statusCode == 401)
        #expect(sent.count == 1)
    }

    @Test(
        "A user name that isn't ASCII is encoded, or hashed if the server asks for it",
        arguments: [
            ("", "username*=UTF-8''J%C3%A4s%C3%B8n%20Doe"),
            (", userhash=true", #"username="d1b8b7c3547b1ff28d0956e751ab1d229d1e8a9e8ed1147f10c8f1bbabc5715b""#),
        ]
    )
    func usernames(parameter: String, expected: String) async throws {
        let provider = AuthenticationProvider.digest(
            username: "Jäsøn Doe",
            password: "Secret, or not?",
            cnonce: { Self.cnonce }
        )
        let challenge = challenge(#"\#(Self.common), qop=auth, algorithm=SHA-256\#(parameter)"#)
        try await client([challenge, (200, [])])
            .send(api.get(.none, from: "/dir/index.html").authenticated(with: provider))
        #expect(credentials()?.hasPrefix("Digest \(expected), realm=") == true)
        let response = "41224c60bf7ffc4f193be027f89bdad03b2fabdf34b437bc0e8a724c5d9cff1c"
        #expect(credentials()?.contains(response) == true)
        #expect(credentials()?.hasSuffix(", userhash=true") == !parameter.isEmpty)
    }

    @Test("The credentials match the example of RFC 7616 §3.9.2 with erratum 4897")
    func userhash() async throws {
        let provider = AuthenticationProvider.digest(
            username: "Jäsøn Doe",
            password: "Secret, or not?",
            cnonce: { "NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v" }
        )
        let nonce = #"nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK""#
        let challenge = challenge(
            #"realm="api@example.org", qop="auth", algorithm=SHA-512-256, \#(nonce), charset=UTF-8, userhash=true"#
        )
        try await client([challenge, (200, [])]).send(api.get(.none, from: "/doe.json").authenticated(with: provider))
        let username = "793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b"
        #expect(credentials()?.hasPrefix(#"Digest username="\#(username)", realm="#) == true)
        let response = "3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5"
        #expect(credentials()?.contains(#"response="\#(response)""#) == true)
    }

    @Test("Quotes and backslashes are escaped in the field but not in the hashed text")
    func quoting() async throws {
        let provider = AuthenticationProvider.digest(username: #"a"b\c"#, password: "p", cnonce: { Self.cnonce })
        let challenge = challenge(#"realm="r\"\\", nonce="n", qop=auth"#)
        try await client([challenge, (200, [])]).send(api.get(.none, from: "/").authenticated(with: provider))
        #expect(credentials()?.hasPrefix(#"Digest username="a\"b\\c", realm="r\"\\", "#) == true)
        #expect(credentials()?.contains("6dfa2b929267f799648dad8d1503c2e3") == true)
    }
}
