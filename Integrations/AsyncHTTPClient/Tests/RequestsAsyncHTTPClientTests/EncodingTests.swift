import RequestsAsyncHTTPClient
import Foundation
import RequestsTesting
import Testing

@Test(
    "A response without a body may have a Content-Encoding",
    .timeLimit(.minutes(5)),
    arguments: [HTTPMethod.head, .get]
)
func encodingWithoutBody(method: HTTPMethod) async throws {
    let encoding = Field(name: .contentEncoding, value: "gzip")
    let server = try LoopbackServer.http { request in .init(request.method == .head ? 200 : 304, header: [encoding]) }
    let transport = AsyncHTTPClientTransport()
    for _ in 0..<3 {
        let request = try PreparedRequest(method: method, url: RequestURL(server.baseURL.absoluteString))
        let response = try await transport.send(request)
        #expect(response.head.header[.contentEncoding] == "gzip")
        #expect(try await response.content.collect(upTo: 100).isEmpty)
    }
}
