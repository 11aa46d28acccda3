import Foundation
import Requests
import Testing

@Suite("An endpoint", .timeLimit(.minutes(5)))
struct EndpointTests {
    private let api = AnonymousRequestProvider("https://api.example.com/v1")

    private func url(_ endpoint: Endpoint) throws -> String {
        try api.get(.data, from: endpoint).prepared().url.text
    }

    @Test(
        "an interpolated value is encoded as ONE segment: /, ?, # and % included",
        arguments: [
            ("alex", "alex"), ("a/b", "a%2Fb"), ("a?b", "a%3Fb"), ("a#b", "a%23b"), ("a%b", "a%25b"),
            ("a%2Fb", "a%252Fb"),
            ("../admin", "..%2Fadmin"), ("..\\admin", "..%5Cadmin"), ("a b", "a%20b"), ("é", "%C3%A9"),
            ("e\u{301}", "e%CC%81"),
            ("😀", "%F0%9F%98%80"), ("a\r\nb", "a%0D%0Ab"), ("a\0", "a%00"), ("a;b", "a%3Bb"),
            ("a&b=c+d", "a%26b%3Dc%2Bd"),
            ("-._~", "-._~"), ("...", "..."), (".a", ".a"), ("%252E", "%25252E"), ("@:", "%40%3A"),
            ("\u{301}", "%CC%81"),
        ]
    )
    func interpolation(value: String, encoded: String) throws {
        #expect(try url("/users/\(value)/posts") == "https://api.example.com/v1/users/\(encoded)/posts")
    }

    @Test("anything with a description can be interpolated, also as a part of a segment")
    func descriptions() throws {
        let id = try #require(UUID(uuidString: "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"))
        #expect(
            try url("/\(42)/\(1.5)/\(true)/\(id)/\("a/b"[...])/v\(2)-\("x y").json").hasSuffix(
                "/v1/42/1.5/true/A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11/a%2Fb/v2-x%20y.json"
            )
        )
    }

    @Test(
        "a value that is empty, . or .., raw or after one decoding, makes the build throw unsafeSegment",
        arguments: ["", ".", "..", "%2E", "%2e", "%2E%2E", "%2e.", ".%2E", "%2e%2E"]
    )
    func unsafeValues(value: String) {
        for endpoint: Endpoint in [
            "/users/\(value)/posts", "/users/\(value)", "\(value)", "/users/v\(value)", "/\("ok")/\(value)",
        ] {
            let error = #expect(throws: InvalidRequestURLError.self) { try url(endpoint) }
            #expect(error?.code == .unsafeSegment)
            #expect(error?.culprit == value)
        }
    }

    @Test("the first of several unsafe values is the one that is named, with what stands before it")
    func firstUnsafeValue() {
        let error = #expect(throws: InvalidRequestURLError.self) { try url("/a/\("..")/\("")") }
        #expect(error?.culprit == "..")
        #expect(error?.message.contains("“..” after “/a/”") == true)
    }

    @Test("the path of an endpoint with an unsafe value cannot be built as a string either")
    func unsafePath() {
        for value in ["", ".", "%2e%2E"] {
            let path = Endpoint("/users/\(value)").path
            #expect(throws: InvalidRequestURLError.self) { try url(Endpoint(path: path)) }
            #expect(throws: InvalidRequestURLError.self) { try api.request(to: path, using: .get).prepared() }
        }
    }

    @Test("a value is interpolated by its raw value where it has no description")
    func rawValues() throws {
        struct Tag: RawRepresentable { var rawValue: String }
        enum Kind: String { case large = "a/b" }
        struct Number: RawRepresentable, CustomStringConvertible {
            var rawValue: Int
            var description: String { "n\(rawValue)" }
        }
        let path = Endpoint("/\(Tag(rawValue: "7/delete"))/\(Kind.large)/\(Number(rawValue: 1))").path
        #expect(path == "/7%2Fdelete/a%2Fb/n1")
        #expect(throws: InvalidRequestURLError.self) { try url("/a/\(Tag(rawValue: ".."))") }
    }

    @Test("an optional has no description of its own, so that it does not compile in an endpoint")
    func optionals() {
        let types: [(Any.Type, Bool)] = [
            (String.self, true), (Int.self, true), (String?.self, false), (Int?.self, false),
        ]
        for (type, isAccepted) in types { #expect((type is any CustomStringConvertible.Type) == isAccepted) }
    }

    @Test("`segments:` encodes each element as a segment of its own, with / between them")
    func segments() throws {
        let key = "2026/a b?#%2F/é.txt"
        #expect(
            try url("/b/\(segments: key.split(separator: "/"))")
                == "https://api.example.com/v1/b/2026/a%20b%3F%23%252F/%C3%A9.txt"
        )
        #expect(try url("/\(segments: ["a/b"])/c") == "https://api.example.com/v1/a%2Fb/c")
        #expect(
            try url("/v\(segments: ["1", "2"])-\(segments: ["3"]).json") == "https://api.example.com/v1/v1/2-3.json"
        )
    }

    @Test(
        "no segments, or one that is empty, . or .., make the build throw unsafeSegment",
        arguments: [
            ([], "", "/b/"), ([""], "", "/b/"), (["a", ""], "", "/b/a/"), (["", "a"], "", "/b/"),
            (["a", "..", "b"], "..", "/b/a/"), (["a", "%2e"], "%2e", "/b/a/"),
        ]
    )
    func unsafeSegments(segments: [String], culprit: String, before: String) {
        let error = #expect(throws: InvalidRequestURLError.self) { try url("/b/\(segments: segments)") }
        #expect(error?.code == .unsafeSegment)
        #expect(error?.culprit == culprit)
        #expect(error?.message.contains("after “\(before)”") == true)
    }

    @Test("`raw:` opts out: its slashes and escapes stay, all else follows the rules of the literal")
    func raw() throws {
        #expect(try url("/files/\(raw: "a/b c/%41")/x") == "https://api.example.com/v1/files/a/b%20c/%41/x")
        #expect(try url("/files/\(raw: "a?b#c%")") == "https://api.example.com/v1/files/a%3Fb%23c%25")
        #expect(try url("/files\(raw: "")") == "https://api.example.com/v1/files")
        let error = #expect(throws: InvalidRequestURLError.self) { try url("/files/\(raw: "a/../b")") }
        #expect(error?.code == .dotSegment)
        #expect(error?.culprit == "..")
    }

    @Test("the parts of an endpoint do not complete each other's escapes")
    func openEscapes() throws {
        #expect(try url("/100%\("41")") == "https://api.example.com/v1/100%2541")
        #expect(try url("/%4\("1")") == "https://api.example.com/v1/%2541")
        #expect(try url("/\(raw: "%2")\("F")") == "https://api.example.com/v1/%252F")
        #expect(try url("/\(raw: "%")\(raw: "2F")") == "https://api.example.com/v1/%252F")
        #expect(try url("/%2\(raw: "e")/x") == "https://api.example.com/v1/%252e/x")
    }

    @Test("a path that is only known at run time is encoded like a literal")
    func runTimePath() throws {
        let path = "/a b/%41/?c#d%"
        #expect(try url(Endpoint(path: path)) == "https://api.example.com/v1/a%20b/%41/%3Fc%23d%25")
        #expect(try url("/a b/%41/?c#d%") == "https://api.example.com/v1/a%20b/%41/%3Fc%23d%25")
    }

    @Test("its path and description are the path as written, interpolated values encoded")
    func path() {
        let endpoint: Endpoint = "/a b/\("c/d")"
        #expect(endpoint.path == "/a b/c%2Fd")
        #expect(endpoint.description == "/a b/c%2Fd")
        #expect(Endpoint(path: "/a b").path == "/a b")
        #expect(endpoint == "/a b/\(raw: "c%2Fd")")
        #expect(endpoint != "/a b/c/d")
    }
}
