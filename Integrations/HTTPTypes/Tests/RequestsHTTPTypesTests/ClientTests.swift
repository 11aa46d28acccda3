import Foundation
import HTTPTypes
import RequestsHTTPTypes
import RequestsTesting
import Testing

@Suite("A client that sends HTTPRequests", .timeLimit(.minutes(5)))
struct ClientTests {
    private let request = HTTPRequest(
        method: .post,
        scheme: "https",
        authority: "a.example",
        path: "/p",
        headerFields: [.accept: "text/plain"]
    )

    private func client(_ replies: [StubTransport.Reply]) -> (Client, StubTransport) {
        let transport = StubTransport(script: replies)
        return (Client(transport: transport), transport)
    }

    @Test("sends the request with the body, and returns the response's body")
    func send() async throws {
        let (client, transport) = client([.reply(200, text: "hello")])
        let data = try await client.send(request, body: .data(Data("x".utf8)))
        #expect(String(decoding: data, as: UTF8.self) == "hello")
        let sent = try #require(transport.requests.first)
        #expect(sent.method == .post)
        #expect(sent.url.text == "https://a.example/p")
        #expect(sent.header["Accept"] == "text/plain")
        #expect(sent.body.data == Data("x".utf8))
    }

    @Test("returns the data and the HTTPResponse to code that takes a closure")
    func closure() async throws {
        let (client, _) = client([.reply(201, header: [Field(name: "X-A", value: "1")], text: "made")])
        let send: @Sendable (HTTPRequest) async throws -> (Data, HTTPResponse) = client.data(for:)
        let (data, response) = try await send(request)
        #expect(String(decoding: data, as: UTF8.self) == "made")
        #expect(response.status == .created)
        #expect(response.headerFields.map(\.name.rawName) == ["Content-Type", "X-A"])
    }

    @Test("sends a body with data(for:body:)")
    func dataWithBody() async throws {
        let (client, transport) = client([.reply(204)])
        let (_, response) = try await client.data(for: request, body: .data(Data("x".utf8)))
        #expect(response.status == .noContent)
        #expect(transport.requests.first?.body.data == Data("x".utf8))
    }

    @Test("applies its policies")
    func policies() async throws {
        let transport = StubTransport(script: [.redirect(307, to: "/q"), .reply(503), .reply(200, text: "at last")])
        var configuration = Client.Configuration()
        configuration.retries = .fixed(.zero, limit: 1)
        configuration.clock = TestClock(isImmediate: true)
        var request = request
        request.method = .get
        let (data, _) = try await Client(transport: transport, configuration: configuration).data(for: request)
        #expect(String(decoding: data, as: UTF8.self) == "at last")
        #expect(transport.requests.map(\.url.path) == ["/p", "/q", "/q"])
    }

    @Test("throws for a status that isn't accepted")
    func status() async throws {
        let (client, _) = client([.reply(404)])
        let error = await #expect(throws: ResponseError.self) { try await client.data(for: request) }
        #expect(error?.head.statusCode == 404)
    }

    @Test("sends nothing if the request can't be converted")
    func invalid() async throws {
        let (client, transport) = client([.reply(200)])
        var request = request
        request.path = "*"
        await #expect(throws: RequestError.self) { try await client.send(request) }
        #expect(transport.requests.isEmpty)
    }
}
