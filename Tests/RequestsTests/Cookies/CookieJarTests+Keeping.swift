import RequestsClient
import Testing

// Which cookies are kept, and the order in which they are sent.
extension CookieJarTests {
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

    @Test("Cookies with longer paths come first, then older ones")
    func order() throws {
        var jar = CookieJar()
        try store(["a=1; Path=/", "b=1; Path=/x", "c=1; Path=/x/y"], into: &jar, at: 0)
        try store(["d=1; Path=/x", "e=1; Path=/"], into: &jar, at: 1)
        try store(["f=1; Path=/; Domain=h"], into: &jar, at: 2)
        try store(["a=2; Path=/"], into: &jar, at: 3)
        #expect(try field(&jar) == "c=1; b=1; d=1; a=2; e=1; f=1")
    }

    @Test("A cookie replaces one with the same name, domain and path, and no other")
    func replacing() throws {
        var jar = CookieJar()
        try store(["a=1; Path=/", "a=2; Path=/x", "a=3; Path=/; Domain=h", "A=4; Path=/"], into: &jar, at: 0)
        try store(["a=5; Path=/; HttpOnly"], into: &jar, at: 1)
        #expect(try field(&jar) == "a=2; a=5; a=3; A=4")
        #expect(jar.cookies.first { $0.value == "5" }?.isHTTPOnly == true)
        try store(["a=; Path=/; Max-Age=0"], into: &jar, at: 2)
        #expect(try field(&jar) == "a=2; a=3; A=4")
    }

    @Test("An insecure connection can't replace a secure cookie")
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

    @Test("A domain has up to 50 cookies, and insecure and least recently used ones are evicted first")
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

    @Test("A jar has up to 3000 cookies, and the least recently used ones are evicted")
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

    @Test("Up to 50 cookies of a response are read")
    func perReply() throws {
        var jar = CookieJar()
        try store((0..<60).map { "c\($0)=1" }, into: &jar, at: 0)
        #expect(jar.cookies.count == 50)
        #expect(jar.cookies.contains { $0.name == "c49" })
    }

    @Test("A Cookie field has up to 8 KiB of whole cookies, in order")
    func fieldSize() throws {
        var jar = CookieJar()
        let value = String(repeating: "x", count: 4000)
        try store(["a=\(value); Path=/x/y", "b=\(value); Path=/x", "c=1; Path=/"], into: &jar, at: 0)
        #expect(try field(&jar) == "a=\(value); b=\(value); c=1")
        try store(["b=\(value)\(String(repeating: "x", count: 90)); Path=/x"], into: &jar, at: 0)
        try store(["a=\(value)\(String(repeating: "x", count: 94)); Path=/x/y"], into: &jar, at: 0)
        // 4096 + 2 + 4092 bytes are 8190, so that two more are allowed.
        #expect(try field(&jar)?.utf8.count == 8190)
        try store(["b=\(value)\(String(repeating: "x", count: 93)); Path=/x"], into: &jar, at: 0)
        #expect(try field(&jar)?.utf8.count == 4096)
    }

    @Test("A jar can be saved and loaded, and its cookies can be removed")
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

    @Test("Descriptions don't show the values of cookies")
    func descriptions() throws {
        var jar = CookieJar()
        try store(["a=s3cret"], into: &jar, at: 0)
        let store = CookieStore(jar)
        var text = "\(jar) \(String(reflecting: jar)) \(jar.cookies)"
        dump(jar, to: &text)
        dump(jar.cookies, to: &text)
        dump(store, to: &text)
        #expect(!text.contains("s3cret"))
        #expect(jar.cookies.map(\.description) == ["a=REDACTED; Domain=h; Path=/x"])
    }

    @Test("Cookies of one response are sent in its order, even if they are of different domains")
    func orderInResponse() throws {
        for values in [["a=1; Domain=h.x", "b=2", "c=3; Domain=h.x"], ["b=2", "a=1; Domain=h.x", "c=3"]] {
            var jar = CookieJar()
            try store(values, "https://s.h.x/", into: &jar, at: 0)
            let pairs = values.map { $0.prefix { $0 != ";" } }.joined(separator: "; ")
            #expect(try field(&jar, "https://s.h.x/") == pairs)
        }
    }

    @Test("Sending cookies doesn't make a jar different")
    func equality() throws {
        var jar = CookieJar()
        try store(["a=1", "b=2"], into: &jar, at: 0)
        let before = jar
        _ = try field(&jar, at: 50)
        #expect(jar == before)
        #expect(jar.hashValue == before.hashValue)
        #expect(jar.cookies.map(\.lastAccess) != before.cookies.map(\.lastAccess))
        try store(["a=2"], into: &jar, at: 0)
        #expect(jar != before)
    }
}
