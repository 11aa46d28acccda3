import Requests
import Testing

@Suite("Resolving of references", .timeLimit(.minutes(5)))
struct RequestURLResolvingTests {
    @Test(
        "References are resolved as in the examples of RFC 3986 §5.4",
        arguments: [
            ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
            ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"),
            (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y#s"),
            ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
            ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
            ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"),
            ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"),
            ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
            ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
            ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
            ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
            ("g#s/./x", "http://a/b/c/g#s/./x"), ("g#s/../x", "http://a/b/c/g#s/../x"),
        ]
    )
    func examples(reference: String, expected: String) throws {
        #expect(try RequestURL("http://a/b/c/d;p?q").resolving(reference).text == expected)
    }

    @Test(
        "References in any form are resolved",
        arguments: [
            ("https://b.example/x/../y?z#f", "https://b.example/y?z#f"), ("HTTPS://B.example", "https://b.example"),
            ("//b.example:81/x", "http://b.example:81/x"), ("/a//b/../c", "http://a/a//c"),
            ("/%2e%2E/%2e/x", "http://a/x"), ("/a/%2e%2e", "http://a/"), ("x:y", nil), ("./x:y", "http://a/b/x:y"),
            ("1x:y", "http://a/b/1x:y"), ("é ü", "http://a/b/%C3%A9%20%C3%BC"), ("/a?b?c#d#e", "http://a/a?b?c#d%23e"),
            ("mailto:a@b", nil), ("http:g", nil), ("//", nil), ("//u:p@b/", nil), ("//b:x/", nil),
            ("?", "http://a/b/c?"),
        ] as [(String, String?)]
    )
    func others(reference: String, expected: String?) throws {
        let base = try RequestURL("http://a/b/c?q#f")
        guard let expected else {
            #expect(throws: RequestError.self) { try base.resolving(reference) }
            return
        }
        #expect(try base.resolving(reference).text == expected)
    }

    @Test(
        "References are resolved against a URL without a path",
        arguments: [("g", "http://a/g"), ("../g", "http://a/g"), ("?y", "http://a?y"), ("", "http://a")]
    )
    func emptyPath(reference: String, expected: String) throws {
        #expect(try RequestURL("http://a").resolving(reference).text == expected)
    }
}
