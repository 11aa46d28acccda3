#if canImport(Darwin)
// Not run on the machine that this was written on.
import Foundation
import Requests
import Testing

@Suite("A Foundation request with a stream, on Apple's platforms,", .timeLimit(.minutes(5)))
struct URLRequestBodyStreamTests {
    @Test("has the length that is known: Foundation takes a stream for one of unknown length")
    func length() throws {
        let body = BodyProvider { _ in .stream(InputStream(data: Data("abc".utf8)), length: 3) }
        let request = try AnonymousRequestProvider("https://api.example.com").post(body, to: "/").toURLRequest()
        #expect(request.value(forHTTPHeaderField: "Content-Length") == "3")
    }
}
#endif
