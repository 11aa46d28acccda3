#if FullFoundation && canImport(Darwin)
import Requests
import Testing

@Suite("URLRequests with a stream on Apple platforms", .timeLimit(.minutes(5)))
struct URLRequestBodyStreamTests {
    @Test("A URLRequest has the Content-Length of its stream")
    func length() throws {
        let body = BodyProvider { _ in .stream(InputStream(data: Data("abc".utf8)), length: 3) }
        let request = try BaseURL("https://api.example.com").post(body, to: "/").toURLRequest()
        #expect(request.value(forHTTPHeaderField: "Content-Length") == "3")
    }
}
#endif
