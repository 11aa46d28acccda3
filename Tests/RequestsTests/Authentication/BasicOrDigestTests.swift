import RequestsTesting
import Testing

@Suite("Basic or digest credentials", .timeLimit(.minutes(5)))
struct BasicOrDigestTests {
    private static let digest = #"Digest realm="r", nonce="n", qop="auth""#
    private static let basic = #"Basic realm="r""#

    private let api = BaseURL("https://a.example")
    private let sent = Recorder<String>()

    private func client(username: String = "ada", challenges: [String]) -> Client {
        var client = Client(
            transport: StubTransport { [sent] request in
                let credentials = request.header[.authorization]
                sent.record(String((credentials ?? "none").prefix(22)))
                let isAccepted = credentials != nil && !challenges.isEmpty && !challenges.contains("")
                let header = Header(challenges.map { Field(name: .wwwAuthenticate, value: $0) })
                return try .stub(isAccepted ? 200 : 401, header: header, for: request)
            }
        )
        client.configuration.authenticate(
            "https://a.example",
            with: .basicOrDigest(username: username, password: "s3cret") { "c" }
        )
        return client
    }

    @Test(
        "Credentials use the strongest scheme that the server offers",
        arguments: [([basic, digest], "Digest"), ([digest, basic], "Digest"), ([basic], "Basic YWRhOnMzY3JldA==")]
    )
    func strongest(challenges: [String], credentials: String) async throws {
        let client = client(challenges: challenges)
        for _ in 0..<2 { try await client.send(api.delete("/")) }
        // The second request has them from the start.
        #expect(sent.recorded.map { $0.prefix(credentials.count) } == ["none", credentials[...], credentials[...]])
    }

    @Test("Credentials aren't sent for another scheme")
    func otherScheme() async throws {
        let status = try await client(challenges: ["Bearer"]).stream(api.delete("/")).head.statusCode
        #expect(status == 401)
        #expect(sent.recorded == ["none"])
    }

    @Test("Wrong credentials are sent only once")
    func wrong() async throws {
        let client = client(challenges: [Self.basic, ""])
        for _ in 0..<2 {
            #expect(try await client.stream(api.delete("/")).head.statusCode == 401)
        }
        #expect(sent.recorded == ["none", "Basic YWRhOnMzY3JldA==", "none", "Basic YWRhOnMzY3JldA=="])
    }

    @Test("with a colon in the user name are an error if the server asks for basic credentials")
    func colon() async throws {
        let error = await #expect(throws: RequestError.self) {
            try await client(username: "a:b", challenges: [Self.basic]).send(api.delete("/"))
        }
        #expect(error?.code == .invalidCredentials)
    }
}
