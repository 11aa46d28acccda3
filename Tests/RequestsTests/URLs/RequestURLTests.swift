import Requests
import Testing

@Suite("Request URLs", .timeLimit(.minutes(5)))
struct RequestURLTests {
    @Test("A URL has scheme, host, authority, path, query and target")
    func parts() throws {
        let url = try RequestURL("https://api.example.com:8443/v1/a%20b?q=1&r#top")
        #expect(url.scheme == "https")
        #expect(url.host == "api.example.com")
        #expect(url.authority == "api.example.com:8443")
        #expect(url.path == "/v1/a%20b")
        #expect(url.query == "q=1&r")
        #expect(url.target == "/v1/a%20b?q=1&r")
        #expect(url.text == "https://api.example.com:8443/v1/a%20b?q=1&r#top")
    }

    @Test(
        "The target is the encoded path and query, or / without a path",
        arguments: [
            ("http://h", "/"), ("http://h/", "/"), ("http://h?", "/?"), ("http://h?a", "/?a"),
            ("http://h/?a=/?", "/?a=/?"),
            ("http://h#f", "/"), ("http://h/a#f?g", "/a"), ("http://h//", "//"),
        ]
    )
    func target(text: String, target: String) throws {
        #expect(try RequestURL(text).target == target)
    }

    @Test(
        "The query items are decoded, in order and with repeats",
        arguments: [
            ("", []), ("?", []), ("?a", [("a", nil)]), ("?a=", [("a", "")]), ("?a=b=c", [("a", "b=c")]),
            ("?a=1&b&a=2#c=3", [("a", "1"), ("b", nil), ("a", "2")]), ("?a%3D%26=%2B+%20%25", [("a=&", "++ %")]),
            ("?a&&b", [("a", nil), ("", nil), ("b", nil)]), ("?=b", [("", "b")]), ("?n=na%C3%AFve?", [("n", "naïve?")]),
        ] as [(String, [(String, String?)])]
    )
    func queryItems(query: String, items: [(String, String?)]) throws {
        #expect(try RequestURL("http://h/\(query)").queryItems == items.map { URLQueryItem(name: $0.0, value: $0.1) })
    }

    @Test("An empty query differs from no query")
    func emptyQuery() throws {
        #expect(try RequestURL("http://h/").query == nil)
        #expect(try RequestURL("http://h/?").query?.isEmpty == true)
        #expect(try RequestURL("http://h/#?").query == nil)
        #expect(try RequestURL("http://h/").path == "/")
        #expect(try RequestURL("http://h").path.isEmpty)
    }

    @Test(
        "The origin contains the scheme's default port if the URL has no port",
        arguments: [
            ("http://h/", "http", "h", 80, "http://h"), ("https://h/", "https", "h", 443, "https://h"),
            ("https://h:443/", "https", "h", 443, "https://h"), ("http://h:443", "http", "h", 443, "http://h:443"),
            ("http://H:8080/x", "http", "h", 8080, "http://h:8080"),
            ("https://[::1]:1/", "https", "[::1]", 1, "https://[::1]:1"),
            ("http://h:/", "http", "h", 80, "http://h"),
        ]
    )
    func origin(text: String, scheme: String, host: String, port: Int, description: String) throws {
        let origin = try RequestURL(text).origin
        #expect(origin.scheme == scheme)
        #expect(origin.host == host)
        #expect(origin.port == port)
        #expect("\(origin)" == description)
    }

    @Test("Origins are equal if scheme, host and port are, whatever the path and the case")
    func sameOrigin() throws {
        let origin = try RequestURL("https://h/a?b").origin
        #expect(try RequestURL("HTTPS://H:443/c").origin == origin)
        for other in ["http://h/", "https://h:444/", "https://h.h/", "http://h:443/"] {
            #expect(try RequestURL(other).origin != origin)
        }
    }

    @Test("The Foundation URL has the same text")
    func foundation() throws {
        for text in ["https://h", "https://h/a%20b?q=%2B#f", "http://[::1]:8080/", "http://h/?a[]=1"] {
            let url = try RequestURL(text)
            #expect(try url.url.absoluteString == url.text)
        }
    }

    @Test("URLs are equal if their text is")
    func equality() throws {
        #expect(try RequestURL("HTTP://H/%41") == RequestURL("http://h/%41"))
        for other in [
            "http://h/A", "http://h/%41?", "http://h/%41?q", "http://h/%41#f", "http://h:80/%41", "https://h/%41",
        ] {
            #expect(try RequestURL("http://h/%41") != RequestURL(other))
        }
        #expect(try Set(["http://h/", "http://H/", "http://h"].map { try RequestURL($0) }).count == 2)
    }

    @Test(
        "The description redacts query values that contain credentials, and keeps the others",
        arguments: [
            ("http://h/?token=s3cret", "http://h/?token=REDACTED"),
            ("http://h/p?a=1&Access-Token=s3cret&b=2#f", "http://h/p?a=1&Access-Token=REDACTED&b=2#f"),
            ("http://h/?%74oken=s3cret", "http://h/?%74oken=REDACTED"),
            ("http://h/?token=s3cret=x", "http://h/?token=REDACTED"),
            ("http://h?key=s3cret&key=s3cret", "http://h?key=REDACTED&key=REDACTED"),
            ("http://h/?token&q=token", "http://h/?token&q=token"), ("http://h/?token=", "http://h/?token="),
            ("http://h/?&=&a", "http://h/?&=&a"), ("http://h/?", "http://h/?"),
            ("http://h/token=x", "http://h/token=REDACTED"),
            ("http://h/cb#access_token=s3cret&state=1", "http://h/cb#access_token=REDACTED&state=1"),
            ("http://h/?token=s3cret#id_token=s3cret", "http://h/?token=REDACTED#id_token=REDACTED"),
            ("http://h/#top", "http://h/#top"), ("http://h/#", "http://h/#"),
        ]
    )
    func description(text: String, shown: String) throws {
        let url = try RequestURL(text)
        #expect(url.description == shown)
        #expect(url.debugDescription == shown)
        #expect(url.text == text)
    }
}
