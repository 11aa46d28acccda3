import AsyncHTTPClientTransport
import Foundation
import Requests
import RequestsClient
import RequestsTesting
import Testing

@Test("An answer without a body may name a coding", .timeLimit(.minutes(5)), arguments: [HTTPMethod.head, .get])
func codingWithoutBody(method: HTTPMethod) async throws {
    let coding = Field(name: .contentEncoding, value: "gzip")
    let server = try LoopbackServer.http { request in .init(request.method == .head ? 200 : 304, header: [coding]) }
    let transport = AsyncHTTPClientTransport()
    for _ in 0..<3 {
        let request = try PreparedRequest(method: method, url: RequestURL(server.baseURL.absoluteString))
        let response = try await transport.send(request)
        #expect(response.head.header[.contentEncoding] == "gzip")
        #expect(try await response.content.collect(upTo: 100).isEmpty)
    }
}
