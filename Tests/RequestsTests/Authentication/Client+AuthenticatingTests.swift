import Requests
import RequestsClient
import RequestsTesting
import Testing

@Suite("A client's authentication", .timeLimit(.minutes(5)))
struct ClientAuthenticatingTests {
    private let api = BaseURL("https://a.example")

    /// Sends a request again once, whatever the response.
    private struct Again: AuthenticationFlow {
        var request: PreparedRequest?

        mutating func start(_ request: inout PreparedRequest) { self.request = request }

        mutating func next(after head: ResponseHead) -> AuthenticationProvider.Step {
            request.take().map { .sendAgain($0) } ?? .done
        }
    }

    @Test(
        "An error says that the server may have processed an earlier attempt, unless it returned 401",
        arguments: [(401, false), (200, true), (403, true)]
    )
    func processed(status: Int, mayHaveBeen: Bool) async {
        let transport = StubTransport(script: [.reply(status), .failure(.cannotConnect)])
        let error = await #expect(throws: TransportError.self) {
            try await Client(transport: transport)
                .send(api.delete("/").authenticated(with: AuthenticationProvider { Again() }))
        }
        #expect(error?.code == .cannotConnect)
        #expect(error?.requestMayHaveBeenProcessed == mayHaveBeen)
    }

    @Test("A provider that is combined with the inherited one keeps the client's authentication")
    func combinedWithInherited() async throws {
        let transport = StubTransport(script: [.reply(200)])
        var configuration = Client.Configuration()
        configuration.authenticate("https://a.example", with: .bearerToken("t"))
        let provider = AuthenticationProvider.combined(.inherited, .apiKey("k", inHeader: "X-Key"))
        try await Client(transport: transport, configuration: configuration)
            .send(api.delete("/").authenticated(with: provider))
        #expect(transport.requests[0].header["X-Key"] == "k")
        #expect(transport.requests[0].header[.authorization] == "Bearer t")
    }
}
