import Requests
import Testing

@Suite("A media type", .timeLimit(.minutes(5)))
struct MediaTypeTests {
    @Test(
        "the standard types are written as they are registered",
        arguments: [
            (.json, "application/json"), (.problemJSON, "application/problem+json"),
            (.mergePatchJSON, "application/merge-patch+json"), (.xml, "application/xml; charset=utf-8"),
            (.urlEncodedForm, "application/x-www-form-urlencoded"), (.binary, "application/octet-stream"),
            (.plainText, "text/plain; charset=utf-8"), (.html, "text/html; charset=utf-8"),
            (.css, "text/css; charset=utf-8"), (.gif, "image/gif"), (.png, "image/png"), (.jpeg, "image/jpeg"),
            (.svg, "image/svg+xml"),
        ] as [(MediaType, String)]
    )
    func standard(type: MediaType, text: String) {
        #expect(type.rawValue == text)
        #expect("\(type)" == text)
    }

    @Test("type, subtype and parameter names are kept in lower case, values as they are")
    func lowerCase() {
        let type = MediaType(type: "TEXT", subtype: "Plain", parameters: [.init("CharSet", "UTF-8")])
        #expect(type.rawValue == "text/plain; charset=UTF-8")
        #expect(type.type == "text")
        #expect(type.subtype == "plain")
        #expect(type.parameters == [MediaType.Parameter("charset", "UTF-8")])
    }

    @Test("parameters count in ==, and `matches` leaves them out")
    func matching() {
        let plain = MediaType(type: "text", subtype: "plain")
        #expect(plain != .plainText)
        #expect(plain.matches(.plainText))
        #expect(!plain.matches(.html))
        #expect(!plain.matches(MediaType(type: "application", subtype: "plain")))
    }

    @Test(
        "a parameter's value is quoted where it is not a token, with backslash and quote escaped",
        arguments: [
            ("utf-8", "utf-8"), ("a b", #""a b""#), ("", #""""#), ("a\"b", #""a\"b""#), ("a\\b", #""a\\b""#),
            ("a;b=c", #""a;b=c""#), ("é", "\"é\""), ("\"", #""\"""#),
        ]
    )
    func quoting(value: String, written: String) {
        let type = MediaType(type: "a", subtype: "b", parameters: [.init("p", value), .init("q", "1")])
        #expect(type.rawValue == "a/b; p=\(written); q=1")
    }

    @Test("no value leaves its quotes: read by the rules of RFC 9110 §5.6.4 it is what was given")
    func quotesHold() {
        let broken = HostileText(seed: 2, count: 20_000).first { value in
            let type = MediaType(type: "a", subtype: "b", parameters: [.init("p", value)])
            return unquoted(Array(type.rawValue.utf8.dropFirst("a/b; p=".utf8.count))) != Array(value.utf8)
        }
        #expect(broken == nil)
    }

    /// What a recipient reads; `nil` where the text is neither a token nor one quoted string.
    private func unquoted(_ text: [UInt8]) -> [UInt8]? {
        let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
        guard text.first == quote else { return text.contains(quote) || text.isEmpty ? nil : text }
        var value: [UInt8] = []
        var rest = text.dropFirst()
        while let byte = rest.popFirst(), byte != quote {
            guard byte == backslash else {
                value.append(byte)
                continue
            }
            guard let escaped = rest.popFirst() else { return nil }
            value.append(escaped)
        }
        return rest.isEmpty && text.count > 1 ? value : nil
    }
}
