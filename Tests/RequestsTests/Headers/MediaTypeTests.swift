import Foundation
import Requests
import RequestsTesting
import Testing

@Suite("Media types", .timeLimit(.minutes(5)))
struct MediaTypeTests {
    @Test(
        "the standard types have their registered spelling and no parameters",
        arguments: [
            (.json, "application/json"), (.problemJSON, "application/problem+json"),
            (.mergePatchJSON, "application/merge-patch+json"), (.xml, "application/xml"),
            (.urlEncodedForm, "application/x-www-form-urlencoded"), (.binary, "application/octet-stream"),
            (.plainText, "text/plain"), (.html, "text/html"),
            (.css, "text/css"), (.gif, "image/gif"), (.png, "image/png"), (.jpeg, "image/jpeg"),
            (.svg, "image/svg+xml"), (.eventStream, "text/event-stream"), (.ndjson, "application/x-ndjson"),
        ] as [(MediaType, String)]
    )
    func standard(type: MediaType, text: String) {
        #expect(type.rawValue == text)
        #expect("\(type)" == text)
    }

    @Test("a literal is parsed, with its parameters")
    func literal() throws {
        let type: MediaType = "Application/VND.github+json; v=3"
        #expect(type == MediaType(type: "application", subtype: "vnd.github+json", parameters: [("v", "3")]))
        let field = Field.accept("text/csv;q=0.5", .json, "text/*")
        #expect(field.value == "text/csv; q=0.5, application/json, text/*")
        _ = try BaseURL("https://h").get(.none, from: "/").with(header: [field]).prepared()
    }

    @Test(
        "a literal that isn't a media type is kept and makes the build throw, naming it, before anything is sent",
        arguments: [
            "", "json", "application/", "/json", "application/json, text/plain", "a/b c", "a/b; c", "a/b; c=",
            "a/b; c=d e", "a/b; c = d", "a/b; c=\"d", "a/b; c=\"d\" e", "a/b; =d", "a/b, a/b", "a/b\r\nX: 1",
        ] as [MediaType]
    )
    func invalidLiteral(type: MediaType) async throws {
        #expect(type == MediaType(stringLiteral: type.rawValue))
        #expect(!type.matches(.json) && type != .json)
        let transport = StubTransport(routes: [.get("/", .reply(200))])
        let request = BaseURL("https://h").get(.none, from: "/").with(header: [.accept(.json, type)])
        let error = await #expect(throws: RequestError.self) { try await Client(transport: transport).send(request) }
        #expect(error?.code == .invalidMediaType)
        #expect(error?.subject == "application/json, \(type)".trimmingCharacters(in: .whitespaces))
        #expect(error?.message.contains("Accept") == true)
        #expect(transport.requests.isEmpty)
    }

    @Test("type, subtype and parameter names are lowercased, and parameter values are kept")
    func lowerCase() {
        let type = MediaType(type: "TEXT", subtype: "Plain", parameters: [("CharSet", "UTF-8")])
        #expect(type.rawValue == "text/plain; charset=UTF-8")
        #expect(type.type == "text")
        #expect(type.subtype == "plain")
        #expect(type.parameters.map { [$0.name, $0.value] } == [["charset", "UTF-8"]])
    }

    @Test("`==` compares parameters, and `matches` ignores them")
    func matching() {
        let plain = MediaType(type: "text", subtype: "plain", parameters: [("charset", "utf-8")])
        #expect(plain != .plainText)
        #expect(plain.matches(.plainText))
        #expect(!plain.matches(.html))
        #expect(!plain.matches(MediaType(type: "application", subtype: "plain")))
    }

    @Test(
        "a parameter value that isn't a token is quoted, with backslash and quote escaped",
        arguments: [
            ("utf-8", "utf-8"), ("a b", #""a b""#), ("", #""""#), ("a\"b", #""a\"b""#), ("a\\b", #""a\\b""#),
            ("a;b=c", #""a;b=c""#), ("é", "\"é\""), ("\"", #""\"""#),
        ]
    )
    func quoting(value: String, written: String) {
        let type = MediaType(type: "a", subtype: "b", parameters: [("p", value), ("q", "1")])
        #expect(type.rawValue == "a/b; p=\(written); q=1")
    }

    @Test("a quoted parameter value parses to the original value, so that it can't leave its quotes")
    func quotesHold() {
        let broken = HostileText(seed: 2, count: 20_000).first { value in
            let type = MediaType(type: "a", subtype: "b", parameters: [("p", value)])
            return unquoted(Array(type.rawValue.utf8.dropFirst("a/b; p=".utf8.count))) != Array(value.utf8)
        }
        #expect(broken == nil)
    }

    @Test(
        "a type, subtype or parameter name that isn't a token makes the build throw, naming the media type",
        arguments: [
            (MediaType(type: "", subtype: "b"), "/b"), (MediaType(type: "a", subtype: ""), "a/"),
            (MediaType(type: "a b", subtype: "c"), "a b/c"), (MediaType(type: "a", subtype: "b, c/d"), "a/b, c/d"),
            (MediaType(type: "a", subtype: "b", parameters: [("", "1")]), "a/b; =1"),
            (
                MediaType(type: "a", subtype: "b", parameters: [("charset", "utf-8"), ("q;p", "1")]),
                "a/b; charset=utf-8; q;p=1"
            ),
            (MediaType(type: "a", subtype: "b\r\nX: 1"), "a/b\r\nx: 1"),
        ]
    )
    func invalid(type: MediaType, text: String) {
        let api = BaseURL("https://h")
        for request in [
            api.get(.none, from: "/").with(header: [.accept(type)]), api.post(.text("x", contentType: type), to: "/"),
            api.post(.raw(data: .init(), contentType: type.quality(0.5)), to: "/"),
            api.post(.multipart([.file("a", .temporaryDirectory, contentType: type)]), to: "/"),
        ] {
            let error = #expect(throws: RequestError.self) { try request.prepared() }
            #expect(error?.code == .invalidMediaType)
            #expect(error?.subject.hasPrefix(text) == true)
            #expect(error?.message.contains { $0.isNewline } == false)
        }
    }

    /// The value that a recipient reads, or `nil` if the text is neither a token nor one quoted string.
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

    // MARK: Parsing of media types

    @Test(
        "media types are parsed as RFC 9110 defines them",
        arguments: [
            ("text/plain", MediaType(type: "text", subtype: "plain")),
            (
                "Text/HTML;Charset=UTF-8",
                MediaType(type: "text", subtype: "html", parameters: [("charset", "UTF-8")])
            ),
            (
                "a/b+c ; x=\"1;\\\"2\" ;y=z",
                MediaType(type: "a", subtype: "b+c", parameters: [("x", "1;\"2"), ("y", "z")])
            ),
            ("a/b;", MediaType(type: "a", subtype: "b")),
            ("a/b;; c=d", MediaType(type: "a", subtype: "b", parameters: [("c", "d")])),
            ("*/*", MediaType(type: "*", subtype: "*")),
        ]
    )
    func parsed(text: String, type: MediaType) {
        #expect(MediaType(text) == type)
        #expect(MediaType(type.rawValue) == type)
    }

    @Test(
        "text that isn't a media type gives nil",
        arguments: [
            "", "text", "text/", "/plain", "a /b", "a/ b", "a/b,c/d", "a/b\"c\"", "a/b=c", "a/bé", ";a/b", ",",
        ]
    )
    func malformed(text: String) {
        #expect(MediaType(text) == nil)
    }
}
