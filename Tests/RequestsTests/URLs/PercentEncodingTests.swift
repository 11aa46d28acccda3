import Testing

@testable import Requests

@Suite("Percent-encoding", .timeLimit(.minutes(5)))
struct PercentEncodingTests {
    private func encodedAgain(_ text: String, keeping allowed: ByteSet) -> String {
        var bytes: [UInt8] = []
        PercentEncoding.appendEncoded(text.utf8, keeping: allowed, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("encoding data keeps unreserved characters and encodes every other byte, including %")
    func data() {
        for byte in UInt8.min...0x7F {
            let character = String(UnicodeScalar(byte))
            let isUnreserved = character.contains { $0.isLetter || $0.isNumber || "-._~".contains($0) }
            let hex = (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            let expected = isUnreserved ? character : "%" + hex
            #expect(PercentEncoding.encoded(character, keeping: PercentEncoding.unreserved) == expected)
        }
        #expect(PercentEncoding.encoded("é😀", keeping: PercentEncoding.unreserved) == "%C3%A9%F0%9F%98%80")
    }

    @Test(
        "encoding text that may be encoded keeps a valid %XX and encodes any other % as %25",
        arguments: [
            ("%41", "%41"), ("%4g", "%254g"), ("%", "%25"), ("%%41", "%25%41"), ("%4", "%254"), ("a%", "a%25"),
            ("%fF", "%fF"),
            ("% 41", "%25%2041"), ("%é", "%25%C3%A9"), ("%4\u{301}1", "%254%CC%811"), ("", ""), ("%25", "%25"),
            ("%G0", "%25G0"),
            ("%0:", "%250%3A"), ("%/0", "%25%2F0"), ("%@0", "%25%400"), ("%`0", "%25%600"),
        ]
    )
    func encoded(text: String, expected: String) {
        #expect(encodedAgain(text, keeping: PercentEncoding.unreserved) == expected)
    }

    @Test("encoding text that may be encoded is idempotent")
    func idempotent() {
        let broken = HostileText(seed: 6, count: 20_000).first { text in
            let once = encodedAgain(text, keeping: PercentEncoding.path)
            return encodedAgain(once, keeping: PercentEncoding.path) != once
        }
        #expect(broken == nil)
    }

    @Test("decoding encoded data gives the original data")
    func roundTrip() {
        let broken = HostileText(seed: 7, count: 20_000).first { text in
            let encoded = PercentEncoding.encoded(text, keeping: PercentEncoding.unreserved)
            return Array(PercentEncoding.decoded(encoded).utf8) != Array(text.utf8)
        }
        #expect(broken == nil)
    }

    @Test(
        "decoding replaces each valid %XX once and keeps other text",
        arguments: [
            ("%2E", "."), ("%252E", "%2E"), ("%2", "%2"), ("%", "%"), ("%zz", "%zz"), ("a%20b", "a b"), ("%C3%A9", "é"),
            ("%e2%82%AC", "€"), ("%%32E", "%2E"), ("", ""), ("%FF", "\u{FFFD}"),
        ]
    )
    func decoding(text: String, expected: String) {
        #expect(PercentEncoding.decoded(text) == expected)
    }

    @Test("the characters allowed in a path and a query are those of RFC 3986 §3.3 and §3.4")
    func sets() {
        let subDelimiters = "!$&'()*+,;="
        for byte in UInt8.min...UInt8.max {
            let character = UnicodeScalar(byte)
            let isUnreserved = PercentEncoding.unreserved.contains(byte)
            let isSegment = isUnreserved || (subDelimiters + ":@").unicodeScalars.contains(character)
            #expect(PercentEncoding.path.contains(byte) == (isSegment || character == "/"))
            #expect(PercentEncoding.query.contains(byte) == (isSegment || character == "/" || character == "?"))
            if byte > 127 { #expect(!isUnreserved) }
        }
    }
}
