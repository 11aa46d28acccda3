import RequestsConformance
import RequestsTesting
import Testing

@Suite("Requests as HTTP messages", .timeLimit(.minutes(5)))
struct HTTPMessageTests {
    private let api = BaseURL("https://api.example.com:8443/v1")

    @Test("A message contains the request line, header, empty line and body")
    func message() throws {
        let request = api.patch("/a b", with: .text("hello\nworld")).with(query: ["q": "1"])
            .with(header: [.acceptLanguage("en"), Field(name: "X", value: ""), .acceptLanguage("de")])
        #expect(
            try request.prepared().httpMessage() == """
                PATCH /v1/a%20b?q=1 HTTP/1.1
                Host: api.example.com:8443
                Accept-Language: en
                X: \("")
                Accept-Language: de
                Content-Type: text/plain; charset=utf-8
                Content-Length: 11

                hello
                world
                """
        )
    }

    @Test("A message without a body ends with the empty line")
    func noBody() throws {
        #expect(
            try api.get(.data, from: "").prepared().httpMessage() == "GET /v1 HTTP/1.1\nHost: api.example.com:8443\n\n"
        )
    }

    @Test(
        "The target is / if the URL has no path, and it has no fragment",
        arguments: [
            ("http://h", "/"), ("http://h?q", "/?q"), ("http://h#f", "/"), ("http://h/a?q#f", "/a?q"),
            ("http://h?token=x#f", "/?token=REDACTED"),
        ]
    )
    func target(url: String, target: String) throws {
        let message = try PreparedRequest(url: RequestURL(url)).httpMessage()
        #expect(message == "GET \(target) HTTP/1.1\nHost: h\n\n")
    }

    @Test(
        "The framing field is Content-Length, Transfer-Encoding if the length is unknown, or missing without a body",
        arguments: [
            (.get, .none, nil), (.head, .none, nil), (.delete, .none, nil), ("PURGE", .none, nil),
            (.post, .none, "Content-Length: 0"), (.put, .none, "Content-Length: 0"),
            (.patch, .none, "Content-Length: 0"),
            (.get, .data(Data()), "Content-Length: 0"), (.get, .data(Data("abc".utf8)), "Content-Length: 3"),
            (.post, .oneShot(Data(), length: 7), "Content-Length: 7"),
            (.post, .oneShot(Data()), "Transfer-Encoding: chunked"),
        ] as [(HTTPMethod, RequestBody, String?)]
    )
    func framing(method: HTTPMethod, body: RequestBody, line: String?) throws {
        let request = try PreparedRequest(method: method, url: RequestURL("http://h/"), body: body)
        #expect(request.framingField?.description == line)
        let lines = request.httpMessage().split(separator: "\n").filter {
            $0.hasPrefix("Content-L") || $0.hasPrefix("Transfer")
        }
        #expect(lines.map { String($0) } == [line].compactMap { $0 })
    }

    @Test("Fields that the request sets itself aren't repeated")
    func ownFields() throws {
        let header: Header = [Field(name: "host", value: "other"), Field(name: "content-length", value: "1")]
        let request = try PreparedRequest(
            method: .post,
            url: RequestURL("http://h/"),
            header: header,
            body: .data(Data("x".utf8))
        )
        #expect(request.httpMessage() == "POST / HTTP/1.1\nhost: other\ncontent-length: 1\n\nx")
    }

    @Test("A binary body is shown as its description, and a stream isn't read")
    func otherBodies() async throws {
        let binary = try PreparedRequest(method: .put, url: RequestURL("http://h/"), body: .data(Data([0xFF, 0xFE])))
        #expect(binary.httpMessage().hasSuffix("\n\n<2 bytes>"))
        let body = RequestBody.oneShot(Data("abc".utf8), length: 3)
        let stream = try PreparedRequest(method: .put, url: RequestURL("http://h/"), body: body)
        #expect(stream.httpMessage().hasSuffix("\n\n<a stream of 3 bytes>"))
        #expect(try await body.makeReader().next() == Data("abc".utf8))
    }

    @Test("Credentials are redacted unless they are revealed")
    func redaction() throws {
        let request = try api.get(.data, from: "/").with(query: ["api_key": "s3cret"])
            .authenticated(with: .basicAuth(username: "u", password: "s3cret")).prepared()
        #expect(
            request.httpMessage() == """
                GET /v1/?api_key=REDACTED HTTP/1.1
                Host: api.example.com:8443
                Authorization: REDACTED


                """
        )
        #expect(
            request.httpMessage(revealingSecrets: true) == """
                GET /v1/?api_key=s3cret HTTP/1.1
                Host: api.example.com:8443
                Authorization: Basic dTpzM2NyZXQ=


                """
        )
    }

    @Test("A streamed body is shown after it was collected")
    func collectedBody() async throws {
        let chunks = AsyncStream { continuation in
            for text in [#"{"a":1,"#, #""password":"c4nary"}"#] { continuation.yield(Data(text.utf8)) }
            continuation.finish()
        }
        var request = try api.post(.chunks(chunks), to: "/a").prepared()
        request.body = .data(try await request.body.collect(upTo: 100))
        #expect(request.httpMessage().hasSuffix("\n\n" + #"{"a":1,"password":"REDACTED"}"#))
    }

    @Test("Control characters are shown escaped, and line ends and tabs as they are")
    func controls() throws {
        let request = try api.post(.text("a\u{1B}[31m\u{0}\tb\r\nc\rd\u{85}e\nf🦊"), to: "/a").prepared()
        #expect(request.httpMessage().hasSuffix("\n\na\\u{1B}[31m\\0\tb\r\nc\\rd\\u{0085}e\nf🦊"))
    }
}
