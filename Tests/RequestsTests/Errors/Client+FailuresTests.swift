import RequestsTesting
import Testing

@Suite("Failures of a client", .timeLimit(.minutes(5)))
struct ClientFailuresTests {
    private struct Own: Error, CustomStringConvertible {
        var description: String { "s3cret" }
    }

    private let api = BaseURL("https://a.example")
    private let reported = Recorder<Client.Failure>()

    private func client(_ respond: @escaping @Sendable (PreparedRequest) throws -> Response<ResponseBody>) -> Client {
        var configuration = Client.Configuration()
        configuration.onFailure = { [reported] in reported.record($0) }
        return Client(transport: StubTransport { try respond($0) }, configuration: configuration)
    }

    @Test("A failure is reported once, before the caller gets the error")
    func reported() async throws {
        let client = client { request in
            if request.url.path == "/own" { throw Own() }
            return try .stub(request.url.path == "/ok" ? 200 : 404, for: request)
        }
        _ = await client.result(of: api.delete("/ok"))
        _ = await client.result(of: api.delete("/404"))
        #expect(reported.count == 1)
        _ = await client.result(of: api.delete("/own"))
        _ = await client.result(of: api.delete("/.."))
        _ = try? await client.stream(api.get(.none, from: "/own"))
        #expect(
            reported.recorded.map(\.description) == [
                "DELETE https://a.example/404: status: DELETE https://a.example/404 returned 404 (0 bytes).",
                "DELETE https://a.example/own: Own", reported.recorded[2].description, "GET https://a.example/own: Own",
            ]
        )
        #expect(reported.recorded[2].error is RequestError)
    }

    @Test("A canceled call isn't a failure")
    func canceled() async {
        let client = client { _ in throw CancellationError() }
        _ = await client.result(of: api.delete("/"))
        #expect(reported.count == 0)
    }

    @Test("Each listener gets the failures from then on, until the client is dropped")
    func sequence() async throws {
        var client: Client? = client { try .stub(404, for: $0) }
        let first = try #require(client).failures()
        let second = try #require(client).failures()
        for number in 0..<3 { _ = await client?.result(of: api.delete("/\(number)")) }
        let third = try #require(client).failures()
        client = nil
        var counts: [Int] = []
        for failures in [first, second, third] {
            var count = 0
            for await failure in failures {
                #expect(failure.request?.description == "DELETE https://a.example/\(count)")
                count += 1
            }
            counts.append(count)
        }
        #expect(counts == [3, 3, 0])
    }

    @Test("Failures of copies are reported, and the last 100 are kept for a slow listener")
    func buffer() async throws {
        var client: Client? = client { try .stub(404, for: $0) }
        let failures = try #require(client).failures()
        var copy = client
        copy?.configuration.onFailure = nil
        for number in 0..<120 { _ = await copy?.result(of: api.delete("/\(number)")) }
        (client, copy) = (nil, nil)
        let requests = await failures.reduce(into: []) { $0.append($1.request?.url.path) }
        #expect(requests.count == 100)
        #expect(requests.first == "/20")
        #expect(reported.count == 0)
    }

    @Test("Failures aren't kept for a listener that has ended")
    func ended() async throws {
        let client = client { try .stub(404, for: $0) }
        let listening = Task { [failures = client.failures()] in
            for await _ in failures { return }
        }
        _ = await client.result(of: api.delete("/"))
        await listening.value
        _ = await client.result(of: api.delete("/"))
        #expect(reported.count == 2)
    }
}
