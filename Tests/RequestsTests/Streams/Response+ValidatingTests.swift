import RequestsTesting
import Testing

@Suite("Validation of streamed responses", .timeLimit(.minutes(5)))
struct ResponseValidatingTests {
    private struct Problem: Error, Decodable, Equatable { var title: String }

    private let api = BaseURL("https://a.example")
    private let problem = #"{"title":"gone"}"#

    private func client(_ status: Int, configure: (inout Client.Configuration) -> Void = { _ in }) -> Client {
        var configuration = Client.Configuration()
        configure(&configuration)
        let transport = StubTransport { [problem] in
            status == 304 ? try .stub(304, for: $0) : try .stub(status, jsonText: problem, for: $0)
        }
        return Client(transport: transport, configuration: configuration)
    }

    @Test("A successful response is returned with its body unread", arguments: [200, 203, 299])
    func success(status: Int) async throws {
        let response = try await client(status).stream(api.get(.none, from: "/")).validated()
        #expect(response.head.statusCode == status)
        #expect(try await response.content.collect(upTo: 100) == Data(problem.utf8))
    }

    @Test(
        "Another status throws the same error as `send`, with the API's description",
        arguments: [199, 300, 404, 500]
    )
    func failure(status: Int) async throws {
        let request = api.get(.none, from: "/").decodingErrors(as: Problem.self)
        let sent = try await #require(throws: ResponseError.self) { try await client(status).send(request) }
        let streamed = try await #require(throws: ResponseError.self) {
            try await client(status).stream(request).validated()
        }
        #expect(streamed.underlying as? Problem == Problem(title: "gone"))
        #expect(streamed.description == sent.description)
        #expect(streamed.code == .status)
        #expect(streamed.head == sent.head)
        #expect(streamed.data == Data(problem.utf8))
    }

    @Test("The decoder and the client decide which statuses are accepted")
    func accepted() async throws {
        let choosy = api.get(ResponseDecoder.none.validating(status: [404]), from: "/")
        #expect(try await client(404).stream(choosy).validated().head.statusCode == 404)
        await #expect(throws: ResponseError.self) { try await client(200).stream(choosy).validated() }
        let lenient = client(404) { $0.validation = Client.Validation { $0.statusCode < 500 } }
        #expect(try await lenient.stream(api.get(.none, from: "/")).validated().head.statusCode == 404)
        let optional = api.get(ResponseDecoder.text.optional, from: "/")
        #expect(try await client(304).stream(optional).validated().head.statusCode == 304)
    }

    @Test("The body of a failure is collected up to the client's limit")
    func limit() async throws {
        let client = client(404) { $0.maximumBodyBytes = 3 }
        let error = try await #require(throws: TransportError.self) {
            try await client.stream(api.get(.none, from: "/")).validated()
        }
        #expect(error.code == .tooLarge)
    }

    @Test(
        "Without a client, the statuses 200 to 299 are accepted",
        arguments: [(200, true), (302, false), (404, false)]
    )
    func withoutClient(status: Int, isTaken: Bool) async throws {
        let request = try api.get(.none, from: "/").prepared()
        let response = try Response<ResponseBody>.stub(status, jsonText: problem, for: request)
        let result = await Task { try await response.validated().head.statusCode }.result
        switch result {
        case .success(let taken): #expect(isTaken && taken == status)
        case .failure(let error): #expect(!isTaken && (error as? ResponseError)?.data == Data(problem.utf8))
        }
    }
}
