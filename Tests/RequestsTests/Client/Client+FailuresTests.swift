import Foundation
import Requests
import RequestsTesting
import Testing

@Suite("The failures of a client", .timeLimit(.minutes(5)))
struct ClientFailuresTests {
    private struct Own: Error, CustomStringConvertible {
        var description: String { "s3cret" }
    }

    private let api = AnonymousRequestProvider("https://a.example")
    private let told = Recorder<Client.Failure>()

    private func client(_ answer: @escaping @Sendable (PreparedRequest) throws -> Response<ResponseBody>) -> Client {
        var configuration = Client.Configuration()
        configuration.onFailure = { [told] in told.record($0) }
        return Client(transport: StubTransport { try answer($0) }, configuration: configuration)
    }

    @Test("are told once each, before the caller gets the error, whatever the error")
    func told() async throws {
        let client = client { request in
            if request.url.path == "/own" { throw Own() }
            return try .stub(request.url.path == "/ok" ? 200 : 404, for: request)
        }
        _ = await client.result(of: api.delete("/ok"))
        _ = await client.result(of: api.delete("/404"))
        #expect(told.count == 1)
        _ = await client.result(of: api.delete("/own"))
        _ = await client.result(of: api.delete("/.."))
        _ = try? await client.stream(api.get(.none, from: "/own"))
        #expect(
            told.recorded.map(\.description) == [
                "DELETE https://a.example/404: status: https://a.example/404 answered 404 (0 bytes)",
                "DELETE https://a.example/own: Own", told.recorded[2].description, "GET https://a.example/own: Own",
            ]
        )
        #expect(told.recorded[2].error is InvalidRequestURLError)
    }

    @Test("are not those that are cancelled")
    func cancelled() async {
        let client = client { _ in throw CancellationError() }
        _ = await client.result(of: api.delete("/"))
        #expect(told.count == 0)
    }

    @Test("are a sequence for each who listens, from then on, until the client is gone")
    func sequence() async throws {
        var client: Client? = client { try .stub(404, for: $0) }
        let first = try #require(client).failures
        let second = try #require(client).failures
        for number in 0..<3 { _ = await client?.result(of: api.delete("/\(number)")) }
        let third = try #require(client).failures
        client = nil
        var counts: [Int] = []
        for failures in [first, second, third] {
            var count = 0
            for await failure in failures {
                #expect(failure.request.description == "DELETE https://a.example/\(count)")
                count += 1
            }
            counts.append(count)
        }
        #expect(counts == [3, 3, 0])
    }

    @Test("of copies arrive too, and the last 100 wait for a slow listener")
    func buffer() async throws {
        var client: Client? = client { try .stub(404, for: $0) }
        let failures = try #require(client).failures
        var copy = client
        copy?.configuration.onFailure = nil
        for number in 0..<120 { _ = await copy?.result(of: api.delete("/\(number)")) }
        (client, copy) = (nil, nil)
        let requests = await failures.reduce(into: []) { $0.append($1.request.endpoint) }
        #expect(requests.count == 100)
        #expect(requests.first == "/20")
        #expect(told.count == 0)
    }

    @Test("are not kept for one who listens no more")
    func ended() async throws {
        let client = client { try .stub(404, for: $0) }
        let listening = Task { [failures = client.failures] in
            for await _ in failures { return }
        }
        _ = await client.result(of: api.delete("/"))
        await listening.value
        _ = await client.result(of: api.delete("/"))
        #expect(told.count == 2)
    }
}
