#if FullFoundation
import Foundation
import Requests
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Hosts", .timeLimit(.minutes(5)))
struct HostTests {
    @Test(
        "Unicode hosts become ASCII",
        arguments: [
            ("bücher.example", "xn--bcher-kva.example"), ("BÜCHER.example", "xn--bcher-kva.example"),
            ("bu\u{308}cher.example", "xn--bcher-kva.example"), ("日本.example", "xn--wgv71a.example"),
            ("例え。テスト", "xn--r8jz45g.xn--zckzah"), ("ａｐｉ.example", "api.example"),
        ]
    )
    func ascii(host: String, expected: String) throws {
        let url = try RequestURL("https://\(host):8443/a?b")
        #expect(url.text == "https://\(expected):8443/a?b")
        #expect(url.host == expected)
        #expect(url.origin.port == 8443)
    }

    @Test(
        "An invalid Unicode host throws an error that names it",
        arguments: ["é b", "é%41", "é\\b", "é\u{0}", "é\r\n", "é<", "é|b", "\u{FFFD}", "[é]", "é..b"]
    )
    func notAName(host: String) {
        let error = #expect(throws: RequestError.self) { try RequestURL("https://\(host)/") }
        #expect(error?.code == .invalidHost)
        #expect(error?.subject == host)
    }

    @Test(
        "A character that looks like a delimiter never becomes one",
        arguments: [
            "a\u{FF0F}b", "a\u{2044}b", "a\u{FF1F}b", "a\u{FF03}b", "a\u{FF20}b", "a\u{FF1A}80", "a\u{2100}b",
            "a\u{2488}b", "\u{FF0E}\u{FF0E}b",
        ]
    )
    func lookalikes(host: String) {
        guard let url = try? RequestURL("https://\(host).example/p") else { return }
        #expect(url.host.utf8.allSatisfy { $0 == 45 || $0 == 46 || (48...57).contains($0) || (97...122).contains($0) })
        #expect(url.host.hasSuffix(".example"))
        #expect(url.target == "/p")
    }

    @Test("A Unicode host becomes the same ASCII host however the URL is built")
    func foundation() throws {
        let base = try #require(URL(string: "https://bücher.example/v1"))
        let request = BaseURL(baseURL: base).get(.data, from: "/x")
        #expect(try request.prepared().url.text == "https://xn--bcher-kva.example/v1/x")
        #expect(try request.toURLRequest().url?.absoluteString == "https://xn--bcher-kva.example/v1/x")
    }

    @Test(
        "IPv6 addresses are in brackets, unlike IPv4 addresses and names",
        arguments: [
            "[::1]", "[2001:db8::8:800:200c:417a]", "[::ffff:192.0.2.1]", "192.0.2.1", "localhost", "a-b.c_d.example",
            "h.",
        ]
    )
    func accepted(host: String) throws {
        #expect(try RequestURL("http://\(host)/").host == host)
        #expect(try RequestURL("http://\(host):81/").authority == "\(host):81")
    }

    @Test("A host longer than 255 bytes throws")
    func length() throws {
        let label = String(repeating: "a", count: 49) + "."
        let longest = String(repeating: label, count: 5) + "aaaaa"
        #expect(try RequestURL("http://\(longest)/").host.utf8.count == 255)
        #expect(throws: RequestError.self) { try RequestURL("http://\(longest)a/") }
    }

    @Test(
        "A host that ends in a number must be an IPv4 address",
        arguments: [
            "256.1.1.1", "1.1.1", "1.1.1.1.1", "127.1", "2130706433", "0x7f.1", "a.0x7F", "a.0x", "01.2.3.4", "a.1",
            "a.1.", "1.2.3.4.", "0",
        ]
    )
    func endsInNumber(host: String) {
        let error = #expect(throws: RequestError.self) { try RequestURL("http://\(host)/") }
        #expect(error?.code == .invalidHost)
    }

    @Test(
        "A host whose last label isn't a number is a name",
        arguments: ["1.2.3.4.a", "0x7g", "a1", "1.a", "a.0xg", "x1"]
    )
    func endsInName(host: String) throws {
        #expect(try RequestURL("http://\(host)/").host == host)
    }

    @Test(
        "Equal IPv6 addresses are one origin, because each is written as in RFC 5952",
        arguments: [
            ("0:0:0:0:0:0:0:1", "::1"), ("0000::0001", "::1"), ("::0", "::"), ("1:0:0:0:0:0:0:0", "1::"),
            ("2001:DB8::8:800:200C:417A", "2001:db8::8:800:200c:417a"), ("0:0:0:0:0:0:1:2", "::1:2"),
            ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"), ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
            ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
            ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"), ("::443", "::443"), ("::ffff:c000:0201", "::ffff:192.0.2.1"),
            ("0:0:0:0:0:FFFF:192.0.2.1", "::ffff:192.0.2.1"), ("::192.0.2.1", "::c000:201"),
            ("64:ff9b::192.0.2.1", "64:ff9b::c000:201"), ("::ffff:0:1", "::ffff:0.0.0.1"),
        ]
    )
    func addresses(written: String, canonical: String) throws {
        let url = try RequestURL("HTTPS://[\(written)]:443/a?b#c")
        #expect(url.text == "https://[\(canonical)]:443/a?b#c")
        #expect(try url.origin == RequestURL("https://[\(canonical)]").origin)
        #expect(try url.hasOrigin(of: RequestURL("https://[\(canonical)]/")))
    }
}
#endif
