#if FullFoundation && !canImport(Darwin)
import Foundation
import FoundationNetworking
import Requests
import Testing

@Suite("URLRequests with a stream on Linux", .timeLimit(.minutes(5)))
struct URLRequestBodyStreamTests {
    private let api = BaseURL("https://api.example.com")

    @Test("A URLRequest has no Content-Length, which Foundation would send in addition to chunks", arguments: 0..<4)
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
        #expect(try PreparedRequest(urlRequest).body.length == length, "the length is kept with the stream")
        let own = try request.adding(headerField: Field(name: .contentLength, value: "\(length)")).toURLRequest()
        #expect(own.value(forHTTPHeaderField: "Content-Length") == nil)
    }
}
#endif
