#if FullFoundation
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

    @Test("Every status is a response, as for URLSession", arguments: [401, 404, 503])
    func anyStatus(status: Int) async throws {
        let client = Client(transport: StubTransport { try .stub(status, body: Data("why".utf8), for: $0) })
        let (data, response) = try await client.data(for: request)
        #expect(data == Data("why".utf8))
        #expect((response as? HTTPURLResponse)?.statusCode == status)
    }

    @Test(
        "Errors are URLErrors with the library's error inside",
        arguments: [
            (.nameNotResolved, .cannotFindHost), (.cannotConnect, .cannotConnectToHost), (.timedOut(.total), .timedOut),
            (.timedOut(.attempt), .timedOut), (.tlsUntrusted, .serverCertificateUntrusted),
            (.closed, .networkConnectionLost), (.shutdown, .unknown),
        ] as [(TransportError.Code, URLError.Code)]
    )
    func errors(code: TransportError.Code, expected: URLError.Code) async throws {
        let client = Client(transport: StubTransport(script: [.failure(code), .failure(code)]))
        let collecting = await #expect(throws: URLError.self) { try await client.data(for: request) }
        let streaming = await #expect(throws: URLError.self) { _ = try await client.bytes(for: request) }
        for error in [collecting, streaming] {
            #expect(error?.code == expected)
            #expect((error?.userInfo[NSUnderlyingErrorKey] as? TransportError)?.code == code)
        }
        #expect(URLError(TransportError(code: code, message: "", phase: .sending)).code == expected)
    }

    @Test("A body that breaks throws URLError from the bytes")
    func brokenBytes() async throws {
        let reply = StubTransport.Reply.reply(200, chunks: [Data("a".utf8)], failure: .truncated)
        let (bytes, _) = try await Client(transport: StubTransport(script: [reply])).bytes(for: request)
        let error = await #expect(throws: URLError.self) { for try await _ in bytes {} }
        #expect(error?.code == .networkConnectionLost)
    }

    @Test("A canceled call throws URLError.cancelled, as URLSession does")
    func canceled() async throws {
        let client = Client(transport: StubTransport { _ in throw CancellationError() })
        let error = await #expect(throws: URLError.self) { try await client.data(for: request) }
        #expect(error?.code == .cancelled)
    }
}
#endif
