import Foundation
import Requests
import RequestsTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("An API's key, and providers together", .timeLimit(.minutes(5)))
struct AuthenticationProviderStandardTests {
    private let api = AnonymousRequestProvider("https://h")
    private let sent = Recorder<PreparedRequest>()

    /// Answers with these statuses, one after the other.
    private func client(_ statuses: Int...) -> Client {
        Client(
            transport: StubTransport { [sent] request in
                sent.record(request)
                return try .stub(statuses[min(sent.count, statuses.count) - 1], for: request)
            }
        )
    }

    @Test("a key in a field is hidden, whatever the field is called")
    func headerKey() throws {
        let request = api.get(.none, from: "/").authenticated(with: .apiKey("c4nary", in: .header("X-Weather")))
        #expect(try request.prepared().header[values: "X-Weather"] == ["c4nary"])
        #expect(try request.toURLRequest().value(forHTTPHeaderField: "X-Weather") == "c4nary")
        #expect(try !request.curlCommand().contains("c4nary"))
    }

    @Test(
        "a key in the query replaces what is there, and is hidden, whatever the item is called",
        arguments: [
            ("https://h/a", "https://h/a?appid=c4n%2Bary"), ("https://h/a?", "https://h/a?appid=c4n%2Bary"),
            ("https://h/a?b=c#d", "https://h/a?b=c&appid=c4n%2Bary"),
            ("https://h?appid=1&b=&appid&appid=2", "https://h?b=&appid=c4n%2Bary"),
            ("https://h/?a%70pid=1", "https://h/?appid=c4n%2Bary"),
        ]
    )
    func queryKey(base: String, expected: String) throws {
        let api = AnonymousRequestProvider(baseURL: try #require(URL(string: base)))
        let request = api.get(.none, from: "").authenticated(with: .apiKey("c4n+ary", in: .query("appid")))
        let url = try request.prepared().url
        #expect(url.text == expected)
        #expect(url == (try RequestURL(expected)))
        #expect(try RequestURL(url.text).target == url.target)
        let printed = try [url.description, request.curlCommand(), request.prepared().httpMessage(), "\(request)"]
        #expect(printed.filter { $0.contains("c4n") } == [])
        #expect(url.description.contains("appid=<redacted>"))
    }

    @Test("a key in the query cannot be put into a header alone")
    func headerOfQueryKey() {
        var header = Header.empty
        let error = #expect(throws: RequestError.self) {
            try AuthenticationProvider.apiKey("k", in: .query("appid")).update(&header)
        }
        #expect(error?.code == .authenticationBeyondHeader)
    }

    @Test("a key in the query is there once for each attempt, and not at another origin")
    func attempts() async throws {
        var client = client(503, 200)
        client.configuration.retries = .fixed(.zero)
        let request = api.get(.none, from: "/").authenticated(with: .apiKey("k", in: .query("appid")))
        try await client.send(request)
        #expect(sent.recorded.map(\.url.target) == ["/?appid=k", "/?appid=k"])
    }

    @Test("query items can be marked as secrets")
    func marked() throws {
        var request = api.get(.none, from: "/").with(query: ["who": "c4nary", "what": "x"])
        request.options.sensitiveQueryNames = ["who"]
        #expect(try request.prepared().url.description == "https://h/?who=<redacted>&what=x")
        #expect(try request.prepared().url.text == "https://h/?who=c4nary&what=x")
        #expect(!"\(request)".contains("c4nary"))
    }

    @Test("providers of a header are one that needs no client")
    func combinedNow() throws {
        let both = AuthenticationProvider.combined(.bearerToken("t"), .apiKey("k", in: .header("X-Key")))
        var header = Header.empty
        try both.update(&header)
        #expect(header.map(\.value) == ["Bearer t", "k"])
        let withQuery = AuthenticationProvider.combined(.bearerToken("t"), .apiKey("k", in: .query("key")))
        let prepared = try api.get(.none, from: "/").authenticated(with: withQuery).prepared()
        #expect(prepared.url.target == "/?key=k")
        #expect(prepared.header[.authorization] == "Bearer t")
    }

    @Test("a provider that waits makes all of them wait")
    func combinedLater() async throws {
        let token = AuthenticationProvider { (request: inout PreparedRequest) async throws in
            await Task.yield()
            request.header.set(.authorization("Bearer \(request.url.path)"))
        }
        let request = api.get(.none, from: "/a")
            .authenticated(with: .combined(.apiKey("k", in: .query("key")), token))
        #expect(throws: RequestError.self) { try request.prepared() }
        try await client(200).send(request)
        #expect(sent.recorded.map(\.url.target) == ["/a?key=k"])
        #expect(sent.recorded.first?.header[.authorization] == "Bearer /a")
    }

    @Test("what signs a request signs what the others put in its URL", arguments: [0, 1, 2])
    func combinedDigest(order: Int) async throws {
        let (digest, key) = (
            AuthenticationProvider.digest(username: "ada", password: "p"),
            AuthenticationProvider.apiKey("k", in: .query("appid"))
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
                    .combined(.combined(digest, .apiKey("x", in: .header("X-Key"))), key),
                ][order]
            )
        let client = Client(transport: transport)
        for _ in 0..<2 { try await client.send(request) }
        #expect(sent.recorded.map(\.url.target) == ["/a?appid=k", "/a?appid=k", "/a?appid=k"])
        let fields = sent.recorded.compactMap { $0.header[.authorization] }
        #expect(fields.count == 2)
        #expect(fields.allSatisfy { $0.contains(#"uri="/a?appid=k""#) })
    }

    @Test("what answers a challenge does so with the others' credentials")
    func combinedFlow() async throws {
        struct Answering: AuthenticationFlow {
            var request: PreparedRequest?

            mutating func start(_ request: inout PreparedRequest) { self.request = request }

            mutating func next(after head: ResponseHead) -> AuthenticationStep {
                guard head.statusCode == 401, var again = request else { return .done }
                again.header.set(Field(name: "X-Answer", value: "yes"))
                return .sendAgain(again)
            }
        }
        let request = api.get(.none, from: "/").authenticated(
            with: .combined(AuthenticationProvider { Answering() }, .apiKey("k", in: .header("X-Key")))
        )
        try await client(401, 200).send(request)
        #expect(
            sent.recorded.map { $0.header.dictionaryValue } == [["X-Key": "k"], ["X-Answer": "yes", "X-Key": "k"]]
        )
    }
}
