import Foundation
import Requests
import Testing

@Suite("A cookie jar")
struct CookieJarTests {
    // 2026-01-01T00:00:00Z
    private static let now = Date(timeIntervalSince1970: 1_767_225_600)

    struct Row: Sendable, CustomTestStringConvertible {
        let setCookie: String
        let from: String
        let to: String
        let expected: String?

        init(_ setCookie: String, _ from: String, _ to: String, _ expected: String?) {
            (self.setCookie, self.from, self.to, self.expected) = (setCookie, from, to, expected)
        }

        var testDescription: String { "\(setCookie) from \(from) to \(to)" }
    }

    private func sent(_ row: Row, isPublicSuffix: ((String) -> Bool)? = nil) throws -> String? {
        var jar = CookieJar()
        let header: Header = [Field(name: .setCookie, value: row.setCookie)]
        jar.store(header, from: try RequestURL(row.from), at: Self.now, isPublicSuffix: isPublicSuffix)
        return jar.field(for: try RequestURL(row.to), at: Self.now)
    }

    @Test(
        "reads Set-Cookie as RFC 6265bis §5.6 does",
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
        "sends a cookie to its domain alone, and to those below where a suffix is not public",
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
        "without a list of public suffixes keeps a cookie for another domain for the host alone",
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
        "sends a cookie to its path and those below",
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
        "keeps Secure, SameSite=None and the prefixes to what they promise",
        arguments: [
            Row("a=b; Secure", "https://h", "https://h", "a=b"), Row("a=b; secure=x", "https://h", "http://h", nil),
            Row("a=b; Secure", "http://h", "https://h", nil),
            Row("a=b; SameSite=None", "https://h", "https://h", nil),
            Row("a=b; SameSite=None; Secure", "https://h", "https://h", "a=b"),
            Row("a=b; SameSite=Strict", "http://h", "http://h", "a=b"),
            Row("a=b; SameSite=Other", "http://h", "http://h", "a=b"),
            Row("a=b; HttpOnly", "http://h", "http://h", "a=b"),
            Row("__Secure-a=b; Secure", "https://h", "https://h", "__Secure-a=b"),
            Row("__Secure-a=b", "https://h", "https://h", nil), Row("__sEcUrE-a=b", "https://h", "https://h", nil),
            Row("__Host-a=b; Secure; Path=/", "https://h", "https://h", "__Host-a=b"),
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
        "forgets a cookie when it expires, at most 400 days from now; Max-Age wins over Expires, the last of each counts",
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

    private func store(
        _ values: [String],
        _ url: String = "https://h/x/y",
        into jar: inout CookieJar,
        at second: Double
    )
        throws
    {
        let header = Header(values.map { Field(name: .setCookie, value: $0) })
        jar.store(header, from: try RequestURL(url), at: Self.now + second, isPublicSuffix: { _ in false })
    }

    private func field(_ jar: inout CookieJar, _ url: String = "https://h/x/y", at second: Double = 100) throws
        -> String?
    {
        jar.field(for: try RequestURL(url), at: Self.now + second)
    }

    @Test("sends longer paths first, then those that were set first")
    func order() throws {
        var jar = CookieJar()
        try store(["a=1; Path=/", "b=1; Path=/x", "c=1; Path=/x/y"], into: &jar, at: 0)
        try store(["d=1; Path=/x", "e=1; Path=/"], into: &jar, at: 1)
        try store(["f=1; Path=/; Domain=h"], into: &jar, at: 2)
        try store(["a=2; Path=/"], into: &jar, at: 3)
        #expect(try field(&jar) == "c=1; b=1; d=1; a=2; e=1; f=1")
    }

    @Test("replaces a cookie of the same name, domain and path, and of no other")
    func replacing() throws {
        var jar = CookieJar()
        try store(["a=1; Path=/", "a=2; Path=/x", "a=3; Path=/; Domain=h", "A=4; Path=/"], into: &jar, at: 0)
        try store(["a=5; Path=/; HttpOnly"], into: &jar, at: 1)
        #expect(try field(&jar) == "a=2; a=5; a=3; A=4")
        #expect(jar.cookies.first { $0.value == "5" }?.isHTTPOnly == true)
        try store(["a=; Path=/; Max-Age=0"], into: &jar, at: 2)
        #expect(try field(&jar) == "a=2; a=3; A=4")
    }

    @Test("leaves secure cookies alone where the connection is not secure")
    func secureAlone() throws {
        var jar = CookieJar()
        try store(["a=1; Secure; Path=/x"], "https://s.h/", into: &jar, at: 0)
        for (value, url) in [
            ("a=2; Path=/x", "http://s.h/"), ("a=3; Path=/x/z", "http://s.h/"),
            ("a=4; Domain=h; Path=/x", "http://s.h/"), ("a=5; Path=/x", "http://t.s.h/"),
        ] {
            let before = jar
            try store([value], url, into: &jar, at: 1)
            #expect(jar == before)
        }
        try store(["a=6; Path=/", "b=7; Path=/x"], "http://s.h/", into: &jar, at: 1)
        #expect(try field(&jar, "http://s.h/x") == "b=7; a=6")
    }

    @Test("keeps 50 cookies of a domain, and evicts those that are not secure first, then the least used")
    func perDomain() throws {
        var jar = CookieJar()
        try store((0..<25).map { "s\($0)=1; Secure; Path=/p\($0)" }, into: &jar, at: 0)
        try store((0..<25).map { "n\($0)=1; Path=/p\($0)" }, into: &jar, at: 1)
        #expect(jar.cookies.count == 50)
        _ = try field(&jar, "https://h/p0", at: 2)
        try store(["x=1"], into: &jar, at: 3)
        let names = Set(jar.cookies.map(\.name))
        #expect(names.count == 50)
        #expect(names.isSuperset(of: ["s0", "n0", "x"]))
        #expect(!names.contains("n1"))
    }

    @Test("keeps 3000 cookies in all, and evicts the least used")
    func inAll() throws {
        var jar = CookieJar()
        for number in 0..<60 {
            try store((0..<50).map { "c\($0)=1; Path=/" }, "https://h\(number)", into: &jar, at: Double(number))
        }
        _ = try field(&jar, "https://h0")
        try store(["x=1"], "https://other", into: &jar, at: 101)
        #expect(jar.cookies.count == 3000)
        #expect(jar.cookies.filter { $0.domain == "h0" }.count == 50)
        #expect(jar.cookies.filter { $0.domain == "h1" }.count == 49)
    }

    @Test("reads 50 cookies of a reply")
    func perReply() throws {
        var jar = CookieJar()
        try store((0..<60).map { "c\($0)=1" }, into: &jar, at: 0)
        #expect(jar.cookies.count == 50)
        #expect(jar.cookies.contains { $0.name == "c49" })
    }

    @Test("sends 8 KB at most, whole cookies alone, the first of the order")
    func fieldSize() throws {
        var jar = CookieJar()
        let value = String(repeating: "x", count: 4000)
        try store(["a=\(value); Path=/x/y", "b=\(value); Path=/x", "c=1; Path=/"], into: &jar, at: 0)
        #expect(try field(&jar) == "a=\(value); b=\(value); c=1")
        try store(["b=\(value)\(String(repeating: "x", count: 90)); Path=/x"], into: &jar, at: 0)
        try store(["a=\(value)\(String(repeating: "x", count: 94)); Path=/x/y"], into: &jar, at: 0)
        // 4096 + 2 + 4092 bytes are 8190, and two more are as many as there may be.
        #expect(try field(&jar)?.utf8.count == 8190)
        try store(["b=\(value)\(String(repeating: "x", count: 93)); Path=/x"], into: &jar, at: 0)
        #expect(try field(&jar)?.utf8.count == 4096)
    }

    @Test("is saved and loaded, and its cookies can be removed")
    func coding() throws {
        var jar = CookieJar()
        try store(["a=1; Max-Age=5; Secure; HttpOnly; SameSite=lax; Domain=h", "b=2"], into: &jar, at: 0)
        let loaded = try JSONDecoder().decode(CookieJar.self, from: JSONEncoder().encode(jar))
        #expect(loaded == jar)
        let cookie = try #require(loaded.cookies.first { $0.name == "a" })
        #expect(cookie.isSecure && cookie.isHTTPOnly && !cookie.isHostOnly)
        #expect(cookie.sameSite == .lax)
        #expect(cookie.path == "/x")
        #expect(jar.persistent().cookies.map(\.name) == ["a"])
        jar.removeAll { $0.name == "a" }
        #expect(jar.cookies.map(\.name) == ["b"])
        jar.removeAll()
        #expect(jar == CookieJar())
    }

    @Test("shows no value")
    func descriptions() throws {
        var jar = CookieJar()
        try store(["a=s3cret"], into: &jar, at: 0)
        let store = CookieStore(jar)
        var text = "\(jar) \(String(reflecting: jar)) \(jar.cookies)"
        dump(jar, to: &text)
        dump(jar.cookies, to: &text)
        dump(store, to: &text)
        #expect(!text.contains("s3cret"))
        #expect(jar.cookies.map(\.description) == ["a=<redacted>; Domain=h; Path=/x"])
    }
}
