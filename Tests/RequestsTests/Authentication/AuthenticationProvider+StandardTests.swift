#if FullFoundation
import Foundation
import RequestsTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("API keys and combined providers", .timeLimit(.minutes(5)))
struct AuthenticationProviderStandardTests {
    private let api = BaseURL("https://h")
    private let sent = Recorder<PreparedRequest>()

    /// Responds with these statuses, one after the other.
    private func client(_ statuses: Int...) -> Client {
        Client(
            transport: StubTransport { [sent] request in
                sent.record(request)
                return try .stub(statuses[min(sent.count, statuses.count) - 1], for: request)
            }
        )
    }

    @Test("An API key in a header field is redacted, whatever the field's name")
    func headerKey() throws {
        let request = api.get(.none, from: "/").authenticated(with: .apiKey("c4nary", inHeader: "X-Weather"))
        #expect(try request.prepared().header[values: "X-Weather"] == ["c4nary"])
        #expect(try request.toURLRequest().value(forHTTPHeaderField: "X-Weather") == "c4nary")
        #expect(try !request.curlCommand().contains("c4nary"))
    }

    @Test(
        "An API key in the query replaces the existing item and is redacted, whatever its name",
        arguments: [
            ("https://h/a", "https://h/a?appid=c4n%2Bary"), ("https://h/a?", "https://h/a?appid=c4n%2Bary"),
            ("https://h/a?b=c#d", "https://h/a?b=c&appid=c4n%2Bary"),
            ("https://h?appid=1&b=&appid&appid=2", "https://h?b=&appid=c4n%2Bary"),
            ("https://h/?a%70pid=1", "https://h/?appid=c4n%2Bary"),
        ]
    )
    func queryKey(base: String, expected: String) throws {
        let api = BaseURL(baseURL: try #require(URL(string: base)))
        let request = api.get(.none, from: "").authenticated(with: .apiKey("c4n+ary", inQuery: "appid"))
        let url = try request.prepared().url
        #expect(url.text == expected)
        #expect(url == (try RequestURL(expected)))
        #expect(try RequestURL(url.text).target == url.target)
        let printed = try [url.description, request.curlCommand(), request.prepared().httpMessage(), "\(request)"]
        #expect(printed.filter { $0.contains("c4n") } == [])
        #expect(url.description.contains("appid=REDACTED"))
    }

    @Test("An API key in the query is added once per attempt and not at another origin")
    func attempts() async throws {
        var client = client(503, 200)
        client.configuration.retries = .fixed(.zero)
        let request = api.get(.none, from: "/").authenticated(with: .apiKey("k", inQuery: "appid"))
        try await client.send(request)
        #expect(sent.recorded.map(\.url.target) == ["/?appid=k", "/?appid=k"])
    }

    @Test("Query items can be marked as secrets")
    func marked() throws {
        var request = api.get(.none, from: "/").with(query: ["who": "c4nary", "what": "x"])
        request.options.sensitiveQueryNames = ["who"]
        #expect(try request.prepared().url.description == "https://h/?who=REDACTED&what=x")
        #expect(try request.prepared().url.text == "https://h/?who=c4nary&what=x")
        #expect(!"\(request)".contains("c4nary"))
    }

    @Test("Combined synchronous providers work without a client")
    func combinedNow() throws {
        let both = AuthenticationProvider.combined(.bearerToken("t"), .apiKey("k", inHeader: "X-Key"))
        let withHeader = try api.get(.none, from: "/").authenticated(with: both).prepared()
        #expect(withHeader.header.map(\.value) == ["Bearer t", "k"])
        let withQuery = AuthenticationProvider.combined(.bearerToken("t"), .apiKey("k", inQuery: "key"))
        let prepared = try api.get(.none, from: "/").authenticated(with: withQuery).prepared()
        #expect(prepared.url.target == "/?key=k")
        #expect(prepared.header[.authorization] == "Bearer t")
    }

    @Test("A combined provider is asynchronous if one of its providers is")
    func combinedLater() async throws {
        let token = AuthenticationProvider.asynchronous { request in
            await Task.yield()
            request.header.set(.authorization("Bearer \(request.url.path)"))
        }
        let request = api.get(.none, from: "/a")
            .authenticated(with: .combined(.apiKey("k", inQuery: "key"), token))
        #expect(throws: RequestError.self) { try request.prepared() }
        try await client(200).send(request)
        #expect(sent.recorded.map(\.url.target) == ["/a?key=k"])
        #expect(sent.recorded.first?.header[.authorization] == "Bearer /a")
    }

    @Test("A signing provider sees what the other providers add to the URL", arguments: [0, 1, 2])
    func combinedDigest(order: Int) async throws {
        let (digest, key) = (
            AuthenticationProvider.digest(username: "ada", password: "p"),
            AuthenticationProvider.apiKey("k", inQuery: "appid")
        )
        let sent = Recorder<PreparedRequest>()
        let transport = StubTransport { request in
            sent.record(request)
            let challenge = Field(name: .wwwAuthenticate, value: #"Digest realm="r", nonce="n", qop="auth""#)
            return try .stub(request.header.contains(.authorization) ? 200 : 401, header: [challenge], for: request)
        }
        let request = api.get(.none, from: "/a")
            .authenticated(
                with: [
                    .combined(digest, key), .combined(key, digest),
                    .combined(.combined(digest, .apiKey("x", inHeader: "X-Key")), key),
                ][order]
            )
        let client = Client(transport: transport)
        for _ in 0..<2 { try await client.send(request) }
        #expect(sent.recorded.map(\.url.target) == ["/a?appid=k", "/a?appid=k", "/a?appid=k"])
        let fields = sent.recorded.compactMap { $0.header[.authorization] }
        #expect(fields.count == 2)
        #expect(fields.allSatisfy { $0.contains(#"uri="/a?appid=k""#) })
    }

    @Test("A provider that responds to a challenge keeps the credentials of the others")
    func combinedFlow() async throws {
        struct Responding: AuthenticationFlow {
            var request: PreparedRequest?

            mutating func start(_ request: inout PreparedRequest) { self.request = request }

            mutating func next(after head: ResponseHead) -> AuthenticationProvider.Step {
                guard head.statusCode == 401, var again = request else { return .done }
                again.header.set(Field(name: "X-Answer", value: "yes"))
                return .sendAgain(again)
            }
        }
        let request = api.get(.none, from: "/").authenticated(
            with: .combined(AuthenticationProvider { Responding() }, .apiKey("k", inHeader: "X-Key"))
        )
        try await client(401, 200).send(request)
        #expect(
            sent.recorded.map { $0.header.dictionaryValue } == [["X-Key": "k"], ["X-Answer": "yes", "X-Key": "k"]]
        )
    }

    @Test(
        "a bearer token that is empty, padded or has a control character throws, without showing it",
        arguments: ["", "\n", " s3", "s3 ", "\ts3", "s3\n", "s\t3", "s\03", "s\u{1F}3", "s3\u{7F}", "s3\r\nX: y"]
    )
    func invalidToken(token: String) {
        let api = BaseURL("https://a.example")
        let error = #expect(throws: RequestError.self) {
            try api.get(.none, from: "/").authenticated(with: .bearerToken(token)).prepared()
        }
        #expect(error?.code == .invalidCredentials)
        #expect(error?.subject == "token")
        #expect(token.isEmpty || error?.message.contains(token) == false)
    }

    @Test(
        "a bearer token may contain every character that a field value may",
        arguments: [
            "a", "aZ09-._~+/==", "eyJhbGciOiJub25lIn0.e30.", "5|abcDEF", "perm:cm9vdA==.92-1", "a,b;c", "=", "a=b",
            "a\"b\\c", "{a}<b>[c]^`'", "!#$%&*?@()", "a b", "tökén",
        ]
    )
    func validToken(token: String) throws {
        let api = BaseURL("https://a.example")
        let request = try api.get(.none, from: "/").authenticated(with: .bearerToken(token)).prepared()
        #expect(request.header[.authorization] == "Bearer \(token)")
    }

    @Test("a user name or password with a control character throws", arguments: ["\0", "\t", "\n", "\u{7F}"])
    func controlCharacters(character: String) {
        let api = BaseURL("https://a.example")
        for (name, password, subject) in [("u", "p" + character, "password"), ("u" + character, "p", "username")] {
            let error = #expect(throws: RequestError.self) {
                try api.get(.none, from: "/").authenticated(with: .basicAuth(username: name, password: password))
                    .prepared()
            }
            #expect(error?.code == .invalidCredentials)
            #expect(error?.subject == subject)
        }
    }
}
#endif
