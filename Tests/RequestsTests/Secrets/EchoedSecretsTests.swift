import RequestsTesting
import Testing

@Suite("Query secrets that a server repeats", .timeLimit(.minutes(5)))
struct EchoedSecretsTests {
    private let api = BaseURL("https://a.example")
    private let events = Recorder<LogDestination.Event>()

    /// Responds with heads that don't know the request's secrets, as Foundation does.
    private func client(_ respond: @escaping @Sendable (PreparedRequest) throws -> (Int, Header)) -> Client {
        var configuration = Client.Configuration()
        configuration.log = LogDestination { [events] in events.record($0) }
        let transport = StubTransport { request in
            let (status, header) = try respond(request)
            let head = try ResponseHead(statusCode: status, header: header, url: RequestURL(request.url.text))
            return Response(head: head, content: ResponseBody(Data()))
        }
        return Client(transport: transport, configuration: configuration)
    }

    private var request: Request<BaseURL, Void> {
        api.get(.none, from: "/data").authenticated(with: .apiKey("c4nary", inQuery: "appid"))
    }

    private var log: String { events.recorded.map { "\($0)" }.joined(separator: "\n") }

    @Test(
        "A secret is redacted in redirects that are rejected or followed",
        arguments: ["http://a.example/x?appid=c4nary", "https://b.example/x?appid=c4nary"]
    )
    func redirects(location: String) async throws {
        let client = client { request in
            request.url.path == "/data" ? (302, [Field(name: .location, value: location)]) : (404, [])
        }
        let error = await #expect(throws: (any Error).self) { try await client.send(request) }
        #expect(error.map { "\($0)" }?.contains("appid=REDACTED") == true)
        #expect(!"\(String(describing: error)) \(log)".contains("c4nary"))
    }

    @Test("A secret is redacted in the URL of the next page")
    func pages() async throws {
        let link = Field(name: "Link", value: "</data?appid=c4nary&page=2>; rel=next")
        let client = client { _ in (200, [link]) }
        let error = await #expect(throws: ClientError.self) {
            for try await _ in client.pages(request) {}
        }
        #expect(error?.code == .pageLoop)
        #expect(log.contains("page=2"))
        #expect(!"\(String(describing: error)) \(log)".contains("c4nary"))
    }

    @Test("A secret is redacted in the head of a response")
    func head() async throws {
        let client = client { _ in (404, []) }
        let marked = api.get(.none, from: "/data").with(query: ["pin": "c4nary"])
        let hidden = marked.with { $0.options.sensitiveQueryNames = ["pin"] }
        for request in [request, hidden] {
            let error = await #expect(throws: ResponseError.self) { try await client.send(request) }
            #expect(error?.message.contains("=REDACTED") == true)
        }
    }
}
