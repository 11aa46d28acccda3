import Requests
import Testing

@Suite("Endpoints from links", .timeLimit(.minutes(5)))
struct EndpointLinkTests {
    private let api = BaseURL("https://api.example.com/v1?key=1")

    private func url(_ endpoint: Endpoint) throws -> String {
        try api.get(.data, from: endpoint).with(query: ["last": "x"]).prepared().url.text
    }

    @Test("a link is kept unchanged without its fragment, whatever the base URL's path")
    func absolute() throws {
        let link = URL("https://api.example.com:443/other?page=2#top")
        #expect(try url(Endpoint(absolute: link, origin: .same)) == "https://api.example.com:443/other?page=2&last=x")
        let otherLink = URL("http://other.example.com/a")
        #expect(try url(Endpoint(absolute: otherLink, origin: .any)) == "http://other.example.com/a?last=x")
    }

    @Test(
        "a link to another origin makes the build throw",
        arguments: [
            "http://api.example.com/", "https://api.example.com:8443/", "https://api.example.com.evil.com/",
            "https://evil.com/https://api.example.com",
        ]
    )
    func otherOrigin(link: String) throws {
        let endpoint = Endpoint(absolute: try #require(URL(string: link)), origin: .same)
        let error = #expect(throws: RequestError.self) { try url(endpoint) }
        #expect(error?.code == .otherOrigin)
    }

    @Test(
        "a link with user info, a file URL or a relative link makes the build throw without showing the password",
        arguments: [
            "https://u:p@api.example.com/", "file:///etc/passwd", "/a", "https://api.example.com@evil.com/",
            "//evil.com/",
        ]
    )
    func invalidLink(link: String) throws {
        let endpoint = Endpoint(absolute: try #require(URL(string: link)), origin: .any)
        let error = #expect(throws: RequestError.self) { try url(endpoint) }
        #expect(error?.message.contains("p@") == false)
    }
}
