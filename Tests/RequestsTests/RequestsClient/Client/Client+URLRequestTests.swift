import Foundation
import Requests
import RequestsClient
import RequestsTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("A client as a replacement for URLSession", .timeLimit(.minutes(5)))
struct ClientURLRequestTests {
    private let client = Client(
        transport: StubTransport { request in
            try .stub(200, header: ["X-A": "1"], body: Data("ab".utf8) + Data("c".utf8), for: request)
        }
    )
    private let request = URLRequest(url: URL("https://a.example/x"))

    @Test("The client's method fits the closure that other libraries take")
    func data() async throws {
        let fetch: (URLRequest) async throws -> (Data, URLResponse) = client.data(for:)
        let (data, response) = try await fetch(request)
        #expect(data == Data("abc".utf8))
        let http = try #require(response as? HTTPURLResponse)
        #expect(http.statusCode == 200)
        #expect(http.value(forHTTPHeaderField: "x-a") == "1")
    }

    @Test("Bytes arrive one by one with the head")
    func bytes() async throws {
        let (bytes, response) = try await client.bytes(for: request)
        var read: [UInt8] = []
        for try await byte in bytes { read.append(byte) }
        #expect(read == Array("abc".utf8))
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
    }
}
