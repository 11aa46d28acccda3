#if FullFoundation
import RequestsTesting
import RequestsURLSession
import Testing

/// Requests that Foundation would accept but change.
@Suite("Requests that URLSessionTransport rejects", .timeLimit(.minutes(5)))
struct SessionRequestTests {
    private func failure(of request: PreparedRequest) async throws -> TransportError {
        let transport = URLSessionTransport()
        let error = await #expect(throws: TransportError.self) { _ = try await transport.send(request) }
        return try #require(error)
    }

    @Test("URLSessionTransport rejects a GET request with a body")
    func get() async throws {
        let body = RequestBody.data(Data("{}".utf8))
        let request = try PreparedRequest(
            method: .get,
            url: RequestURL("http://127.0.0.1:9/"),
            header: [.contentType(.json)],
            body: body
        )
        let error = try await failure(of: request)
        #expect(error.code == .unsupported)
        #expect(!error.requestMayHaveBeenProcessed)
    }

    @Test("The user agent of the configuration is sent, and one that isn't a field value is rejected")
    func userAgent() async throws {
        let server = try LoopbackServer.http { .init(200, .plainText, $0.header[.userAgent] ?? "") }
        let request = BaseURL(baseURL: server.baseURL).get(.text, from: "/")
        var configuration = URLSessionTransport.Configuration()
        configuration.userAgent = "b/2"
        let client = Client(transport: try URLSessionTransport(configuration: configuration))
        #expect(try await client.send(request) == "b/2")
        configuration.userAgent = "a\nb"
        #expect(throws: TransportError.self) { try URLSessionTransport(configuration: configuration) }
    }

    #if os(Linux)
    @Test("URLSessionTransport on Linux rejects an IPv6 address, which Foundation can't parse in a URL")
    func address() async throws {
        let error = try await failure(of: PreparedRequest(url: RequestURL("http://[::1]:9/")))
        #expect(error.code == .unsupported)
        #expect(error.message.contains("IPv6"))
    }

    @Test("URLSessionTransport on Linux rejects a file, because an aborted upload can crash the process")
    func file() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "requests-\(UUID())")
        try Data("abc".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let url = try RequestURL("http://127.0.0.1:9/")
        let body = RequestBody.file(file)
        let request = try PreparedRequest(method: .put, url: url, header: [.contentType(.binary)], body: body)
        let error = try await failure(of: request)
        #expect(error.code == .unsupported)
        #expect(error.message.contains("CurlTransport"))
    }
    #endif
}
#endif
