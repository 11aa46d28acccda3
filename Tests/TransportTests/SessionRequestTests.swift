import Foundation
import Requests
import RequestsTesting
import RequestsURLSession
import Testing

/// Requests that Foundation would take, and send otherwise than they are.
@Suite("URLSessionTransport refuses, before anything is sent", .timeLimit(.minutes(5)))
struct SessionRequestTests {
    private func failure(of request: PreparedRequest) async throws -> TransportError {
        let transport = URLSessionTransport()
        let error = await #expect(throws: TransportError.self) { _ = try await transport.send(request) }
        return try #require(error)
    }

    @Test("a body with the method GET")
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

    #if os(Linux)
    @Test("an IPv6 address, which Foundation does not read in a URL")
    func address() async throws {
        let error = try await failure(of: PreparedRequest(url: RequestURL("http://[::1]:9/")))
        #expect(error.code == .unsupported)
        #expect(error.message.contains("IPv6"))
    }

    @Test("a file, because one that is broken off can end the process")
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
