import Requests
import Testing

@Suite("Parsing of URLs", .timeLimit(.minutes(5)))
struct RequestURLParsingTests {
    @Test(
        "Only http and https URLs with a host are accepted",
        arguments: [
            ("ftp://h/", .unsupportedScheme), ("file:///etc/passwd", .unsupportedScheme),
            ("javascript:alert(1)", .unsupportedScheme),
            ("ws://h/", .unsupportedScheme), ("httpx://h/", .unsupportedScheme), ("https", .unsupportedScheme),
            ("", .unsupportedScheme),
            ("//h/", .unsupportedScheme), ("/path", .unsupportedScheme), (" https://h/", .unsupportedScheme),
            ("ht\u{301}tp://h/", .unsupportedScheme), ("https\0://h/", .unsupportedScheme),
            ("http:", .missingHost), ("http:/h", .missingHost), ("http://", .missingHost), ("http:///h", .missingHost),
            ("http://:80/", .missingHost), ("http://?q", .missingHost), ("http://#f", .missingHost),
            ("http:\\\\h/", .missingHost),
            ("http://user@h/", .userInfo), ("http://user:password@h/", .userInfo), ("http://@h/", .userInfo),
            ("http://a@b@h/", .userInfo),
            ("http://h:65536/", .invalidPort), ("http://h:-1/", .invalidPort), ("http://h:+80/", .invalidPort),
            ("http://h:8 0/", .invalidPort), ("http://h:80:80/", .invalidPort), ("http://h:\u{664}/", .invalidPort),
            ("http://h:\u{301}80/", .invalidPort),
            ("http://h:99999999999999999999/", .invalidPort), ("http://h:0x50/", .invalidPort),
            ("http://h\\.evil.com/", .invalidHost), ("http://a b/", .invalidHost), ("http://h\t/", .invalidHost),
            ("http://h\r\nX: y/", .invalidHost), ("http://h\0/", .invalidHost), ("http://a%2Fb/", .invalidHost),
            ("http://%61.com/", .invalidHost), ("http://.h/", .invalidHost), ("http://a..b/", .invalidHost),
            ("http://<h>/", .invalidHost),
            ("http://[::1/", .invalidHost), ("http://[::g]/", .invalidHost), ("http://[1.2.3.4]/", .invalidHost),
            ("http://[]/", .invalidHost), ("http://[fe80::1%25eth0]/", .invalidHost), ("http://::1/", .missingHost),
            ("http://[\u{301}::1]/", .invalidHost), ("http://a[::1]/", .invalidHost),
            ("http://[::1]a/", .invalidHost), ("http://h!/", .invalidHost),
        ] as [(String, RequestError.Code)]
    )
    func refused(text: String, code: RequestError.Code) {
        let error = #expect(throws: RequestError.self) { try RequestURL(text) }
        #expect(error?.code == code)
    }

    @Test(
        "A normalized URL stays unchanged",
        arguments: [
            "http://h", "https://h/", "https://api.example.com/v1/a%20b?q=%2B&r=a/b?c#f/g?h", "http://127.0.0.1:8080/",
            "http://[::1]/", "http://[2001:db8::1]:443/", "http://a_b.example/", "http://h./", "http://h:0/",
            "http://h:65535/",
            "http://h/!$&'()*+,;=:@-._~", "http://h/...", "http://h/.a/..b/c.", "http://h//a///b", "http://h/%2f%2F",
            "http://xn--bcher-kva.example/",
        ]
    )
    func normal(text: String) throws {
        #expect(try RequestURL(text).text == text)
    }

    @Test(
        "Scheme and host become lowercase, invalid characters are encoded, and escapes are kept",
        arguments: [
            ("HTTPS://API.Example.COM/V1", "https://api.example.com/V1"), ("http://h/a b", "http://h/a%20b"),
            ("http://h/%", "http://h/%25"), ("http://h/%zz%41", "http://h/%25zz%41"),
            ("http://h/é?é#é", "http://h/%C3%A9?%C3%A9#%C3%A9"),
            ("http://h/[a]{b}|\\^`\"<>", "http://h/%5Ba%5D%7Bb%7D%7C%5C%5E%60%22%3C%3E"),
            ("http://h?a b#c d", "http://h?a%20b#c%20d"),
            ("http://h/\r\n", "http://h/%0D%0A"), ("http://h/\0", "http://h/%00"),
            ("http://h/?a=[1]", "http://h/?a=%5B1%5D"),
            ("http://h:/", "http://h/"), ("http://h:?q", "http://h?q"),
            ("http://[2001:DB8::1]/", "http://[2001:db8::1]/"),
            ("http://h/a#b#c", "http://h/a#b%23c"), ("http://h/a?b?c", "http://h/a?b?c"),
            ("http://h/e\u{301}", "http://h/e%CC%81"),
        ]
    )
    func normalized(text: String, normal: String) throws {
        #expect(try RequestURL(text).text == normal)
        #expect(try RequestURL(normal).text == normal)
    }

    @Test(
        "A . or .. segment, escaped or not, throws",
        arguments: [
            "/.", "/..", "/./", "/../", "/a/.", "/a/..", "/a/./b", "/a/../b", "/%2e", "/%2E%2E/", "/a/.%2e/b", "/%2e.",
            "//..",
            "/..?q", "/.#f", "/é/..",
        ]
    )
    func dotSegments(path: String) {
        let error = #expect(throws: RequestError.self) { try RequestURL("http://h" + path) }
        #expect(error?.code == .dotSegment)
    }

    @Test(
        "Dots in other places are accepted",
        arguments: ["/...", "/a.", "/.a", "/..a/b..", "/a?/../b", "/a#/../b", "/a?.", "/%252e", "/%2e%2e%2e", "/.%00"]
    )
    func otherDots(target: String) throws {
        #expect(try RequestURL("http://h" + target).text == "http://h" + target)
    }

    @Test("A parsed URL is ASCII, has one authority and parses to itself")
    func anyText() throws {
        var built = 0
        let broken = HostileText(seed: 9, count: 20_000).first { text in
            guard let url = try? RequestURL("https://api.example.com\(text)") else { return false }
            built += 1
            let again = try? RequestURL(url.text)
            return !url.text.utf8.allSatisfy { (0x21...0x7E).contains($0) } || again?.text != url.text
                || url.host != again?.host || url.target != again?.target
                || !url.text.hasPrefix("https://\(url.authority)")
        }
        #expect(broken == nil)
        #expect(built > 1_000)
    }

    // MARK: Resolving of references

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
