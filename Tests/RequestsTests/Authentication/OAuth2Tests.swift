import RequestsSchemes
import RequestsTesting
import Testing

@Suite("OAuth 2", .timeLimit(.minutes(5)))
struct OAuth2Tests {
    private let now = Date(timeIntervalSince1970: 1000)

    private func server(_ client: OAuth2.Client = .public(id: "app")) -> OAuth2 {
        OAuth2(
            tokenURL: URL("https://login.example.com/token"),
            authorizationURL: URL("https://login.example.com/authorize?tenant=1"),
            client: client
        ) { [now] in now }
    }

    private func body(of request: PreparedRequest) -> String {
        String(decoding: request.body.data ?? Data(), as: UTF8.self)
    }

    @Test("The app identifies itself with basic authentication, in the body, or without a secret")
    func identification() throws {
        // The characters of RFC 6749 §2.3.1 that basic authentication needs encoded.
        let basic = try server(.confidential(id: "a:b", secret: "p w+")).clientCredentials().prepared()
        #expect(basic.header[.authorization] == "Basic \(Data("a%3Ab:p+w%2B".utf8).base64EncodedString())")
        #expect(body(of: basic) == "grant_type=client_credentials")
        let inBody = try server(.confidentialInBody(id: "a", secret: "s")).clientCredentials(scope: ["x", "y"])
            .prepared()
        #expect(body(of: inBody) == "grant_type=client_credentials&scope=x+y&client_id=a&client_secret=s")
        #expect(inBody.header[.authorization] == nil)
        let plain = try server(.confidentialUnencoded(id: "a b", secret: "p w+:")).clientCredentials().prepared()
        #expect(plain.header[.authorization] == "Basic \(Data("a b:p w+:".utf8).base64EncodedString())")
        #expect(body(of: plain) == "grant_type=client_credentials")
        let open = try server().exchange(code: "c", redirectURI: "app:/done", pkce: nil).prepared()
        #expect(body(of: open) == "grant_type=authorization_code&code=c&redirect_uri=app%3A%2Fdone&client_id=app")
        #expect(open.url.text == "https://login.example.com/token")
        #expect(!"\(OAuth2.Client.confidential(id: "a", secret: "hidden"))".contains("hidden"))
    }

    @Test("A token has an expiry, and keeps its refresh token if the server sends none")
    func tokens() async throws {
        let stub = StubTransport(script: [
            .reply(200, jsonText: #"{"access_token": "new", "token_type": "bearer", "expires_in": 60}"#)
        ])
        let token = try await Client(transport: stub).send(server().refresh("old"))
        #expect(token == AccessToken("new", refreshToken: "old", expires: now.addingTimeInterval(60)))
    }

    @Test("The granted scope, or else the requested one, and the identity token are in the token")
    func grants() async throws {
        let stub = StubTransport(script: [
            .reply(
                200,
                jsonText: #"{"access_token": "t", "token_type": "Bearer", "scope": "a  b", "id_token": "e.f.g"}"#
            ),
            .reply(200, jsonText: #"{"access_token": "t"}"#),
        ])
        let client = Client(transport: stub)
        let narrowed = try await client.send(server().clientCredentials(scope: ["a", "b", "c"]))
        #expect(narrowed.scope == ["a", "b"])
        #expect(narrowed.idToken == "e.f.g")
        let requested = try await client.send(server().clientCredentials(scope: ["a", "b"]))
        #expect(requested == AccessToken("t", scope: ["a", "b"]))
    }

    private func token(_ reply: StubTransport.Reply) async throws -> AccessToken {
        try await Client(transport: StubTransport(script: [reply])).send(server().refresh("old", scope: ["asked"]))
    }

    @Test("A lifetime can be a string", arguments: ["60", "60.0", #""60""#, #""60.0""#])
    func lifetime(_ text: String) async throws {
        let token = try await token(.reply(200, jsonText: #"{"access_token": "t", "expires_in": \#(text)}"#))
        #expect(token.expires == now.addingTimeInterval(60))
    }

    @Test(
        "A member that can't be read counts as missing",
        arguments: [
            #""expires_in": """#, #""expires_in": "soon""#, #""expires_in": "inf""#, #""expires_in": []"#,
            #""expires_in": {}"#, #""expires_in": true"#, #""expires_in": null"#, #""expires_in": 1e400"#,
            #""id_token": 7"#, #""id_token": {"a": 1}"#, #""id_token": null"#, #""refresh_token": false"#,
            #""refresh_token": """#, #""refresh_token": {}"#, #""refresh_token": null"#, #""token_type": 1"#,
            #""token_type": null"#, #""token_type": """#, #""scope": 7"#, #""scope": {}"#, #""scope": null"#,
            #""scope": [1]"#, #""user": {"id": 1e400}"#,
        ]
    )
    func unreadableMember(_ member: String) async throws {
        let token = try await token(.reply(200, jsonText: #"{"access_token": "t", \#(member)}"#))
        #expect(token == AccessToken("t", refreshToken: "old", scope: ["asked"]))
    }

    @Test(
        "A scope can be an array, and is separated by spaces or commas, as GitHub sends it",
        arguments: [
            (#"{"access_token": "t", "scope": ["a"]}"#, ["a"]),
            (#"{"access_token": "t", "scope": ["a", "b c"]}"#, ["a", "b", "c"]),
            (#"{"access_token": "t", "scope": []}"#, []), (#"{"access_token": "t", "scope": "a b"}"#, ["a", "b"]),
            ("access_token=t&scope=repo%2Cgist", ["repo", "gist"]),
            ("access_token=t&scope=repo%2C+gist", ["repo", "gist"]),
            ("access_token=t&scope=repo+gist", ["repo", "gist"]),
            ("access_token=t&scope=", []),
        ] as [(String, [String])]
    )
    func scopes(_ text: String, _ expected: [String]) async throws {
        let header = text.hasPrefix("{") ? [.contentType(.json)] : Self.form
        #expect(try await token(.reply(200, header: header, text: text)).scope == expected)
    }

    @Test(
        "A response without a readable access token fails",
        arguments: ["{}", "[]", "7", #"{"access_token": ""}"#, #"{"access_token": 7}"#, #"{"access_token": null}"#]
    )
    func noToken(_ text: String) async throws {
        let error = await #expect(throws: ResponseError.self) { try await token(.reply(200, jsonText: text)) }
        #expect(error?.code == .decoding)
    }

    private static let form: Header = ["Content-Type": "application/x-www-form-urlencoded; charset=utf-8"]

    @Test("A token can be a form")
    func formToken() async throws {
        let text = "access_token=gho%5F1%2B2&expires_in=60&scope=a+b%20c&token_type=bearer&refresh_token=new&x&=y"
        let token = try await token(.reply(200, header: Self.form, text: text))
        let expires = now.addingTimeInterval(60)
        #expect(token == AccessToken("gho_1+2", refreshToken: "new", expires: expires, scope: ["a", "b", "c"]))
    }

    @Test(
        "A rejection is a failure with its code, whatever its status and form, even if its explanation can't be read",
        arguments: [200, 400],
        [
            (#"{"error": "invalid_grant", "error_description": "secret"}"#, "secret"),
            (#"{"error": "invalid_grant", "error_description": ["a"]}"#, nil),
            ("error=invalid_grant&error_description=The+code+is+wrong", "The code is wrong"),
        ] as [(String, String?)]
    )
    func rejection(status: Int, body: (text: String, explanation: String?)) async throws {
        let header = body.text.hasPrefix("{") ? [.contentType(.json)] : Self.form
        let error = await #expect(throws: ResponseError.self) {
            try await token(.reply(status, header: header, text: body.text))
        }
        let expected = OAuth2.Failure(code: "invalid_grant", explanation: body.explanation)
        #expect(error?.underlying as? OAuth2.Failure == expected)
        #expect(error?.underlying.map { "\($0)" } == "invalid_grant")
    }

    private func deviceLogin(_ reply: StubTransport.Reply) async throws -> OAuth2.DeviceLogin {
        let request = server().deviceLogin(at: URL("https://login.example.com/device"))
        return try await Client(transport: StubTransport(script: [reply])).send(request)
    }

    @Test(
        "A device login needs only its codes and its page",
        arguments: [
            "", #", "interval": "", "expires_in": """#, #", "interval": [], "expires_in": {}"#,
            #", "interval": null, "expires_in": "soon", "verification_uri_complete": 7"#,
        ]
    )
    func oddDeviceLogin(_ members: String) async throws {
        let text = #"{"device_code": "d", "user_code": "u", "verification_uri": "https://h/"\#(members)}"#
        let login = try await deviceLogin(.reply(200, jsonText: text))
        #expect(login.expiresIn == nil)
        #expect(login.completeVerificationURI == nil)
        #expect(login.polling.interval == .seconds(5))
    }

    @Test("A device login can be a form, and its page can have Google's name")
    func otherDeviceLogins() async throws {
        let text = "device_code=d&user_code=AB-CD&verification_uri=https%3A%2F%2Fh%2F&expires_in=899&interval=7"
        let login = try await deviceLogin(.reply(200, header: Self.form, text: text))
        #expect(login.verificationURI == "https://h/")
        #expect(login.expiresIn == 899)
        #expect(login.polling.interval == .seconds(7))
        let google = #"{"device_code": "d", "user_code": "u", "verification_url": "https://g/"}"#
        #expect(try await deviceLogin(.reply(200, jsonText: google)).verificationURI == "https://g/")
    }

    @Test("A token of another type than bearer is rejected", arguments: ["mac", "DPoP", "N_A"])
    func tokenType(_ type: String) async throws {
        let stub = StubTransport(script: [
            .reply(200, jsonText: #"{"access_token": "s3cret", "token_type": "\#(type)"}"#)
        ])
        let error = await #expect(throws: ResponseError.self) {
            try await Client(transport: stub).send(server().clientCredentials())
        }
        #expect(error?.message.contains("the type “\(type)”") == true)
        #expect(error.map { "\($0)" }?.contains("s3cret") == false)
    }

    @Test(
        "No request follows a redirect, so that another server neither gets secrets nor makes tokens",
        arguments: [
            302, 307, 308,
        ]
    )
    func redirects(status: Int) async throws {
        let stub = StubTransport(routes: [
            .post("/token", .redirect(status, to: "https://other.example.com/token")),
            .any("/token", .reply(200, jsonText: #"{"access_token": "forged", "token_type": "bearer"}"#)),
        ])
        let client = Client(transport: stub)
        for app in [.public(id: "a"), .confidentialInBody(id: "a", secret: "s")] as [OAuth2.Client] {
            let server = server(app)
            let requests = [
                server.refresh("r"), server.exchange(code: "c", redirectURI: "app:/", pkce: nil),
                server.clientCredentials(),
            ]
            for request in requests {
                let error = await #expect(throws: ResponseError.self) { try await client.send(request) }
                #expect(error?.statusCode == status)
            }
        }
        #expect(stub.requests.allSatisfy { $0.url.host == "login.example.com" })
        #expect(stub.requests.count == 6)
    }

    @Test("No description of a request shows its body")
    func descriptions() throws {
        let request = try server().exchange(code: "c0de", redirectURI: "app:/done", pkce: nil).prepared()
        #expect(!request.curlCommand().contains("app%3A"))
        #expect(request.curlCommand().contains("REDACTED"))
    }

    @Test("The login page gets the challenge of RFC 7636, appendix B")
    func authorization() throws {
        let pkce = try #require(PKCE(verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
        #expect(pkce.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
        let url = try server().authorizationURL(redirectURI: "app:/done", scope: ["a"], state: "s", pkce: pkce)
        #expect(
            url.absoluteString == "https://login.example.com/authorize?tenant=1&response_type=code&client_id=app"
                + "&redirect_uri=app%3A%2Fdone&scope=a&state=s"
                + "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256"
        )
        #expect(!"\(pkce)".contains(pkce.verifier))
    }

    @Test("A random verifier has 43 characters, and a short or illegal one isn't accepted")
    func verifiers() {
        var generator = SystemRandomNumberGenerator()
        let pkce = PKCE(using: &generator)
        #expect(pkce.verifier.utf8.count == 43)
        #expect(PKCE(verifier: pkce.verifier) == pkce)
        #expect(PKCE(verifier: String(repeating: "a", count: 42)) == nil)
        #expect(PKCE(verifier: String(repeating: "a", count: 129)) == nil)
        #expect(PKCE(verifier: String(repeating: "+", count: 43)) == nil)
    }

    @Test("A device asks until the user has logged in, and slower if the server says so")
    func device() async throws {
        let stub = StubTransport(script: [
            .reply(
                200,
                jsonText: #"""
                    {"device_code": "hidden", "user_code": "AB-CD", "verification_uri": "https://example.com/device",
                    "expires_in": "900", "interval": "3"}
                    """#
            )
        ])
        let client = Client(transport: stub)
        let login = try await client.send(server().deviceLogin(at: URL("https://login.example.com/device")))
        #expect(login.userCode == "AB-CD")
        #expect(login.expiresIn == 900)
        var dumped = ""
        dump(login, to: &dumped)
        #expect(!dumped.contains("hidden") && !dumped.contains("AB-CD"))
        var polling = login.polling
        #expect(polling.interval == .seconds(3))
        try polling.continue(after: failure("authorization_pending"))
        #expect(polling.interval == .seconds(3))
        try polling.continue(after: failure("slow_down"))
        #expect(polling.interval == .seconds(8))
        try polling.continue(after: TransportError(code: .timedOut(.idle), message: "", phase: .sending))
        #expect(polling.interval == .seconds(16))
        #expect(throws: ResponseError.self) { try polling.continue(after: failure("access_denied")) }
        let request = try server().token(for: login).prepared()
        #expect(body(of: request).hasSuffix("device_code=hidden&client_id=app"))
    }

    private func failure(_ code: String) throws -> ResponseError {
        ResponseError(
            code: .status,
            head: try ResponseHead(statusCode: 400, url: URL("https://login.example.com/token")),
            data: Data(),
            message: "",
            underlying: OAuth2.Failure(code: code)
        )
    }
}
