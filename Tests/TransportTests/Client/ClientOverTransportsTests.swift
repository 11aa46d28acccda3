import RequestsCurl
import RequestsTesting
import Testing

/// The conformance suite tests the transports themselves.
@Suite("Client over each transport", .timeLimit(.minutes(5)))
struct ClientOverTransportsTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer.http { request in
            switch request.path {
            case "/json": return .init(200, .json, #"{"id":1,"name":"Ada"}"#)
            case "/missing": return .init(404, .plainText, "no such thing")
            default:
                let fields = request.header.map { "\($0.name.rawValue.lowercased()): \($0.value)\n" }.joined()
                return .init(200, body: Data("\(request.line)\n\(fields)\n".utf8) + request.body)
            }
        }
    }

    private var api: BaseURL { BaseURL(baseURL: server.baseURL) }

    private struct User: Codable, Equatable {
        var id: Int
        var name: String
    }

    @Test("A client decodes a JSON response", arguments: TransportKind.allCases)
    func decodes(kind: TransportKind) async throws {
        let client = Client(transport: try kind.makeTransport())
        let response = try await client.response(for: api.get(json: User.self, from: "/json"))
        #expect(response.content == User(id: 1, name: "Ada"))
        #expect(response.head.statusCode == 200)
        #expect(response.head.header[.contentType] == "application/json")
        #expect(response.head.url.path == "/json")
    }

    @Test(
        "A client sends the method, URL, header, credentials and body of a request",
        arguments: TransportKind.allCases
    )
    func sends(kind: TransportKind) async throws {
        let client = Client(transport: try kind.makeTransport())
        let request = api.patch("/echo/\("a/b")", with: .text("hello"))
            .with(query: ["q": "1+1"]).adding(queryItem: URLQueryItem(name: "flag", value: nil))
            .with(header: [Field(name: "X-Probe", value: "yes"), .acceptLanguage("en")])
            .authenticated(with: .bearerToken("t0ken"))
            .receiving(.text)
        let lines = try await client.send(request).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.first == "PATCH /echo/a%2Fb?q=1%2B1&flag HTTP/1.1")
        #expect(lines.contains("x-probe: yes"))
        #expect(lines.contains("accept-language: en"))
        #expect(lines.contains("authorization: Bearer t0ken"))
        #expect(lines.contains("content-type: text/plain; charset=utf-8"))
        #expect(lines.contains("content-length: 5"))
        #expect(lines.last == "hello")
    }

    @Test("The user agent is the library's default, the configured one, or none")
    func userAgent() async throws {
        func agent(_ transport: any Transport, _ header: Header = []) async throws -> String? {
            let lines = try await Client(transport: transport).send(api.get(.text, from: "/").with(header: header))
                .split(separator: "\n")
            return lines.first { $0.hasPrefix("user-agent: ") }.map { String($0.dropFirst(12)) }
        }
        var curl = CurlTransport.Configuration()
        curl.userAgent = "b/2"
        for kind in TransportKind.allCases {
            #expect(try await agent(kind.makeTransport()) == Field.defaultUserAgent.value)
            #expect(try await agent(kind.makeTransport(), [.userAgent("a/1")]) == "a/1")
        }
        #expect(try await agent(CurlTransport(configuration: curl)) == "b/2")
        curl.userAgent = nil
        #expect(try await agent(CurlTransport(configuration: curl)) == nil)
    }

    @Test(
        "A response above the client's size limit is an error that names the request",
        arguments: TransportKind.allCases
    )
    func limits(kind: TransportKind) async throws {
        var configuration = Client.Configuration()
        configuration.maximumBodyBytes = 20
        let client = Client(transport: try kind.makeTransport(), configuration: configuration)
        let request = api.get(.data, from: "/json").with(query: ["token": "s3cret"])
        let error = await #expect(throws: TransportError.self) { try await client.send(request) }
        #expect(error?.code == .tooLarge)
        #expect(error?.message.contains("\(server.baseURL)/json?token=REDACTED") == true)
    }

    @Test("A refused connection is an error that names the request", arguments: TransportKind.allCases)
    func refused(kind: TransportKind) async throws {
        let server = try LoopbackServer.refusing()
        let client = Client(transport: try kind.makeTransport())
        let request = BaseURL(baseURL: server.baseURL).get(.data, from: "/json")
        let error = await #expect(throws: TransportError.self) { try await client.send(request) }
        #expect(error?.code == .cannotConnect)
        #expect(error?.message.hasPrefix("GET \(server.baseURL)/json: ") == true)
    }
}
