import Foundation
import HTTPTypes
import RequestsHTTPTypes
import RequestsTesting
import Testing

@Suite("A client that streams HTTPRequests", .timeLimit(.minutes(5)))
struct StreamTests {
    private let request = HTTPRequest(method: .put, scheme: "https", authority: "a.example", path: "/p")

    @Test("streams both bodies, with their trailers")
    func streams() async throws {
        let chunks = ["a", "b"].map { Data($0.utf8) }
        let stub = StubTransport(script: [.reply(404, chunks: chunks, trailers: ["X-Sum": "2"])])
        let sent = AsyncStream<Data> { continuation in
            for text in ["c", "d"] { continuation.yield(Data(text.utf8)) }
            continuation.finish()
        }
        let name = try #require(HTTPField.Name("X-Sum"))
        let body = RequestBody.chunks(sent, trailerFields: { [name: "3"] })
        let (response, content) = try await Client(transport: stub).stream(request, body: body)
        #expect(response.status == .notFound)
        #expect(try content.trailerFields() == nil)
        var received: [Data] = []
        for try await chunk in content { received.append(chunk) }
        #expect(received == chunks)
        #expect(try content.trailerFields() == [name: "2"])
        #expect(stub.requests.first?.body.data == Data("cd".utf8))
        #expect(try stub.requests.first?.body.trailers?() == ["X-Sum": "3"])
    }

    @Test("throws if a trailer can't be represented")
    func trailers() async throws {
        let stub = StubTransport(script: [.reply(200, chunks: [], trailers: ["X-Sum": "a\u{1}b"])])
        let (_, content) = try await Client(transport: stub).stream(request)
        #expect(try await content.collect(upTo: 10).isEmpty)
        let error = #expect(throws: RequestError.self) { try content.trailerFields() }
        #expect(error?.code == .invalidFieldValue)
    }
}
