#if FullFoundation
import RequestsTestSupport
import RequestsTesting
import Testing

@Suite("Authentication providers", .timeLimit(.minutes(5)))
struct AuthenticationProviderTests {
    private let api = BaseURL("https://api.example.com")

    private func authorization(_ provider: AuthenticationProvider) throws -> String? {
        try api.get(.data, from: "/").authenticated(with: provider).prepared().header[.authorization]
    }

    @Test("`.none` doesn't change the request")
    func none() throws {
        let header: Header = [.accept(.json), .authorization("own")]
        #expect(
            try api.get(.data, from: "/").with(header: header).authenticated(with: .none).prepared().header == header
        )
    }

    @Test("`.bearerToken` sets Authorization and replaces an earlier value")
    func bearer() throws {
        #expect(try authorization(.bearerToken("abc.def-_~+/=")) == "Bearer abc.def-_~+/=")
        let request = api.get(.data, from: "/").adding(headerFields: [.authorization("a"), .authorization("b")])
        #expect(try request.authenticated(with: .bearerToken("t")).prepared().header == [.authorization("Bearer t")])
    }

    @Test(
        "`.basicAuth` encodes the user name and password as Base64 of UTF-8",
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
        "A colon in the user name throws when the request is built, without revealing secrets",
        arguments: [":", "a:b", "s3cret:", ":\u{301}a"]
    )
    func colon(username: String) {
        let error = #expect(throws: RequestError.self) {
            try authorization(.basicAuth(username: username, password: "s3cret"))
        }
        #expect(error?.code == .invalidCredentials)
        #expect(error?.subject == "username")
        #expect(error.map { "\($0)".contains("s3cret") } == false)
    }

    @Test("A custom provider runs for each build and its error is rethrown")
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
        "A provider needs a client only if it is asynchronous",
        arguments: providers
    )
    func needsClient(provider: Named<AuthenticationProvider>, code: RequestError.Code?) async throws {
        var request = try PreparedRequest(url: RequestURL("https://h/"))
        if let code {
            let error = #expect(throws: RequestError.self) { try provider.value.apply(to: &request) }
            #expect(error?.code == code)
        } else {
            try provider.value.apply(to: &request)
        }
        var flow = provider.value.makeFlow()
        try await flow.start(&request)
    }

    @Test("A provider that signs the whole request doesn't need a client")
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

    /// Providers, and the error of applying them without a client.
    private static let providers: [(Named<AuthenticationProvider>, RequestError.Code?)] = [
        (Named("inherited", .inherited), nil),
        (Named("none", .none), nil),
        (Named("header", AuthenticationProvider { header in header.set(.authorization("a")) }), nil),
        (Named("header, unnamed", AuthenticationProvider { $0.set(.authorization("a")) }), nil),
        (Named("signing", .signing { request in request.header.set(.authorization("a")) }), nil),
        (Named("signing, a function", .signing(sign)), nil),
        (Named("digest", .digest(username: "u", password: "p")), .asynchronousAuthentication),
        (Named("asynchronous", .asynchronous { $0.method = .put }), .asynchronousAuthentication),
        (Named("asynchronous, a function", .asynchronous(signLate)), .asynchronousAuthentication),
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

    @Test("Building a request with an asynchronous provider throws without a client")
    func asynchronous() throws {
        let calls = Recorder<Void>()
        let request = api.get(.data, from: "/").authenticated(
            with: AuthenticationProvider.asynchronous { request in
                calls.record()
                request.header.set(.authorization("late"))
            }
        )
        for build in [
            { _ = try request.prepared() }, { _ = try request.toURLRequest() }, { _ = try request.curlCommand() },
        ] {
            let error = #expect(throws: RequestError.self) { try build() }
            #expect(error?.code == .asynchronousAuthentication)
            #expect(error?.subject == "authenticationProvider")
            #expect(error?.message.contains("Client") == true)
        }
        #expect(calls.count == 0)
        #expect(request.description == "GET https://api.example.com/", "printing does not authenticate")
    }

    @Test("Printing a provider or its request doesn't reveal credentials")
    func printing() {
        let provider = AuthenticationProvider.basicAuth(username: "s3cret", password: "s3cret")
        let request = api.get(.data, from: "/").authenticated(with: provider)
        #expect(
            !"\(provider) \(String(reflecting: provider)) \(request) \(String(reflecting: request))".contains("s3cret")
        )
    }
}
#endif
