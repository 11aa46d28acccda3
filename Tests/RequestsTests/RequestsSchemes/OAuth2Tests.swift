import Foundation
import Requests
import RequestsClient
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

    @Test("A lifetime can be a string, and must be a number", arguments: ["60", #""60""#, #""soon""#, "[]", #""inf""#])
    func lifetime(_ text: String) async throws {
        let stub = StubTransport(script: [.reply(200, jsonText: #"{"access_token": "t", "expires_in": \#(text)}"#)])
        let client = Client(transport: stub)
        if text.contains("60") {
            #expect(try await client.send(server().clientCredentials()).expires == now.addingTimeInterval(60))
        } else {
            await #expect(throws: ResponseError.self) { try await client.send(server().clientCredentials()) }
        }
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
        #expect(request.curlCommand().contains("<redacted>"))
    }

    @Test("A rejection is a failure with its code, whatever its status", arguments: [400, 200])
    func rejection(status: Int) async throws {
        let stub = StubTransport(script: [
            .reply(status, jsonText: #"{"error": "invalid_grant", "error_description": "secret"}"#)
        ])
        let error = await #expect(throws: ResponseError.self) {
            try await Client(transport: stub).send(server().refresh("old"))
        }
        #expect(error?.underlying as? OAuth2.Failure == OAuth2.Failure(code: "invalid_grant", explanation: "secret"))
        #expect(error?.underlying.map { "\($0)" } == "invalid_grant")
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
