#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import Requests
import Testing

@Suite("A Foundation request with a stream, on Linux,", .timeLimit(.minutes(5)))
struct URLRequestBodyStreamTests {
    private let api = AnonymousRequestProvider("https://api.example.com")

    @Test("has no length, which Foundation there would send beside the chunks", arguments: 0..<4)
    func noLength(kind: Int) throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("requests-\(UUID().uuidString)")
        try Data("abcdef".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let bodies: [BodyProvider] = [
            .file(file), .file(file, range: 1..<4), .multipart([.file("f", file)]),
            BodyProvider { _ in .stream(InputStream(data: Data("abcdef".utf8)), length: 6) },
        ]
        let request = api.post(bodies[kind], to: "/")
        let urlRequest = try request.toURLRequest()
        #expect(urlRequest.httpBodyStream != nil)
        #expect(urlRequest.value(forHTTPHeaderField: "Content-Length") == nil)
        let length = try #require(try request.prepared().body.length)
        #expect(try PreparedRequest(urlRequest).body.length == length, "which comes back with the stream all the same")
        let own = try request.adding(headerField: Field(name: .contentLength, value: "\(length)")).toURLRequest()
        #expect(own.value(forHTTPHeaderField: "Content-Length") == nil)
    }
}
#endif
