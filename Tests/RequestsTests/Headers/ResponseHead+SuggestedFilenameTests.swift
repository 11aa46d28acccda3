import Foundation
import Requests
import Testing

/// Many values come from RFC 6266 §5 and the test cases at greenbytes.de/tech/tc2231.
@Suite("Suggested file names", .timeLimit(.minutes(5)))
struct ResponseHeadSuggestedFilenameTests {
    private func name(_ values: String...) throws -> String? {
        let header = Header(values.map { Field(name: "Content-Disposition", value: $0) })
        return try ResponseHead(statusCode: 200, header: header, url: RequestURL("https://h/other.txt"))
            .suggestedFilename
    }

    @Test(
        "A name is read from a token or a quoted string",
        arguments: [
            ("attachment; filename=foo.html", "foo.html"), ("Attachment; FILENAME=foo.html", "foo.html"),
            (#"attachment; filename="foo.html""#, "foo.html"), (#"inline; filename="foo bar.html""#, "foo bar.html"),
            (#"attachment; filename="f\oo.html""#, "foo.html"), (#"attachment; filename="\"a\".html""#, "\"a\".html"),
            (#"attachment; filename="a;b.html""#, "a;b.html"),
            ("attachment;filename = 'foo.html' ; size=1", "'foo.html'"),
            (#"attachment; foo="\"filename=bar"; filename=foo.html"#, "foo.html"),
            (#"attachment; filename="a" x; filename="b""#, "a"), ("attachment; filename=my file.html", "my file.html"),
            ("attachment; name=x;; filename=foo.html;", "foo.html"),
            (#"attachment; filename="naïve.html""#, "naïve.html"),
            (#"attachment; filename="a%2Fb%41.html""#, "a%2Fb%41.html"),
            (#"attachment; filename="foo.html"#, "foo.html"),
        ]
    )
    func plain(value: String, expected: String) throws {
        #expect(try name(value) == expected)
    }

    @Test(
        "A filename* in UTF-8 or ISO-8859-1 wins over filename",
        arguments: [
            ("attachment; filename*=UTF-8''%e2%82%ac%20rates", "€ rates"),
            (#"attachment; filename="EURO rates"; filename*=utf-8''%e2%82%ac%20rates"#, "€ rates"),
            (#"attachment; filename*=UTF-8'en'%c3%a4.html; filename="a.html""#, "ä.html"),
            ("attachment; filename*=iso-8859-1''foo-%E4.html", "foo-ä.html"),
            ("attachment; filename*=UTF-8''a'b%25%2541.html", "a'b%%41.html"),
        ]
    )
    func extended(value: String, expected: String) throws {
        #expect(try name(value) == expected)
    }

    @Test(
        "A filename* with an unknown charset or invalid bytes is ignored",
        arguments: [
            "foo.html", "UTF-8'foo.html", "windows-1252''%80.html", "''foo.html", "UTF-8''foo-%E4.html",
            "UTF-8''%ED%A0%80",
        ]
    )
    func unreadable(value: String) throws {
        #expect(try name("attachment; filename*=\(value); filename=plain.html") == "plain.html")
        #expect(try name("attachment; filename*=\(value)") == nil)
    }

    @Test(
        "Only the last path component is used, with any kind of slash",
        arguments: [
            (#"attachment; filename="/etc/passwd""#, "passwd"),
            (#"attachment; filename="../../.ssh/config""#, "config"),
            (#"attachment; filename="..\\..\\boot.ini""#, "boot.ini"),
            ("attachment; filename*=UTF-8''..%2F..%2Fpasswd", "passwd"),
            ("attachment; filename*=UTF-8''a%5Cb", "b"), ("attachment; filename*=UTF-8''a%00b%0A%7F%C2%85c", "abc"),
            ("attachment; filename*=UTF-8''cod%E2%80%AEgpj.exe", "codgpj.exe"), ("attachment; filename=...", "..."),
            ("attachment; filename*=UTF-8''a%2F%CC%81b", "\u{301}b"),
        ]
    )
    func paths(value: String, expected: String) throws {
        #expect(try name(value) == expected)
    }

    @Test(
        "A name without valid characters is `nil`",
        arguments: ["", ".", "..", "/", "a/", "a/..", "a\\\\.", " ", " .. ", "\t"]
    )
    func useless(name text: String) throws {
        #expect(try name("attachment; filename=\"\(text)\"") == nil)
        #expect(try name("attachment; filename*=UTF-8''\(text)") == nil)
        #expect(try name("attachment; filename*=UTF-8''%2E%00%2E") == nil)
    }

    @Test(
        "A response without a suggested name returns `nil`",
        arguments: ["", "inline", "attachment;", "filename=a", "attachment; filename", "; filename=a"]
    )
    func unsaid(value: String) throws {
        #expect(try name(value) == nil)
        #expect(try name() == nil)
    }

    @Test("The first of several names counts")
    func several() throws {
        #expect(try name("attachment; filename=a; filename=b") == "a")
    }
}
