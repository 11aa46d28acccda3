#if FullFoundation
import Foundation
import RequestsTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Calls with a prepared request", .timeLimit(.minutes(5)))
struct ClientPreparedTests {
    @Test("A prepared request is sent unchanged under the client's policies")
    func response() async throws {
        let transport = StubTransport(script: [.reply(503), .reply(200, text: "ok")])
        var configuration = Client.Configuration()
        configuration.retries = .fixed(.zero)
        configuration.authenticate("https://a_b.example", with: .bearerToken("t"))
        let client = Client(transport: transport, configuration: configuration)
        let url = "https://a_b.example/a%2Fb/?q=%2B&q=1+1&flag#part"
        var built = try PreparedRequest(
            method: .put,
            url: RequestURL(url),
            header: [.contentType(.binary), Field(name: "X-A", value: "1"), Field(name: "x-a", value: "2")],
            body: .data(Data("body".utf8))
        )
        let response = try await client.response(for: built)
        #expect(response.content == Data("ok".utf8))
        built.header.add(.authorization("Bearer t"))
        #expect(transport.requests == [built, built])
        #expect(transport.requests.first?.url.text == url)
    }

    @Test("A prepared request made from a URLRequest is sent, and its secrets are redacted")
    func foundation() async throws {
        var urlRequest = URLRequest(url: URL("https://h/?token=s3cret"))
        urlRequest.httpMethod = "POST"
        urlRequest.httpBody = Data("body".utf8)
        let built = try PreparedRequest(urlRequest)
        let failures = Recorder<String>()
        var configuration = Client.Configuration()
        configuration.onFailure = { failures.record("\($0)") }
        let transport = StubTransport(script: [.reply(404)])
        let client = Client(transport: transport, configuration: configuration)
        let error = await #expect(throws: ResponseError.self) { try await client.response(for: built) }
        #expect(error?.code == .status)
        #expect(transport.requests.first?.body == built.body)
        #expect(failures.recorded.count == 1)
        #expect((failures.recorded + ["\(error as Any)"]).allSatisfy { !$0.contains("s3cret") })
    }

    @Test("A prepared request keeps what it was built with: no authentication, no redirects, its limits")
    func settings() async throws {
        let transport = StubTransport(script: [
            .reply(302, header: [Field(name: .location, value: "/b")]), .reply(200, text: "too long"),
        ])
        var configuration = Client.Configuration()
        configuration.authenticate("https://a.example", with: .bearerToken("t"))
        configuration.validation = .none
        let client = Client(transport: transport, configuration: configuration)
        let request = BaseURL("https://a.example").get(.none, from: "/a")
            .authenticated(with: .none).redirecting(.never)
        _ = try? await client.response(for: request.prepared())
        #expect(transport.requests.count == 1)
        #expect(transport.requests.allSatisfy { !$0.header.contains(.authorization) })
    }
}
#endif
