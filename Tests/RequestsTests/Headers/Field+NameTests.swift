import Requests
import Testing

@Suite("Header field names", .timeLimit(.minutes(5)))
struct FieldNameTests {
    @Test(
        "names are compared without regard to case",
        arguments: [("Content-Type", "content-type"), ("ETag", "ETAG"), ("x-a_B.9~", "X-A_b.9~"), ("", "")]
    )
    func equal(left: String, right: String) {
        #expect(Field.Name(left) == Field.Name(right))
        #expect(Field.Name(left).hashValue == Field.Name(right).hashValue)
    }

    @Test(
        "names that differ in characters other than ASCII letters aren't equal",
        arguments: [
            ("X@", "X`"), ("X[", "X{"), ("X^", "X~"), ("X_", "X\u{7F}"), ("X", "X-"), ("K", "\u{212A}"), ("É", "é"),
        ]
    )
    func different(left: String, right: String) {
        #expect(Field.Name(left) != Field.Name(right))
    }

    @Test("a name is sent as it was written")
    func spelling() {
        let name: Field.Name = "x-Request-ID"
        #expect(name.rawValue == "x-Request-ID")
        #expect(name.description == "x-Request-ID")
        #expect(Field(name: name, value: "1").line(revealingSecrets: true) == "x-Request-ID: 1")
    }

    @Test("a name can be created from a literal, a string and a raw value")
    func making() {
        let text = "X-Own"
        let names: Set<Field.Name> = ["X-Own", Field.Name(text), Field.Name(rawValue: text)]
        #expect(names.count == 1)
    }

    @Test(
        "the standard names of credentials are sensitive, and other standard names aren't",
        arguments: [
            (.authorization, true), (.cookie, true), (.setCookie, true), (.proxyAuthorization, true), ("API-KEY", true),
            (.accept, false), (.contentType, false), (.host, false), (.location, false), (.wwwAuthenticate, false),
        ] as [(Field.Name, Bool)]
    )
    func sensitivity(name: Field.Name, isSensitive: Bool) {
        #expect(name.isSensitive == isSensitive)
    }

    @Test(
        "the standard names are spelled as in their specifications",
        arguments: [
            (.accept, "Accept"), (.acceptEncoding, "Accept-Encoding"), (.acceptLanguage, "Accept-Language"),
            (.authorization, "Authorization"), (.cacheControl, "Cache-Control"), (.contentEncoding, "Content-Encoding"),
            (.contentLength, "Content-Length"), (.contentType, "Content-Type"), (.cookie, "Cookie"), (.host, "Host"),
            (.location, "Location"), (.proxyAuthorization, "Proxy-Authorization"), (.setCookie, "Set-Cookie"),
            (.transferEncoding, "Transfer-Encoding"), (.userAgent, "User-Agent"),
            (.wwwAuthenticate, "WWW-Authenticate"),
        ] as [(Field.Name, String)]
    )
    func standard(name: Field.Name, spelling: String) {
        #expect(name.rawValue == spelling)
    }

    @Test("Names that are canonically equivalent but have different bytes aren't equal")
    func canonicalEquivalence() {
        #expect(Field.Name("\u{1E0D}\u{307}") != Field.Name("\u{1E0B}\u{323}"))
        #expect(Field.Name("é") != Field.Name("e\u{301}"))
        #expect(Field.Name("ACCEPT") == .accept)
        #expect(Field.Name("Accepu") != .accept)
    }
}
