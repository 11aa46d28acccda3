#if FullFoundation
import Requests
import Testing

@Suite("URL literals", .timeLimit(.minutes(5)))
struct URLStaticStringTests {
    @Test("A literal becomes the URL with its text")
    func literal() {
        #expect(URL("https://api.example.com/v1").absoluteString == "https://api.example.com/v1")
        #expect(BaseURL("https://api.example.com/v1").baseURL == URL("https://api.example.com/v1"))
    }

    @Test("A malformed literal throws when the request is built")
    func fault() {
        let api = BaseURL("https://exa mple.com/api")
        let error = #expect(throws: RequestError.self) { try api.get(.data, from: "/a").prepared() }
        #expect(error?.code == .invalidHost)
        #expect(error?.message.contains("exa") == true)
    }

    @Test(
        "A literal without a scheme throws when the request is built",
        arguments: [
            BaseURL("127.0.0.1:8080/v1"), BaseURL("api.example.com/v1"),
            BaseURL(""), BaseURL("::1"),
        ]
    )
    func relative(api: BaseURL) {
        let error = #expect(throws: RequestError.self) { try api.get(.data, from: "/a").prepared() }
        #expect(error?.message.contains(" has no scheme. ") == true)
    }

    @Test("A literal that Foundation rejects doesn't trap, but throws in every build of a request")
    func unreadable() {
        let api = BaseURL("https://[::1")
        #expect(throws: RequestError.self) { try api.get(.data, from: "/a").prepared() }
        #expect(throws: RequestError.self) {
            try BaseURL("").get(.data, from: "").toURLRequest()
        }
    }
}
#endif
