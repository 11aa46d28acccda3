import Requests
import Testing

@Suite("Typed header fields", .timeLimit(.minutes(5)))
struct FieldStandardTests {
    @Test(
        "every typed field is spelled as in its specification",
        arguments: [
            (
                .accept(.json, .html.quality(0.8), .png.quality(0)),
                "Accept: application/json, text/html; q=0.8, image/png; q=0.0"
            ),
            (.acceptLanguage("da, en;q=0.5"), "Accept-Language: da, en;q=0.5"),
            (.acceptLanguage(inOrder: ["da", "en-GB", "en"]), "Accept-Language: da, en-GB;q=0.9, en;q=0.8"),
            (.acceptEncoding("gzip", "br"), "Accept-Encoding: gzip, br"),
            (
                .cacheControl(.noCache, .maxAge(60), .maxStale(), .maxStale(5)),
                "Cache-Control: no-cache, max-age=60, max-stale, max-stale=5"
            ),
            (
                .cacheControl(.noStore, .noTransform, .onlyIfCached, .minFresh(1)),
                "Cache-Control: no-store, no-transform, only-if-cached, min-fresh=1"
            ),
            (.contentType(.json), "Content-Type: application/json"),
            (.ifMatch("a", Field.EntityTag(value: "b", isWeak: true)), #"If-Match: "a", W/"b""#),
            (.ifMatch(), "If-Match: *"), (.ifNoneMatch("a"), #"If-None-Match: "a""#),
            (.ifNoneMatch(), "If-None-Match: *"),
            (.ifRange("a"), #"If-Range: "a""#),
            (
                .ifModifiedSince(Date(timeIntervalSince1970: 784_111_777)),
                "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT"
            ),
            (.ifUnmodifiedSince(Date(timeIntervalSince1970: 0)), "If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT"),
            (.idempotencyKey("k"), "Idempotency-Key: k"), (.range(bytes: 0...499), "Range: bytes=0-499"),
            (.range(bytes: 500...), "Range: bytes=500-"), (.range(lastBytes: 5), "Range: bytes=-5"),
            (.userAgent("a/1"), "User-Agent: a/1"), (.defaultUserAgent, "User-Agent: swift-requests/0.1"),
        ] as [(Field, String)]
    )
    func spelling(field: Field, line: String) {
        #expect(field.description == line)
    }

    @Test("`Cookie` contains the given pairs, and its value is redacted")
    func sensitive() {
        let field = Field.cookie(["a": "1", "b": "2"])
        #expect(field.value == "a=1; b=2")
        #expect(field.description == "Cookie: REDACTED")
    }

    @Test("Referer contains the URL without its user info and fragment")
    func referer() throws {
        let url = try #require(URL(string: "https://u:p@h/a?b=c#d"))
        #expect(Field.referer(url).value == "https://h/a?b=c")
    }

    @Test("Referer contains the absolute URL of a relative one")
    func relativeReferer() throws {
        let base = try #require(URL(string: "https://h/a/"))
        #expect(Field.referer(try #require(URL(string: "b", relativeTo: base))).value == "https://h/a/b")
    }

    @Test(
        "the text of an entity tag has no spaces, quotes and control characters (RFC 9110 §8.8.3)",
        arguments: [
            ("", true), ("!", true), ("#", true), ("~", true), ("é", true), (" ", false), ("\u{1F}", false),
            ("\"", false), ("\u{7F}", false),
        ]
    )
    func entityTag(value: String, isValid: Bool) {
        let text = "\"\(value)\""
        let tag = Field.EntityTag(text)
        #expect(tag?.value == (isValid ? value : nil))
    }

    @Test(
        "qualities are clamped to the range from 0 to 1",
        arguments: [(2, "1.0"), (-1, "0.0"), (0.12345, "0.123"), (.nan, "1.0")]
    )
    func quality(quality: Double, text: String) {
        #expect(MediaType.json.quality(0.5).quality(quality).rawValue == "application/json; q=\(text)")
    }

    @Test(
        "a typed field that can't represent its value throws when the request is built",
        arguments: [
            .cookie(["a": "1; admin=1"]), .cookie(["a": "1", "b; c": "2"]), .cookie(["a=b": "1"]), .cookie(["": "1"]),
            .cookie(["a b": "1"]), .ifMatch("a", Field.EntityTag(value: "a\"b")), .ifNoneMatch("a b"),
            .ifRange(Field.EntityTag(value: "a\u{7F}")), .ifRange("W/\"v1\""),
            .range(bytes: -5...9), .range(bytes: (-5)...),
            .range(lastBytes: -1), .accept(MediaType(type: "a b", subtype: "c")),
            .accept(.json, MediaType(type: "a", subtype: "b;c")), .accept(MediaType(type: "", subtype: "b")),
            .accept(MediaType(type: "a", subtype: "b", parameters: [("c d", "e")])),
            .accept(MediaType(type: "a", subtype: "b", parameters: [("c", "e\r\nf")])),
        ] as [Field]
    )
    func invalid(field: Field) throws {
        let api = BaseURL("https://a.example")
        let error = #expect(throws: RequestError.self) {
            try api.get(.none, from: "/").adding(headerField: field).prepared()
        }
        #expect(error?.code == .invalidFieldValue || error?.code == .invalidMediaType)
        #expect(error?.message.contains(field.name.rawValue) == true)
        #expect(error?.message.contains("admin") == false)
    }

    @Test("an entity tag literal can be written with or without its quotes")
    func tagLiteral() {
        #expect(Field.EntityTag("\"v1\"") == "v1")
        #expect("\"v1\"" as Field.EntityTag == "v1")
        #expect("W/\"v1\"" as Field.EntityTag == Field.EntityTag(value: "v1", isWeak: true))
        #expect(("v1" as Field.EntityTag).rawValue == "\"v1\"")
    }
}

@Suite("HTTP dates", .timeLimit(.minutes(5)))
struct HTTPDateTests {
    @Test(
        "dates of every century are written in GMT",
        arguments: [
            (-62_167_219_200, "Sat, 01 Jan 0000 00:00:00 GMT"), (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
            (0.9, "Thu, 01 Jan 1970 00:00:00 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (951_868_800, "Wed, 01 Mar 2000 00:00:00 GMT"), (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
            (1_735_689_599, "Tue, 31 Dec 2024 23:59:59 GMT"), (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (1e300, "Fri, 31 Dec 9999 23:59:59 GMT"), (-1e300, "Sat, 01 Jan 0000 00:00:00 GMT"),
        ]
    )
    func text(seconds: Double, text: String) {
        #expect(Field.ifModifiedSince(Date(timeIntervalSince1970: seconds)).value == text)
    }
}

@Suite("Entity tags", .timeLimit(.minutes(5)))
struct EntityTagTests {
    @Test(
        "a tag is parsed from a field value",
        arguments: [
            (#""v1""#, Field.EntityTag(value: "v1")), (#"W/"v1""#, Field.EntityTag(value: "v1", isWeak: true)),
            (#""""#, Field.EntityTag(value: "")), ("\"é\"", Field.EntityTag(value: "é")),
        ]
    )
    func reading(text: String, tag: Field.EntityTag) {
        #expect(Field.EntityTag(text) == tag)
        #expect(tag.description == text)
    }

    @Test(
        "text that isn't a tag gives nil",
        arguments: ["", "v1", "\"", "w/\"v1\"", "\"a\"b\"", "\"a b\"", "W/v1", " \"a\""]
    )
    func malformed(text: String) {
        #expect(Field.EntityTag(text) == nil)
    }
}
