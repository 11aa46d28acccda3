import Requests
import RequestsClient
import RequestsTesting
import Testing

@Suite("Idempotency keys", .timeLimit(.minutes(5)))
struct IdempotencyKeyTests {
    private let api = BaseURL("https://a.example")

    /// Sends a request again if the status isn't 200.
    private struct Twice: Middleware {
        func intercept(
            _ request: PreparedRequest,
            context: CallContext,
            next: @escaping Next
        ) async throws -> Response<ResponseBody> {
            let response = try await next(request)
            return response.head.statusCode == 200 ? response : try await next(request)
        }
    }

    private func keys(_ request: Request<BaseURL, Void>, script: [StubTransport.Reply]) async throws -> [String?] {
        let stub = StubTransport(script: script)
        var configuration = Client.Configuration()
        configuration.retries = .fixed(.zero, limit: 1)
        configuration.middleware = [Twice()]
        _ = try? await Client(transport: stub, configuration: configuration).send(request)
        return stub.requests.map { $0.header[.idempotencyKey] }
    }

    @Test("One generated key goes with every attempt of a call, whoever repeats it")
    func attempts() async throws {
        let script: [StubTransport.Reply] = [.reply(503), .reply(503), .reply(503), .reply(200)]
        let keys = try await keys(api.post(.none, to: "/").idempotent(), script: script)
        #expect(keys.count == 4)
        #expect(Set(keys).count == 1)
        #expect((keys[0]?.count ?? 0) >= 32)
    }

    @Test("Each call has its own key")
    func calls() async throws {
        let request = api.post(.none, to: "/").idempotent()
        let first = try await keys(request, script: [.reply(200)])
        let second = try await keys(request, script: [.reply(200)])
        #expect(first != second)
        #expect(try request.prepared() == request.prepared(), "building a request creates no key")
    }

    @Test("A key of the request itself is kept")
    func own() async throws {
        let request = api.post(.none, to: "/").idempotent().setting("Idempotency-Key", "own")
        #expect(try await keys(request, script: [.reply(200)]) == ["own"])
    }

    @Test("Without a key, a POST isn't repeated")
    func without() async throws {
        let stub = StubTransport(script: [.reply(503), .reply(200)])
        var configuration = Client.Configuration()
        configuration.retries = .fixed(.zero, limit: 1)
        _ = try? await Client(transport: stub, configuration: configuration).send(api.post(.none, to: "/"))
        #expect(stub.requests.count == 1)
    }
}
