import Foundation
import HTTPTypes
import OpenAPIRuntime
import RequestsOpenAPI
import RequestsTesting
import Testing

@Suite("An OpenAPI transport over a client", .timeLimit(.minutes(5)))
struct OpenAPITransportTests {
    let server = URL("https://api.example.com/v1")

    func transport(_ stub: StubTransport, retries: RetryPolicy? = nil) -> OpenAPITransport {
        var configuration = RequestsClient.Client.Configuration()
        if let retries { configuration.retries = retries }
        return OpenAPITransport(over: RequestsClient.Client(transport: stub, configuration: configuration))
    }

    func request(_ method: HTTPRequest.Method = .get, _ path: String? = "/pets") -> HTTPRequest {
        HTTPRequest(method: method, scheme: nil, authority: nil, path: path)
    }

    @Test(
        "The path of an operation follows the path of the server",
        arguments: [
            ("https://a.example", "/pets", "https://a.example/pets"),
            ("https://a.example/", "/pets", "https://a.example/pets"),
            ("http://a.example:81/v1", "/pets?q=a%2Fb", "http://a.example:81/v1/pets?q=a%2Fb"),
            ("https://a.example/v1/", "/pets/", "https://a.example/v1/pets/"),
            ("https://a.example/v1?key=1", "/pets", "https://a.example/v1/pets"),
            ("https://a.example", nil, "https://a.example/"), ("https://a.example/v1", nil, "https://a.example/v1"),
            ("https://[::1]/v1", "/a%20b", "https://[::1]/v1/a%20b"),
        ] as [(String, String?, String)]
    )
    func urls(server: String, path: String?, expected: String) async throws {
        let stub = StubTransport(script: [.reply(200)])
        let url = try #require(URL(string: server))
        _ = try await transport(stub).send(request(.get, path), body: nil, baseURL: url, operationID: "list")
        #expect(stub.requests.map(\.url.text) == [expected])
    }

    @Test("A request keeps its method, fields and body, and has the name of its operation")
    func requests() async throws {
        let stub = StubTransport(routes: [.operation("createPet", .reply(201))])
        var request = request(.post)
        request.headerFields = [.accept: "a/b", .cookie: "c=1"]
        request.headerFields.append(HTTPField(name: .accept, value: "c/d"))
        let (response, _) = try await transport(stub)
            .send(request, body: "{}", baseURL: server, operationID: "createPet")
        #expect(response.status == .created)
        let sent = try #require(stub.requests.first)
        #expect(sent.method == .post)
        #expect(sent.header[values: "Accept"] == ["a/b", "c/d"])
        #expect(sent.header["Cookie"] == "c=1")
        #expect(sent.options.operation == "createPet")
        #expect(sent.body.data == Data("{}".utf8))
    }

    @Test("A response of any status has its fields and its body, of known length if it isn't decoded")
    func responses() async throws {
        let header: Header = ["X-A": "1", "Content-Length": "3"]
        let stub = StubTransport(script: [.reply(404, header: header, data: Data("abc".utf8))])
        let (response, body) = try await transport(stub)
            .send(request(), body: nil, baseURL: server, operationID: "list")
        #expect(response.status == .notFound)
        #expect(response.headerFields[HTTPField.Name("X-A")!] == "1")
        let content = try #require(body)
        #expect(content.length == .known(3))
        #expect(content.iterationBehavior == .single)
        #expect(try await String(collecting: content, upTo: 3) == "abc")
        await #expect(throws: (any Error).self) { try await String(collecting: content, upTo: 3) }
    }

    @Test(
        "A HEAD request and a 204 have no body",
        arguments: [(.head, 200), (.get, 204)] as [(HTTPRequest.Method, Int)]
    )
    func noBody(method: HTTPRequest.Method, status: Int) async throws {
        let stub = StubTransport(script: [.reply(status)])
        let (response, body) = try await transport(stub)
            .send(request(method), body: nil, baseURL: server, operationID: "list")
        #expect(response.status.code == status)
        #expect(body == nil)
    }

    @Test("A body is sent again only if it can be iterated again", arguments: [true, false])
    func iterations(isMultiple: Bool) async throws {
        let stub = StubTransport(script: [.reply(503), .reply(200)])
        let body = HTTPBody(
            AsyncStream { continuation in
                continuation.yield(ArraySlice("abc".utf8))
                continuation.finish()
            },
            length: .unknown
        )
        let (response, _) = try await transport(stub, retries: .fixed(.zero, limit: 1))
            .send(
                request(.put),
                body: isMultiple ? HTTPBody("abc") : body,
                baseURL: server,
                operationID: "put"
            )
        #expect(response.status.code == (isMultiple ? 200 : 503))
        #expect(stub.requests.count == (isMultiple ? 2 : 1))
    }

    @Test("The client's redirects, retries and authentication apply")
    func policies() async throws {
        var configuration = RequestsClient.Client.Configuration()
        configuration.retries = .fixed(.zero, limit: 1)
        configuration.authenticate("https://api.example.com", with: .bearerToken("t"))
        let stub = StubTransport(script: [.reply(503), .redirect(to: "/v2/pets"), .reply(200)])
        let client = RequestsClient.Client(transport: stub, configuration: configuration)
        let (response, _) = try await OpenAPITransport(over: client)
            .send(request(), body: nil, baseURL: server, operationID: "list")
        #expect(response.status == .ok)
        #expect(stub.requests.map(\.url.path) == ["/v1/pets", "/v1/pets", "/v2/pets"])
        #expect(stub.requests.allSatisfy { $0.header["Authorization"] == "Bearer t" })
    }
}
