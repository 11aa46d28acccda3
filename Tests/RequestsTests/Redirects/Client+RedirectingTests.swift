import Foundation
import Requests
import RequestsClient
import RequestsTesting
import Testing

@Suite("Redirects of a client", .timeLimit(.minutes(5)))
struct ClientRedirectingTests {
    private let api = BaseURL("https://a.example")
    private let sent = Recorder<PreparedRequest>()

    /// Responds to paths with redirects to others, and with the path if there is none.
    private func client(
        _ locations: [String: String],
        status: Int = 302,
        configure: (inout Client.Configuration) -> Void = { _ in }
    ) -> Client {
        var configuration = Client.Configuration()
        configure(&configuration)
        let transport = StubTransport { [sent] request in
            sent.record(request)
            guard let location = locations[request.url.text] else {
                return try .stub(200, body: Data(request.url.path.utf8), for: request)
            }
            return try .stub(status, header: [Field(name: .location, value: location)], for: request)
        }
        return Client(transport: transport, configuration: configuration)
    }

    @Test("The caller gets the last response with the heads of the others")
    func follows() async throws {
        let client = client(["https://a.example/1": "/2", "https://a.example/2": "https://b.example/3"])
        let response = try await client.response(for: api.get(.text, from: "/1"))
        #expect(response.content == "/3")
        #expect(response.head.url.text == "https://b.example/3")
        #expect(response.history.map(\.url.text) == ["https://a.example/1", "https://a.example/2"])
        #expect(response.history.map(\.statusCode) == [302, 302])
    }

    @Test("Credentials are never restored after a redirect to another origin")
    func credentials() async throws {
        let client = client([
            "https://a.example/1": "/2", "https://a.example/2": "https://b.example/3",
            "https://b.example/3": "https://a.example/4",
        ]) {
            $0.header = [Field(name: "x-api-key", value: "k")]
            $0.authenticate("https://a.example", with: .bearerToken("client"))
        }
        for provider in [AuthenticationProvider.inherited, .bearerToken("t"), .asynchronous] {
            let request = api.get(.text, from: "/1").authenticated(with: provider)
                .adding(headerFields: [Field(name: "cookie", value: "c"), Field(name: "X-Own", value: "o").sensitive()])
            _ = try await client.send(request)
        }
        let names: [Field.Name] = [.authorization, .cookie, "X-Own", "X-Api-Key"]
        let kept = sent.recorded.map { request in names.filter { request.header.contains($0) } }
        #expect(kept == Array(repeating: [names, names, [], []], count: 3).flatMap { $0 })
    }

    @Test("The client and the request can turn off redirects, and the request wins")
    func switches() async throws {
        let locations = ["https://a.example/1": "/2"]
        let never = client(locations) { $0.redirects = .never }
        #expect(try await never.stream(api.get(.text, from: "/1")).head.statusCode == 302)
        #expect(try await never.send(api.get(.text, from: "/1").redirecting(.follow())) == "/2")
        let error = await #expect(throws: ResponseError.self) {
            try await client(locations).send(api.get(.text, from: "/1").redirecting(.never))
        }
        #expect(error?.head.statusCode == 302)
    }

    @Test("An error of the policy is thrown, and the connection is freed")
    func stops() async throws {
        let canceled = Recorder<Void>()
        let transport = StubTransport { request in
            let body = ResponseBody(AsyncStream<Data> { _ in }, onCancel: { canceled.record() })
            let header: Header = [Field(name: .location, value: "http://a.example")]
            return Response(head: try ResponseHead(statusCode: 301, header: header, url: request.url), content: body)
        }
        let error = await #expect(throws: ClientError.self) {
            try await Client(transport: transport).send(api.delete("/"))
        }
        #expect(error?.code == .refusedDowngrade)
        #expect(canceled.count == 1)
    }

    @Test(
        "Up to 64 KiB of a redirect's body are read to reuse the connection, and a larger body is canceled",
        arguments: [(64 << 10, 0), (64 << 10 + 1, 1)]
    )
    func drains(count: Int, cancellations: Int) async throws {
        let canceled = Recorder<Void>()
        let transport = StubTransport { request in
            guard request.url.path == "/1" else { return try .stub(200, for: request) }
            let body = AsyncStream<Data> { continuation in
                continuation.yield(Data(count: 1))
                continuation.yield(Data(count: count - 1))
                continuation.finish()
            }
            let header: Header = [Field(name: .location, value: "/2")]
            return Response(
                head: try ResponseHead(statusCode: 301, header: header, url: request.url),
                content: ResponseBody(body, onCancel: { canceled.record() })
            )
        }
        var configuration = Client.Configuration()
        configuration.drainingClock = TestClock()
        try await Client(transport: transport, configuration: configuration).send(api.get(.none, from: "/1"))
        #expect(canceled.count == cancellations)
    }

    @Test("An error at the last location is rethrown")
    func failure() async {
        let transport = StubTransport { request in
            guard request.url.path == "/1" else { throw TransportError(code: .closed, message: "", phase: .sending) }
            return try .stub(301, header: [Field(name: .location, value: "/2")], for: request)
        }
        let error = await #expect(throws: TransportError.self) {
            try await Client(transport: transport).send(api.get(.none, from: "/1"))
        }
        #expect(error?.code == .closed)
    }

    @Test("An error after a redirect says that the server may have processed the request")
    func processed() async {
        let redirect = StubTransport.Reply.reply(303, header: [Field(name: .location, value: "/2")])
        let transport = StubTransport(script: [redirect, .failure(.cannotConnect)])
        let error = await #expect(throws: TransportError.self) {
            try await Client(transport: transport).send(api.post(.text("x"), to: "/1"))
        }
        #expect(error?.code == .cannotConnect)
        #expect(error?.requestMayHaveBeenProcessed == true)
    }
}

extension AuthenticationProvider {
    fileprivate static let asynchronous = AuthenticationProvider.asynchronous { request in
        request.header.set(.authorization("a"))
    }
}
