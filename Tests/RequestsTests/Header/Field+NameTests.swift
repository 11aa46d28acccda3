import Requests
import Testing

@Suite("A field's name", .timeLimit(.minutes(5)))
struct FieldNameTests {
    @Test(
        "is compared without regard to case",
        arguments: [("Content-Type", "content-type"), ("ETag", "ETAG"), ("x-a_B.9~", "X-A_b.9~"), ("", "")]
    )
    func equal(left: String, right: String) {
        #expect(Field.Name(left) == Field.Name(right))
        #expect(Field.Name(left).hashValue == Field.Name(right).hashValue)
    }

    @Test(
        "only letters have a case: other bytes that differ in the same bit are other names",
        arguments: [
            ("X@", "X`"), ("X[", "X{"), ("X^", "X~"), ("X_", "X\u{7F}"), ("X", "X-"), ("K", "\u{212A}"), ("É", "é"),
        ]
    )
    func different(left: String, right: String) {
        #expect(Field.Name(left) != Field.Name(right))
    }

    @Test("is sent in the spelling it was made with")
    func spelling() {
        let name: Field.Name = "x-Request-ID"
        #expect(name.rawValue == "x-Request-ID")
        #expect(name.description == "x-Request-ID")
        #expect(Field(name: name, value: "1").description == "x-Request-ID: 1")
    }

    @Test("can be made of a literal, of text and of a raw value")
    func making() {
        let text = "X-Own"
        let names: Set<Field.Name> = ["X-Own", Field.Name(text), Field.Name(rawValue: text)]
        #expect(names.count == 1)
    }

    @Test(
        "is sensitive where it carries credentials, and only there",
        arguments: [
            (.authorization, true), (.cookie, true), (.setCookie, true), (.proxyAuthorization, true), ("API-KEY", true),
            (.accept, false), (.contentType, false), (.host, false), (.location, false), (.wwwAuthenticate, false),
        ] as [(Field.Name, Bool)]
    )
    func sensitivity(name: Field.Name, isSensitive: Bool) {
        #expect(name.isSensitive == isSensitive)
    }

    @Test(
        "the standard names are spelled as in their specification",
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
