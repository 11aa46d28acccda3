import RequestsTestSupport
import RequestsTesting
import Testing

@Suite("Cookie jar", .timeLimit(.minutes(5)))
struct CookieJarTests {
    // 2026-01-01T00:00:00Z
    static let now = Date(timeIntervalSince1970: 1_767_225_600)

    struct Row: Sendable, CustomTestStringConvertible {
        let setCookie: String
        let from: String
        let to: String
        let expected: String?

        init(_ setCookie: String, _ from: String, _ to: String, _ expected: String?) {
            (self.setCookie, self.from, self.to, self.expected) = (setCookie, from, to, expected)
        }

        var testDescription: String { "\(SampleText(setCookie)) from \(from) to \(to)" }
    }

    private func sent(_ row: Row, isPublicSuffix: ((String) -> Bool)? = nil) throws -> String? {
        var jar = CookieJar()
        let header: Header = [Field(name: .setCookie, value: row.setCookie)]
        jar.store(header, from: try RequestURL(row.from), at: Self.now, isPublicSuffix: isPublicSuffix)
        return jar.field(for: try RequestURL(row.to), at: Self.now)
    }

    @Test(
        "Set-Cookie is parsed as in RFC 6265bis §5.6",
        arguments: [
            Row("a=b", "http://h", "http://h", "a=b"), Row("a=b; ", "http://h", "http://h", "a=b"),
            Row(" a\t=\tb ;x", "http://h", "http://h", "a=b"), Row("a=b=c", "http://h", "http://h", "a=b=c"),
            Row("a=", "http://h", "http://h", "a="), Row("a", "http://h", "http://h", "a"),
            Row("=b", "http://h", "http://h", "b"), Row("=", "http://h", "http://h", nil),
            Row("; a=b", "http://h", "http://h", nil), Row("a=\"b c\"", "http://h", "http://h", "a=\"b c\""),
            Row("a=b,c=d", "http://h", "http://h", "a=b,c=d"), Row("a=é", "http://h", "http://h", "a=é"),
            Row("a=b\u{7F}", "http://h", "http://h", nil), Row("a=b\u{1}", "http://h", "http://h", nil),
            Row("a=b\tc", "http://h", "http://h", "a=b\tc"), Row("a=b;\u{301}x", "http://h", "http://h", "a=b"),
            Row(
                "a=" + String(repeating: "x", count: 4095),
                "http://h",
                "http://h",
                "a=" + String(repeating: "x", count: 4095)
            ),
            Row("a=" + String(repeating: "x", count: 4096), "http://h", "http://h", nil),
            Row("a=b; Path=/" + String(repeating: "x", count: 1024), "http://h", "http://h/", "a=b"),
        ]
    )
    func parsing(row: Row) throws {
        #expect(try sent(row) == row.expected)
    }

    @Test(
        "A cookie is sent to its host, and to subdomains if it has a domain that isn't a public suffix",
        arguments: [
            Row("a=b", "http://h.example", "http://h.example:81", "a=b"),
            Row("a=b", "http://h.example", "https://h.example", "a=b"),
            Row("a=b", "http://h.example", "http://x.h.example", nil),
            Row("a=b", "http://h.example", "http://example", nil),
            Row("a=b; Domain=h.example", "http://h.example", "http://x.h.example", "a=b"),
            Row("a=b; Domain=.h.example", "http://h.example", "http://x.h.example", "a=b"),
            Row("a=b; DOMAIN=H.EXAMPLE", "http://h.example", "http://x.y.h.example", "a=b"),
            Row("a=b; Domain=h.example", "http://x.h.example", "http://y.h.example", "a=b"),
            Row("a=b; Domain=h.example", "http://x.h.example", "http://h.example", "a=b"),
            Row("a=b; Domain=h.example", "http://x.h.example", "http://evilh.example", nil),
            Row("a=b; Domain=h.example", "http://evilh.example", "http://evilh.example", nil),
            Row("a=b; Domain=x.h.example", "http://h.example", "http://h.example", nil),
            Row("a=b; Domain=other.example", "http://h.example", "http://h.example", nil),
            Row("a=b; Domain=other.example; Domain=h.example", "http://h.example", "http://x.h.example", "a=b"),
            Row("a=b; Domain=h.example; Domain=", "http://h.example", "http://x.h.example", nil),
            Row("a=b; Domain=", "http://h.example", "http://h.example", "a=b"),
            Row("a=b; Domain=..h.example", "http://h.example", "http://h.example", nil),
            Row("a=b; Domain=example", "http://h.example", "http://h.example", nil),
            Row("a=b; Domain=example", "http://example", "http://example", "a=b"),
            Row("a=b; Domain=example", "http://example", "http://h.example", nil),
            Row("a=b; Domain=1.2.3.4", "http://1.2.3.4", "http://1.2.3.4", "a=b"),
            Row("a=b; Domain=3.4", "http://1.2.3.4", "http://1.2.3.4", nil),
            Row("a=b; Domain=4", "http://1.2.3.4", "http://1.2.3.4", nil),
            Row("a=b", "http://[::1]", "http://[::1]:8080", "a=b"),
        ]
    )
    func domains(row: Row) throws {
        #expect(try sent(row) { $0 == "example" } == row.expected)
    }

    @Test(
        "Without a list of public suffixes, a cookie for a parent domain is stored for the host only",
        arguments: [
            Row("a=b; Domain=h.example", "http://x.h.example", "http://x.h.example", "a=b"),
            Row("a=b; Domain=h.example", "http://x.h.example", "http://y.x.h.example", nil),
            Row("a=b; Domain=h.example", "http://x.h.example", "http://h.example", nil),
            Row("a=b; Domain=h.example", "http://h.example", "http://x.h.example", "a=b"),
            Row("a=b; Domain=other.example", "http://h.example", "http://h.example", nil),
        ]
    )
    func withoutSuffixes(row: Row) throws {
        #expect(try sent(row) == row.expected)
    }

    @Test(
        "A cookie is sent to its path and the paths below",
        arguments: [
            Row("a=b; Path=/x", "http://h", "http://h/x", "a=b"),
            Row("a=b; Path=/x", "http://h", "http://h/x/y", "a=b"),
            Row("a=b; Path=/x", "http://h", "http://h/xy", nil), Row("a=b; Path=/x", "http://h", "http://h/", nil),
            Row("a=b; Path=/x/", "http://h", "http://h/x", nil),
            Row("a=b; Path=/x/", "http://h", "http://h/x/y", "a=b"),
            Row("a=b; Path=/X", "http://h", "http://h/x", nil), Row("a=b; Path=/", "http://h/x/y", "http://h", "a=b"),
            Row("a=b", "http://h/x/y", "http://h/x", "a=b"), Row("a=b", "http://h/x/y", "http://h/x/z", "a=b"),
            Row("a=b", "http://h/x/y", "http://h/", nil), Row("a=b", "http://h/x", "http://h/", "a=b"),
            Row("a=b", "http://h/x/", "http://h/x", "a=b"), Row("a=b", "http://h", "http://h/x", "a=b"),
            Row("a=b; Path=x", "http://h/y/z", "http://h/y", "a=b"), Row("a=b; Path", "http://h/y/z", "http://h/", nil),
            Row("a=b; Path=/x; Path=/y", "http://h", "http://h/y", "a=b"),
            Row("a=b; Path=/x; Path=y", "http://h/z/", "http://h/z", "a=b"),
            Row("a=b; Path=/x?y", "http://h", "http://h/x?y", nil),
        ]
    )
    func paths(row: Row) throws {
        #expect(try sent(row) == row.expected)
    }

    @Test(
        "Cookies must meet the requirements of Secure, SameSite=None and the name prefixes",
        arguments: [
            Row("a=b; Secure", "https://h", "https://h", "a=b"), Row("a=b; secure=x", "https://h", "http://h", nil),
            Row("a=b; Secure", "http://h", "https://h", nil),
            Row("a=b; Secure", "http://localhost:3000", "http://localhost:3000", "a=b"),
            Row("a=b; Secure", "http://app.localhost", "http://app.localhost", "a=b"),
            Row("a=b; Secure", "http://127.1.2.3", "http://127.1.2.3", "a=b"),
            Row("a=b; Secure", "http://[::1]", "http://[::1]", "a=b"),
            Row("a=b; Secure", "http://mylocalhost", "http://mylocalhost", nil),
            Row("a=b; Secure", "http://localhost.example", "http://localhost.example", nil),
            Row("a=b; Secure", "http://127.0.0.1.example", "http://127.0.0.1.example", nil),
            Row("a=b; Secure", "http://128.0.0.1", "http://128.0.0.1", nil),
            Row("a=b; SameSite=None", "https://h", "https://h", nil),
            Row("a=b; SameSite=None; Secure", "https://h", "https://h", "a=b"),
            Row("a=b; SameSite=Strict", "http://h", "http://h", "a=b"),
            Row("a=b; SameSite=Other", "http://h", "http://h", "a=b"),
            Row("a=b; HttpOnly", "http://h", "http://h", "a=b"),
            Row("__Secure-a=b; Secure", "https://h", "https://h", "__Secure-a=b"),
            Row("__Secure-a=b", "https://h", "https://h", nil), Row("__sEcUrE-a=b", "https://h", "https://h", nil),
            Row("__Host-a=b; Secure; Path=/", "https://h", "https://h", "__Host-a=b"),
            Row("__Http-a=b; Secure; HttpOnly", "https://h", "https://h", "__Http-a=b"),
            Row("__Http-a=b; Secure", "https://h", "https://h", nil),
            Row("__http-a=b; HttpOnly", "https://h", "https://h", nil),
            Row("__Host-Http-a=b; Secure; HttpOnly; Path=/", "https://h", "https://h", "__Host-Http-a=b"),
            Row("__Host-Http-a=b; Secure; Path=/", "https://h", "https://h", nil),
            Row("__HOST-HTTP-a=b; Secure; HttpOnly", "https://h", "https://h", nil),
            Row("=__Http-a=b; Secure; HttpOnly", "https://h", "https://h", nil),
            Row("__Host-a=b; Secure", "https://h", "https://h", nil),
            Row("__Host-a=b; Path=/", "https://h", "https://h", nil),
            Row("__Host-a=b; Secure; Path=/x", "https://h", "https://h/x", nil),
            Row("__Host-a=b; Secure; Path=x", "https://h/", "https://h/x", "__Host-a=b"),
            Row("__Host-a=b; Secure; Path=/; Domain=h", "https://h", "https://h", nil),
            Row("__host-a=b; Secure", "https://h", "https://h", nil),
            Row("__Host-\u{301}=b", "https://h", "https://h", nil),
            Row("=__Host-a=b; Secure; Path=/", "https://h", "https://h", nil),
            Row("=__Secure-a; Secure", "https://h", "https://h", nil), Row("__SECURE-", "https://h", "https://h", nil),
        ]
    )
    func promises(row: Row) throws {
        #expect(try sent(row) == row.expected)
    }

    @Test(
        "A cookie expires after at most 400 days, and Max-Age and the last of repeated attributes win",
        arguments: [
            ("", nil), ("Max-Age=10", 10), ("Max-Age=0", 0), ("Max-Age=-5", 0), ("Max-Age=", nil), ("Max-Age=1x", nil),
            ("Max-Age=+5", nil), ("Max-Age=99999999999999999999", 34_560_000), ("Max-Age=10; Max-Age=20", 20),
            ("Max-Age=10; Max-Age=x", 10), ("Max-Age=-", nil), ("max-age = 10 ", 10),
            ("Expires=Thu, 01 Jan 2026 00:00:10 GMT", 10), ("Expires=Thu, 01 Jan 2026 00:00:00 GMT", 0),
            ("Expires=Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Expires=Fri, 31 Dec 9999 23:59:59 GMT", 34_560_000),
            ("Expires=never", nil), ("Expires=Thu, 01 Jan 2026 00:00:10 GMT; Expires=never", 10),
            ("Expires=Thu, 01 Jan 2026 00:00:10 GMT; Expires=Thu, 01 Jan 2026 00:00:20 GMT", 20),
            ("Max-Age=30; Expires=Thu, 01 Jan 1970 00:00:00 GMT", 30),
            ("Expires=Thu, 01 Jan 2026 00:00:10 GMT; Max-Age=0", 0),
        ] as [(String, Double?)]
    )
    func expiry(attributes: String, seconds: Double?) throws {
        var jar = CookieJar()
        let url = try RequestURL("http://h")
        jar.store([Field(name: .setCookie, value: "a=b; \(attributes)")], from: url, at: Self.now)
        guard let seconds else {
            #expect(jar.cookies.map(\.expires) == [nil])
            #expect(jar.field(for: url, at: Self.now + 1e9) == "a=b")
            #expect(jar.persistent().isEmpty)
            return
        }
        #expect(jar.persistent() == jar)
        #expect(jar.isEmpty == (seconds == 0))
        #expect(jar.field(for: url, at: Self.now + seconds - 1) == (seconds > 0 ? "a=b" : nil))
        #expect(jar.field(for: url, at: Self.now + seconds) == nil)
    }

    @Test("An expired secure cookie doesn't prevent an insecure one")
    func expiredSecureCookie() throws {
        var jar = CookieJar()
        let (secure, plain) = (try RequestURL("https://h"), try RequestURL("http://h"))
        jar.store([Field(name: .setCookie, value: "a=1; Secure; Max-Age=10")], from: secure, at: Self.now)
        jar.store([Field(name: .setCookie, value: "a=2")], from: plain, at: Self.now + 9)
        #expect(jar.field(for: plain, at: Self.now + 9) == nil)
        jar.store([Field(name: .setCookie, value: "a=3")], from: plain, at: Self.now + 11)
        #expect(jar.field(for: plain, at: Self.now + 11) == "a=3")
    }
}
