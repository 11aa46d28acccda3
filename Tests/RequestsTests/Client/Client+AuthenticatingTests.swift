import Requests
import RequestsTesting
import Testing

@Suite("A client that answers challenges", .timeLimit(.minutes(5)))
struct ClientAuthenticatingTests {
    private let api = AnonymousRequestProvider("https://a.example")

    /// Sends a request again, once, whatever the answer.
    private struct Again: AuthenticationFlow {
        var request: PreparedRequest?

        mutating func start(_ request: inout PreparedRequest) { self.request = request }

        mutating func next(after head: ResponseHead) -> AuthenticationStep {
            request.take().map { .sendAgain($0) } ?? .done
        }
    }

    @Test(
        "learns from an error that the server may have acted before, unless that refused the request",
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
}
