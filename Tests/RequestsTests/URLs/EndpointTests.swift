import Requests
import RequestsTestSupport
import Testing

@Suite("Endpoints", .timeLimit(.minutes(5)))
struct EndpointTests {
    private let api = BaseURL("https://api.example.com/v1")

    private func url(_ endpoint: Endpoint) throws -> String {
        try api.get(.data, from: endpoint).prepared().url.text
    }

    @Test(
        "an interpolated value is encoded as one segment, including /, ?, # and %",
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

    @Test(
        "a key keeps all of its slashes, and everything else in it is data",
        arguments: [
            ("a+b//c/", "/a%2Bb//c/"), ("a//b", "/a//b"), ("trailing/", "/trailing/"), ("", "/"), ("/lead", "//lead"),
            ("//", "///"), ("a%2Fb", "/a%252Fb"), ("a?b#c", "/a%3Fb%23c"), ("%2E%2E/é", "/%252E%252E/%C3%A9"),
            ("a b.txt", "/a%20b.txt"), ("https://b", "/https%3A//b"),
        ]
    )
    func key(key: String, path: String) throws {
        #expect(try url(Endpoint(key: key)) == "https://api.example.com/v1\(path)")
        let root = BaseURL("https://bucket.example.com/?region=1")
        #expect(
            try root.get(.data, from: Endpoint(key: key)).prepared().url.text
                == "https://bucket.example.com\(path)?region=1"
        )
        #expect(try url(Endpoint(key: key).prefixed(by: "/bucket/")) == "https://api.example.com/v1/bucket\(path)")
        for prefix in ["", "/"] as [Endpoint] {
            #expect(try url(Endpoint(key: key).prefixed(by: prefix)) == "https://api.example.com/v1\(path)")
        }
        #expect(try url(("/b" as Endpoint).prefixed(by: Endpoint(key: ""))) == "https://api.example.com/v1/b")
    }

    @Test("a dot segment of a key throws", arguments: ["..", "a/../b", "./a", "a/."])
    func dotsInKey(key: String) {
        let error = #expect(throws: RequestError.self) { try url(Endpoint(key: key)) }
        #expect(error?.code == .dotSegment)
    }

    @Test("values with a lossless description can be interpolated, also as part of a segment")
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
            let error = #expect(throws: RequestError.self) { try url(endpoint) }
            #expect(error?.code == .unsafeSegment)
            #expect(error?.subject == value)
        }
    }

    @Test("the error names the first unsafe value and the path before it")
    func firstUnsafeValue() {
        let error = #expect(throws: RequestError.self) { try url("/a/\("..")/\("")") }
        #expect(error?.subject == "..")
        #expect(error?.message.contains("“..” after “/a/”") == true)
    }

    @Test("the path of an endpoint with an unsafe value stays invalid as a string")
    func unsafePath() {
        for value in ["", ".", "%2e%2E"] {
            let path = Endpoint("/users/\(value)").path
            #expect(throws: RequestError.self) { try url(Endpoint(path: path)) }
        }
    }

    @Test("a value is interpolated by its raw value if it has no lossless description")
    func rawValues() throws {
        struct Tag: RawRepresentable { var rawValue: String }
        enum Kind: String { case large = "a/b" }
        struct Number: RawRepresentable, CustomStringConvertible {
            var rawValue: Int
            var description: String { "n\(rawValue)" }
        }
        let path = Endpoint("/\(Tag(rawValue: "7/delete"))/\(Kind.large)/\(Number(rawValue: 1))").path
        #expect(path == "/7%2Fdelete/a%2Fb/1")
        #expect(throws: RequestError.self) { try url("/a/\(Tag(rawValue: ".."))") }
    }

    @Test("a value with a lossless description and a raw value is interpolated by its description")
    func losslessRawValues() {
        struct Tag: RawRepresentable, LosslessStringConvertible {
            var rawValue: Int
            var description: String { "tag/\(rawValue)" }

            init(rawValue: Int) { self.rawValue = rawValue }
            init?(_ description: String) { nil }
        }
        #expect(Endpoint("/\(Tag(rawValue: 7))/a").path == "/tag%2F7/a")
    }

    @Test("optionals, arrays and dates don't conform to the protocol that interpolation requires")
    func optionals() {
        let types: [(Any.Type, Bool)] = [
            (String.self, true), (Int.self, true), (String?.self, false), (Int?.self, false), ([Int].self, false),
            (Date.self, false),
        ]
        for (type, isAccepted) in types { #expect((type is any LosslessStringConvertible.Type) == isAccepted) }
    }

    @Test("a literal may contain a query, whose interpolated values are encoded")
    func literalQuery() throws {
        #expect(
            try url("/search?q=\("a&b=c?#/")&page=\(2)&from=\("")")
                == "https://api.example.com/v1/search?q=a%26b%3Dc%3F%23%2F&page=2&from="
        )
        #expect(try url("/search?q=\("..")") == "https://api.example.com/v1/search?q=..")
        #expect(try url("?q=a b%2Fc") == "https://api.example.com/v1?q=a%20b%2Fc")
        #expect(try url("/a?next=https://h/?x") == "https://api.example.com/v1/a?next=https://h/?x")
        let request = api.get(.data, from: "/a?b=1").with(query: ["c": 2])
        #expect(try request.prepared().url.target == "/v1/a?b=1&c=2")
    }

    @Test(
        "a fragment or an absolute URL in a literal makes the build throw an error that says what to write instead",
        arguments: [
            ("/a#b", "%23"), ("/a?b#c", "%23"), ("https://evil.example/a", "Endpoint(absolute:"),
            ("ftp://evil.example", "Endpoint(absolute:"),
        ] as [(Endpoint, String)]
    )
    func invalidLiterals(endpoint: Endpoint, spelling: String) {
        let error = #expect(throws: RequestError.self) { try url(endpoint) }
        #expect(error?.code == .invalidEndpoint)
        #expect(error?.message.contains(spelling) == true)
    }

    @Test("`segments:` encodes each element as one segment, separated by /")
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
        "`segments:` without elements, or with one that is empty, . or .., makes the build throw unsafeSegment",
        arguments: [
            ([], "", "/b/"), ([""], "", "/b/"), (["a", ""], "", "/b/a/"), (["", "a"], "", "/b/"),
            (["a", "..", "b"], "..", "/b/a/"), (["a", "%2e"], "%2e", "/b/a/"),
        ]
    )
    func unsafeSegments(segments: [String], subject: String, before: String) {
        let error = #expect(throws: RequestError.self) { try url("/b/\(segments: segments)") }
        #expect(error?.code == .unsafeSegment)
        #expect(error?.subject == subject)
        #expect(error?.message.contains("after “\(before)”") == true)
    }

    @Test("`raw:` keeps slashes and escapes, and encodes ? and #")
    func raw() throws {
        #expect(try url("/files/\(raw: "a/b c/%41")/x") == "https://api.example.com/v1/files/a/b%20c/%41/x")
        #expect(try url("/files/\(raw: "a?b#c%")") == "https://api.example.com/v1/files/a%3Fb%23c%25")
        #expect(try url("/files\(raw: "")") == "https://api.example.com/v1/files")
        let error = #expect(throws: RequestError.self) { try url("/files/\(raw: "a/../b")") }
        #expect(error?.code == .dotSegment)
        #expect(error?.subject == "..")
    }

    @Test("an incomplete escape isn't completed by the text after it")
    func openEscapes() throws {
        #expect(try url("/100%\("41")") == "https://api.example.com/v1/100%2541")
        #expect(try url("/%4\("1")") == "https://api.example.com/v1/%2541")
        #expect(try url("/\(raw: "%2")\("F")") == "https://api.example.com/v1/%252F")
        #expect(try url("/\(raw: "%")\(raw: "2F")") == "https://api.example.com/v1/%252F")
        #expect(try url("/%2\(raw: "e")/x") == "https://api.example.com/v1/%252e/x")
    }

    @Test("path and description are the path as written, with interpolated values encoded")
    func path() {
        let endpoint: Endpoint = "/a b/\("c/d")"
        #expect(endpoint.path == "/a b/c%2Fd")
        #expect(endpoint.description == "/a b/c%2Fd")
        #expect(Endpoint(path: "/a b").path == "/a b")
        #expect(endpoint == "/a b/\(raw: "c%2Fd")")
        #expect(endpoint != "/a b/c/d")
    }

    // MARK: Prefixes of endpoints

    private static let base = "https://api.example.com/v1"

    private static let endpoints: [Endpoint] = [
        "/a?b=1", Endpoint(path: "/a?b"), "/a/\(7)", Endpoint(key: "/a//b/"), "",
        Endpoint(absolute: URL("https://api.example.com/x?c=1"), origin: .same),
        Endpoint(absolute: URL("https://other.example/x"), origin: .same),
        "https://other.example/x", "/a#b", "/\("..")",
    ]
    private static let absolute = ["https://api.example.com/x?c=1", "otherOrigin", "invalidEndpoint"]
    private static let invalid = ["invalidEndpoint", "unsafeSegment"]

    /// Returns the URL that is built, or the code of the error.
    private func outcome(_ endpoint: Endpoint) -> String {
        do {
            return try BaseURL("https://api.example.com/v1").get(.data, from: endpoint).prepared().url.text
        } catch {
            return "\((error as? RequestError)?.code.rawValue ?? "\(error)")"
        }
    }

    @Test(
        "A prefix comes before every path, never before an absolute URL, and never hides the endpoint or its error",
        arguments: [
            (Named("nothing", ""), ["/a?b=1", "/a%3Fb", "/a/7", "//a//b/", ""]),
            (
                Named("a literal", "/v2?k=0"),
                ["/v2/a?k=0&b=1", "/v2/a%3Fb?k=0", "/v2/a/7?k=0", "/v2//a//b/?k=0", "/v2?k=0"]
            ),
            (Named("a literal without a slash", "v2"), ["/v2/a?b=1", "/v2/a%3Fb", "/v2/a/7", "/v2//a//b/", "/v2"]),
            (Named("a value", "/v\(2)/"), ["/v2/a?b=1", "/v2/a%3Fb", "/v2/a/7", "/v2//a//b/", "/v2/"]),
            (Named("a string", Endpoint(path: "/?")), ["/%3F/a?b=1", "/%3F/a%3Fb", "/%3F/a/7", "/%3F//a//b/", "/%3F"]),
            (Named("a key", Endpoint(key: "+")), ["/%2B/a?b=1", "/%2B/a%3Fb", "/%2B/a/7", "/%2B//a//b/", "/%2B"]),
        ] as [(Named<Endpoint>, [String])]
    )
    func paths(prefix: Named<Endpoint>, expected: [String]) {
        let outcomes = Self.endpoints.map { outcome($0.prefixed(by: prefix.value)) }
        #expect(outcomes == expected.map { Self.base + $0 } + Self.absolute + Self.invalid)
    }

    @Test(
        "A prefix that is an absolute URL or invalid makes the build throw, whatever the endpoint",
        arguments: [
            Named("a link", Endpoint(absolute: URL("https://api.example.com/x"), origin: .same)),
            Named("a literal URL", "https://api.example.com/x"), Named("a fragment", "/v#2"),
        ] as [Named<Endpoint>]
    )
    func absolutePrefix(prefix: Named<Endpoint>) throws {
        for endpoint in Self.endpoints { #expect(outcome(endpoint.prefixed(by: prefix.value)) == "invalidEndpoint") }
        let oneOff: Request<BaseURL, Void> = .delete(("/a" as Endpoint).prefixed(by: prefix.value))
        let error = #expect(throws: RequestError.self) { try oneOff.prepared() }
        #expect(error?.message.contains("prefix") == (prefix.name != "a fragment"))
    }

    @Test("The prefixed endpoint of a request without an API keeps its URL")
    func oneOff() throws {
        for prefix in ["/v2", Endpoint(key: "bucket")] as [Endpoint] {
            let request: Request<BaseURL, Void> = .delete(("https://a.example/x" as Endpoint).prefixed(by: prefix))
            #expect(try request.prepared().url.text == "https://a.example/x")
        }
    }

    // MARK: Endpoints with random text

    @Test(
        "an interpolated value stays in its segment and decodes to itself, or the build throws unsafeSegment"
    )
    func anyValue() throws {
        var built = 0
        let broken = try HostileText(seed: 3, count: 20_000).first { value in
            do {
                let path = try api.get(.data, from: "/users/\(value)/posts").prepared().url.path
                let segments = path.split(separator: "/", omittingEmptySubsequences: false)
                built += 1
                return segments.count != 5 || PercentDecoder.bytes(of: segments[3]) != Array(value.utf8)
            } catch let error as RequestError where error.code == .unsafeSegment {
                return !["", ".", ".."].contains(PercentDecoder.text(of: value))
            }
        }
        #expect(broken == nil)
        #expect(built > 15_000)
    }

    @Test("two adjacent values stay in their segment and decode to themselves")
    func adjacentValues() throws {
        let values = Array(HostileText(seed: 4, count: 20_000))
        let broken = try zip(values, values.dropFirst()).first { left, right in
            do {
                let url = try api.get(.data, from: "/%\(left)\(right)").prepared().url
                let segments = url.path.split(separator: "/", omittingEmptySubsequences: false)
                return segments.count != 3 || url.query != nil
                    || PercentDecoder.bytes(of: segments[2]) != Array("%\(left)\(right)".utf8)
            } catch let error as RequestError where error.code == .unsafeSegment {
                return false
            }
        }
        #expect(broken?.0 == nil)
    }

    @Test("a path known only at run time stays below the base path, decodes to itself and builds again to itself")
    func anyPath() throws {
        var built = 0
        let broken = try HostileText(seed: 5, count: 20_000).first { text in
            do {
                let url = try api.get(.data, from: Endpoint(path: text)).prepared().url
                built += 1
                let segments = url.path.split(separator: "/").map { PercentDecoder.text(of: $0) }
                let again = try api.get(.data, from: Endpoint(path: String(url.path.dropFirst(3)))).prepared().url
                let meant = Array("/v1/".utf8) + FormReader.percentDecoded(text.utf8.drop { $0 == UInt8(ascii: "/") })
                return try !url.text.hasPrefix("https://api.example.com/v1") || url.query != nil
                    || !text.isEmpty && PercentDecoder.bytes(of: url.path) != meant
                    || segments.contains(".")
                    || segments.contains("..") || RequestURL(url.text) != url || again != url
            } catch let error as RequestError where error.code == .dotSegment {
                return !text.contains(".") && !text.lowercased().contains("%2e")
            }
        }
        #expect(broken == nil)
        #expect(built > 12_000)
    }
}
