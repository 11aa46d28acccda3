import Foundation
import Requests
import RequestsTesting
import Testing

@Suite("An authentication provider", .timeLimit(.minutes(5)))
struct AuthenticationProviderTests {
    private let api = AnonymousRequestProvider("https://api.example.com")

    private func authorization(_ provider: AuthenticationProvider) throws -> String? {
        try api.get(.data, from: "/").authenticated(with: provider).prepared().header[.authorization]
    }

    @Test("`.none` changes nothing")
    func none() throws {
        let header: Header = [.accept(.json), .authorization("own")]
        #expect(
            try api.get(.data, from: "/").with(header: header).authenticated(with: .none).prepared().header == header
        )
    }

    @Test("`.bearerToken` sets Authorization, in the place of what was there")
    func bearer() throws {
        #expect(try authorization(.bearerToken("abc.def-_~+/=")) == "Bearer abc.def-_~+/=")
        let request = api.get(.data, from: "/").adding(headerFields: .authorization("a"), .authorization("b"))
        #expect(try request.authenticated(with: .bearerToken("t")).prepared().header == [.authorization("Bearer t")])
    }

    @Test(
        "`.basicAuth` sends user name and password in UTF-8 and Base64",
        arguments: [
            ("Aladdin", "open sesame", "QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), ("test", "123£", "dGVzdDoxMjPCow=="),
            ("", "", "Og=="),
            ("user", "a:b:c", "dXNlcjphOmI6Yw=="),
        ]
    )
    func basic(username: String, password: String, encoded: String) throws {
        #expect(try authorization(.basicAuth(username: username, password: password)) == "Basic \(encoded)")
    }

    @Test(
        "a colon in the user name makes the build throw, and the error tells no secret",
        arguments: [":", "a:b", "s3cret:", ":\u{301}a"]
    )
    func colon(username: String) {
        let error = #expect(throws: RequestError.self) {
            try authorization(.basicAuth(username: username, password: "s3cret"))
        }
        #expect(error?.code == .invalidCredentials)
        #expect(error?.culprit == "username")
        #expect(error.map { "\($0)".contains("s3cret") } == false)
    }

    @Test(
        "a token with a line break makes the build throw, and the error tells no secret",
        arguments: ["s3cret\r\nX: y", "s3\ncret", "s3cret\0"]
    )
    func lineBreak(token: String) {
        let error = #expect(throws: RequestError.self) { try authorization(.bearerToken(token)) }
        #expect(error?.code == .invalidFieldValue)
        #expect(error?.culprit == "Authorization")
        #expect(error.map { "\($0)".contains("s3") } == false)
    }

    @Test("an own provider runs at each build, and its error arrives as it is")
    func own() throws {
        struct Expired: Error, Equatable {}
        let calls = Recorder<Void>()
        let provider = AuthenticationProvider { header in
            calls.record()
            if calls.count > 2 { throw Expired() }
            header.set(.authorization("Own \(calls.count)"))
        }
        #expect(try authorization(provider) == "Own 1")
        #expect(try authorization(provider) == "Own 2")
        #expect(throws: Expired()) { try authorization(provider) }
    }

    @Test(
        "a provider is of the header, of the request or one that waits, as its closure is written",
        arguments: closures
    )
    func written(provider: Named<AuthenticationProvider>, beyond code: RequestError.Code?) throws {
        var header = Header.empty
        guard let code else { return try provider.value.update(&header) }
        let error = #expect(throws: RequestError.self) { try provider.value.update(&header) }
        #expect(error?.code == code)
    }

    @Test("a provider that signs the whole request, body and all, needs no client")
    func signing() async throws {
        let request = api.put(.text("hello"), to: "/notes").with(query: ["a": 1])
            .authenticated(with: .signing(Self.sign))
        let signed = "Signed PUT /notes?a=1 5 bytes text/plain; charset=utf-8"
        #expect(try request.prepared().header[.authorization] == signed)
        #expect(try PreparedRequest(request.toURLRequest()).header[.authorization] == signed)
        #expect(try request.curlCommand(revealingSecrets: true).contains(signed))
        #expect(try !request.curlCommand().contains("Signed"))
        let transport = StubTransport(routes: [.put("/notes", .reply(503), then: .reply(200))])
        var configuration = Client.Configuration()
        configuration.retries = .fixed(.zero, limit: 1)
        try await Client(transport: transport, configuration: configuration).send(request)
        #expect(transport.requests.map { $0.header[.authorization] } == [signed, signed])
    }

    /// Closures, and what keeps each from working on a header alone.
    private static let closures: [(Named<AuthenticationProvider>, RequestError.Code?)] = [
        (Named("header, with a name", AuthenticationProvider { header in header.set(.authorization("a")) }), nil),
        (Named("header, without a name", AuthenticationProvider { $0.set(.authorization("a")) }), nil),
        (Named("header, unused", AuthenticationProvider { _ in }), nil),
        (
            Named("signing, with a name", .signing { request in request.header.set(.authorization("a")) }),
            .authenticationBeyondHeader
        ),
        (Named("signing, without a name", .signing { $0.method = .put }), .authenticationBeyondHeader),
        (Named("signing, a function", .signing(sign)), .authenticationBeyondHeader),
        (Named("request, without a name", AuthenticationProvider { $0.method = .put }), .asynchronousAuthentication),
        (
            Named("request, unused", AuthenticationProvider { (_: inout PreparedRequest) in }),
            .asynchronousAuthentication
        ),
        (
            Named(
                "request, waiting in a statement",
                AuthenticationProvider { request in
                    request.header.set(.authorization(try await lateSignature(of: request)))
                }
            ), .asynchronousAuthentication
        ),
        (
            Named(
                "request, waiting in two statements",
                AuthenticationProvider { request in
                    let signature = try await lateSignature(of: request)
                    request.header.set(.authorization(signature))
                }
            ), .asynchronousAuthentication
        ),
        (
            Named("request, async and unused", AuthenticationProvider { (_: inout PreparedRequest) async in }),
            .asynchronousAuthentication
        ),
        (
            Named("request, an async function", AuthenticationProvider(authenticate: signLate)),
            .asynchronousAuthentication
        ),
    ]

    private static func signature(of request: PreparedRequest) throws -> String {
        "Signed \(request.method) \(request.url.target) \(request.body) \(request.header[.contentType] ?? "")"
    }

    private static func lateSignature(of request: PreparedRequest) async throws -> String {
        try signature(of: request)
    }

    @Sendable private static func sign(_ request: inout PreparedRequest) throws {
        request.header.set(.authorization(try signature(of: request)))
    }

    @Sendable private static func signLate(_ request: inout PreparedRequest) async throws { try sign(&request) }

    @Test("a provider that waits runs only in a client: every build without one throws")
    func asynchronous() throws {
        let calls = Recorder<Void>()
        let request = api.get(.data, from: "/").authenticated(
            with: AuthenticationProvider { (request: inout PreparedRequest) in
                calls.record()
                request.header.set(.authorization("late"))
            }
        )
        for build in [
            { _ = try request.prepared() }, { _ = try request.toURLRequest() }, { _ = try request.curlCommand() },
        ] {
            let error = #expect(throws: RequestError.self) { try build() }
            #expect(error?.code == .asynchronousAuthentication)
            #expect(error?.culprit == "authenticationProvider")
            #expect(error?.message.contains("Client") == true)
        }
        var header = Header.empty
        #expect(throws: RequestError.self) { try request.authenticationProvider.update(&header) }
        #expect(calls.count == 0)
        #expect(request.description == "GET https://api.example.com/", "printing does not authenticate")
    }

    @Test("printing a provider, or a request that has one, shows no credential")
    func printing() {
        let provider = AuthenticationProvider.basicAuth(username: "s3cret", password: "s3cret")
        let request = api.get(.data, from: "/").authenticated(with: provider)
        #expect(
            !"\(provider) \(String(reflecting: provider)) \(request) \(String(reflecting: request))".contains("s3cret")
        )
    }
}
