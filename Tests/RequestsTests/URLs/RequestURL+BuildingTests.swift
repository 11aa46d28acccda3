import Requests
import Testing

@Suite("Building of URLs from base URL, endpoint and query", .timeLimit(.minutes(5)))
struct RequestURLBuildingTests {
    private func url(_ base: String, _ endpoint: Endpoint, _ query: Query = []) throws -> String {
        let api = BaseURL(baseURL: try #require(URL(string: base)))
        return try api.get(.data, from: endpoint).with(query: query).prepared().url.text
    }

    @Test(
        "An endpoint is joined to the base URL's path with exactly one /, and keeps its trailing slash",
        arguments: [
            ("https://h", "a", "https://h/a"), ("https://h", "/a", "https://h/a"), ("https://h/", "a", "https://h/a"),
            ("https://h/", "/a", "https://h/a"), ("https://h/v1", "a", "https://h/v1/a"),
            ("https://h/v1", "/a", "https://h/v1/a"),
            ("https://h/v1/", "a", "https://h/v1/a"), ("https://h/v1/", "/a", "https://h/v1/a"),
            ("https://h/v1//", "//a", "https://h/v1/a"), ("https://h/v1", "/a//b", "https://h/v1/a//b"),
            ("https://h//v1", "a", "https://h//v1/a"),
            ("https://h/v1", "//evil.com/a", "https://h/v1/evil.com/a"),
            ("https://h", "https://evil.com/", "https://h/https://evil.com/"),
            ("https://h/v1", "/", "https://h/v1/"), ("https://h", "/", "https://h/"),
            ("https://h/v1", "a/", "https://h/v1/a/"),
            ("https://h/v1/", "/a/b/", "https://h/v1/a/b/"), ("https://h/v1", "a//", "https://h/v1/a//"),
        ]
    )
    func joining(base: String, endpoint: String, expected: String) throws {
        #expect(try url(base, Endpoint(path: endpoint)) == expected)
        #expect(try url(base, Endpoint(path: endpoint), ["q": "1"]) == expected + "?q=1")
    }

    @Test(
        "An empty endpoint leaves the base URL unchanged",
        arguments: [
            "https://h", "https://h/", "https://h/v1", "https://h/v1/", "https://h/v1//", "https://h/v1?q=1",
            "https://h?q", "https://h/?",
        ]
    )
    func emptyEndpoint(base: String) throws {
        #expect(try url(base, "") == base)
        #expect(try url(base, Endpoint(path: "")) == base)
    }

    @Test("The base URL's query comes first, then the query items, and its fragment is dropped")
    func baseQuery() throws {
        #expect(try url("https://h/v1?key=1&z", "a", ["b": "2", "key": "3"]) == "https://h/v1/a?key=1&z&b=2&key=3")
        #expect(try url("https://h?key=1", "", [URLQueryItem(name: "b", value: nil)]) == "https://h?key=1&b")
        #expect(try url("https://h?key=1", "a") == "https://h/a?key=1")
        #expect(try url("https://h/?", "a", ["b": "2", "c": "3"]) == "https://h/a?b=2&c=3")
        #expect(try url("https://h/?k=a%20b%2Bc+d", "a", ["e": "+"]) == "https://h/a?k=a%20b%2Bc+d&e=%2B")
        #expect(try url("https://h/v1#top", "a", ["b": "2"]) == "https://h/v1/a?b=2")
    }

    @Test(
        "A valid percent escape stays, and other characters are encoded as UTF-8",
        arguments: [
            ("/a%20b", "/a%20b"), ("/a b", "/a%20b"), ("/é", "/%C3%A9"), ("/%c3%a9", "/%c3%a9"), ("/%2F", "/%2F"),
            ("/%", "/%25"),
            ("/%4", "/%254"), ("/%zz", "/%25zz"), ("/a?b", "/a%3Fb"), ("/a#b", "/a%23b"), ("/[x]", "/%5Bx%5D"),
            ("/a\\b", "/a%5Cb"),
            ("/a;b,c=d&e+f@g:h!$'()*", "/a;b,c=d&e+f@g:h!$'()*"), ("/\r\n", "/%0D%0A"), ("/e\u{301}", "/e%CC%81"),
            ("/\u{301}", "/%CC%81"),
        ]
    )
    func encoding(endpoint: String, path: String) throws {
        #expect(try url("https://h", Endpoint(path: endpoint)) == "https://h" + path)
        #expect(try url("https://h", Endpoint(path: path)) == "https://h" + path)
    }

    @Test(
        "A . or .. segment, escaped or not, throws an error that names it",
        arguments: [
            ("a?/../b", ".."),
            (".", "."), ("..", ".."), ("/a/../b", ".."), ("/a/./b", "."), ("a/..", ".."), ("/%2e%2e/", "%2e%2e"),
            ("%2E", "%2E"),
            ("/.%2e/", ".%2e"), ("//../", ".."),
        ]
    )
    func dotSegments(endpoint: String, segment: String) {
        let error = #expect(throws: RequestError.self) { try url("https://h/v1", Endpoint(path: endpoint)) }
        #expect(error?.code == .dotSegment)
        #expect(error?.subject == segment)
    }

    @Test(
        "Only http and https URLs with a host build",
        arguments: [
            ("ftp://h", .unsupportedScheme), ("file:///tmp", .unsupportedScheme), ("/relative", .unsupportedScheme),
            ("https:///path", .missingHost), ("https://user:s3cret@h/", .userInfo), ("https://h/a/..", .dotSegment),
            ("mailto:a@b.c", .unsupportedScheme),
        ] as [(String, RequestError.Code)]
    )
    func illegalBase(base: String, code: RequestError.Code) {
        for endpoint: Endpoint in ["", "/a"] {
            let error = #expect(throws: RequestError.self) { try url(base, endpoint) }
            #expect(error?.code == code)
        }
    }

    @Test("A built URL equals the URL that is parsed from its text")
    func layout() throws {
        let api = BaseURL("https://H.example:81/v 1/?a=1")
        let built = try api.get(.data, from: "/x/\("y/z")").with(query: ["b": "é"]).prepared().url
        let read = try RequestURL(built.text)
        #expect(built.text == "https://h.example:81/v%201/x/y%2Fz?a=1&b=%C3%A9")
        #expect(
            [built.authority, built.path, built.query, built.target] == [
                read.authority, read.path, read.query, read.target,
            ]
        )
        #expect(built.origin == read.origin)
    }

    @Test("A URL can have any length", arguments: [100, 300, 340, 1000, 5000, 100_000])
    func length(count: Int) throws {
        let value = String(repeating: "é", count: count)
        let encoded = String(repeating: "%C3%A9", count: count)
        let api = BaseURL("https://api.example.com/v1?a=b")
        let url = try api.get(.data, from: "/\(value)/x").with(query: ["q": value, "r": "s"]).prepared().url
        #expect(url.text == "https://api.example.com/v1/\(encoded)/x?a=b&q=\(encoded)&r=s")
        #expect(url.path == "/v1/\(encoded)/x")
        #expect(url.query == "a=b&q=\(encoded)&r=s")
    }
}
