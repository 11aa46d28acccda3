import Requests
import Testing

@Suite("Header fields", .timeLimit(.minutes(5)))
struct FieldTests {
    @Test(
        "spaces and tabs around a value are removed",
        arguments: [
            ("en", "en"), (" en", "en"), ("en\t", "en"), (" \t en, de \t ", "en, de"), ("", ""), (" ", ""),
            ("\t \t", ""),
            ("a  b", "a  b"), ("\u{A0}en", "\u{A0}en"), ("en\n", "en\n"), (" \r\n ", "\r\n"),
            ("\u{301} a", "\u{301} a"),
        ]
    )
    func trimming(written: String, value: String) {
        #expect(Array(Field(name: "X", value: written).value.utf8) == Array(value.utf8))
    }

    @Test("`==` compares fields as they are on the wire: it ignores the case of the name and the sensitive mark")
    func equality() {
        let field = Field(name: "X-Key", value: "a")
        #expect(field == Field(name: "x-key", value: " a "))
        #expect(field == field.sensitive())
        #expect(Set([field, Field(name: "X-KEY", value: "a"), field.sensitive()]).count == 1)
        #expect(field != Field(name: "X-Key", value: "A"))
        #expect(field != Field(name: "X-Key-2", value: "a"))
        #expect(Field(name: "X", value: "\u{E9}") != Field(name: "X", value: "e\u{301}"), "bytes are compared")
    }

    @Test(
        "a field whose name carries credentials is sensitive, however it is spelled",
        arguments: [
            "Authorization", "authorization", "PROXY-AUTHORIZATION", "Cookie", "Set-Cookie", "X-Api-Key", "Api-Key",
            "X-Auth-Token", "X-Access-Token", "X-Amz-Security-Token", "Private-Token", "X-CSRF-Token", "X-Xsrf-Token",
            "Authentication-Info", "Proxy-Authentication-Info",
        ] as [Field.Name]
    )
    func sensitiveNames(name: Field.Name) {
        let field = Field(name: name, value: "s3cret")
        #expect(field.isSensitive)
        #expect(field.description == "\(name): REDACTED")
    }

    @Test("any field can be marked as sensitive, and copies keep the mark")
    func mark() {
        let field = Field(name: "X-Tenant", value: "s3cret")
        #expect(!field.isSensitive)
        #expect(field.sensitive().isSensitive)
        #expect(!field.isSensitive, "marking makes a copy")
        let header: Header = [field.sensitive()]
        #expect(header[0].isSensitive)
    }

    @Test("a description is a header line, which shows the values of registered, harmless names only")
    func description() {
        #expect(Field(name: "accept-LANGUAGE", value: "a, b").description == "accept-LANGUAGE: a, b")
        #expect(Field(name: "X-Unknown", value: "a, b").description == "X-Unknown: REDACTED")
        #expect(Field(name: "X-Unknown", value: "a, b").sensitive(false).description == "X-Unknown: a, b")
        #expect(Field(name: "X-Session", value: "s3cret").sensitive().description == "X-Session: REDACTED")
    }

    @Test("printing a field never shows a sensitive value")
    func printing() {
        let field = Field.authorization("Bearer s3cret")
        let texts = [
            "\(field)", String(reflecting: field), "\([field])", "\(Optional(field) as Any)", "\((field, 1))",
            "\(["a": field])",
        ]
        for text in texts {
            #expect(!text.contains("s3cret"))
            #expect(text.contains("REDACTED"))
        }
    }

    // MARK: Header field names

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
            ("Accept", "Accepu"), ("\u{1E0D}\u{307}", "\u{1E0B}\u{323}"), ("é", "e\u{301}"),
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
}
