import RequestsConformance
import RequestsTestSupport
import RequestsTesting
import Testing

@Suite("curl commands, run by /bin/sh", .timeLimit(.minutes(5)))
struct CurlCommandTests {
    private let api = BaseURL("https://api.example.com")

    private func call<R: RequestConvertible>(of request: R, revealingSecrets: Bool = true) throws -> PosixShell.Call {
        let calls = try PosixShell.calls(of: [request.curlCommand(revealingSecrets: revealingSecrets)])
        try #require(calls.count == 1)
        return calls[0]
    }

    @Test("The command contains the method unless it is GET, the fields in order and the URL")
    func parts() throws {
        let request = api.delete("/a b").with(query: ["q": "x&y"])
            .with(header: [.acceptLanguage("en"), .accept(.json), .acceptLanguage("de")])
        #expect(
            try call(of: request).arguments == [
                "--request", "DELETE", "--header", "Accept-Language: en", "--header", "Accept: application/json",
                "--header", "Accept-Language: de", "https://api.example.com/a%20b?q=x%26y",
            ]
        )
        #expect(try call(of: api.get(.data, from: "/")).arguments == ["https://api.example.com/"])
        #expect(try call(of: api.head("/")).arguments == ["--head", "https://api.example.com/"])
    }

    private static let hostile = [
        "", " ", "a b", "'", "''", "\"", "\\", "\\'", "a'b", "$HOME", "$(echo x)", "`echo x`", "; echo x", "&& echo x",
        "| cat",
        "> file", "< file", "*", "?", "[a]", "{a,b}", "~", "!", "!!", "#", "-o file", "--help", "@file", "%s", "\\n",
        "\\0101", "=ls",
        "é", "😀", "\u{301}", "'\u{301}", "'\u{301}; echo x; '\u{301}", "'\u{200D}$(echo x)'\u{200D}",
        "'\u{FE0F}>file'\u{FE0F}",
    ]

    @Test("A field's value reaches curl unchanged", arguments: hostile)
    func values(value: String) throws {
        let request = api.get(.data, from: "/").adding(headerField: Field(name: "X", value: "a\(value)b"))
        #expect(try call(of: request).arguments == ["--header", "X: a\(value)b", "https://api.example.com/"])
    }

    @Test("A text body reaches curl unchanged", arguments: hostile + ["\u{1B}[31m", "a\nb", "a\r\nb\r\n", "\n", "\t"])
    func bodies(text: String) throws {
        let expected = PosixShell.Call(
            text: text,
            after: ["--request", "POST", "--header", "Content-Type: text/plain; charset=utf-8"],
            to: "https://api.example.com/"
        )
        #expect(try call(of: api.post(.text(text), to: "/")) == expected)
    }

    @Test("Control characters in a body are escaped")
    func escapes() throws {
        let request = try api.post(.raw(data: Data("--a\r\n100% \\ é\u{1B}[0m\u{9B}m\t'".utf8)), to: "/").prepared()
        let body = #"'\055-a\r\n100%% \\ \303\251\033[0m\302\233m\t'\'''"#
        #expect(request.curlCommand().hasPrefix("printf \(body) | curl --request POST"))
    }

    @Test(
        "A custom method reaches curl unchanged",
        arguments: ["PURGE", "!#$%&'*+-.^_`|~", "-o", "--help", "'", "`x`", "$0"]
    )
    func methods(method: String) throws {
        let request = api.request(to: "/", using: HTTPMethod(rawValue: method))
        #expect(try call(of: request).arguments == ["--request", method, "https://api.example.com/"])
    }

    @Test(
        "A binary body is piped through printf",
        arguments: [
            Named("NUL", [0]), Named("0xFF", [0xFF]), Named("%s and NUL", [0x25, 0x73, 0]),
            Named("\\n and half a character", [0x5C, 0x6E, 0xC3]), Named("every byte", Array(0...255)),
        ] as [Named<[UInt8]>]
    )
    func bytes(bytes: Named<[UInt8]>) throws {
        let call = try call(of: api.post(.raw(data: Data(bytes.value)), to: "/"))
        #expect(call.input == Data(bytes.value))
        #expect(call.arguments.suffix(3) == ["--data-binary", "@-", "https://api.example.com/"])
    }

    @Test("A text body longer than an argument is piped through printf")
    func longText() throws {
        let text = String(repeating: "it's é\n", count: 10_000)
        let call = try call(of: api.post(.text(text), to: "/"))
        #expect(call.input == Data(text.utf8))
        #expect(call.arguments.suffix(3) == ["--data-binary", "@-", "https://api.example.com/"])
    }

    @Test("A stream isn't read, and curl reads standard input")
    func stream() async throws {
        let body = RequestBody.oneShot(Data("streamed".utf8))
        let request = try PreparedRequest(method: .put, url: RequestURL("https://h/"), body: body)
        let call = try PosixShell.calls(of: ["printf abc | " + request.curlCommand()])
        #expect(
            call == [
                .init(
                    arguments: ["--request", "PUT", "--header", "Content-Type:", "--data-binary", "@-", "https://h/"],
                    input: Data("abc".utf8)
                )
            ]
        )
        #expect(try await body.makeReader().next() == Data("streamed".utf8))
    }

    @Test("curl doesn't add a Content-Type that the request doesn't have")
    func contentType() throws {
        let body = BodyProvider { _ in .data(Data("x".utf8)) }
        #expect(try call(of: api.post(body, to: "/")).arguments.contains("Content-Type:"))
        #expect(try !call(of: api.post(.text("x"), to: "/")).arguments.contains("Content-Type:"))
        #expect(try !call(of: api.post(.none, to: "/")).arguments.contains("Content-Type:"))
    }

    @Test("A GET with a body, an empty body and an empty field have the spelling that curl needs")
    func specialCases() throws {
        let get = api.get(.data, from: "/").sending(.text("x"))
        #expect(try call(of: get).arguments.starts(with: ["--request", "GET"]))
        #expect(
            try call(of: api.put(.raw(data: Data()), to: "/")).arguments.suffix(3) == [
                "--data-raw", "", "https://api.example.com/",
            ]
        )
        let empty = api.get(.data, from: "/").adding(headerField: Field(name: "X", value: ""))
        #expect(try call(of: empty).arguments == ["--header", "X;", "https://api.example.com/"])
    }

    @Test("HEAD with a body isn't written as --head, which curl rejects")
    func headWithBody() throws {
        let arguments = try call(of: api.head("/").sending(.text("x"))).arguments
        #expect(!arguments.contains("--head") || !arguments.contains { $0.hasPrefix("--data") })
    }

    @Test("Brackets in the URL aren't read as a pattern")
    func globbing() throws {
        let request = BaseURL("http://[::1]:8080").get(.data, from: "/")
        #expect(try call(of: request).arguments == ["--globoff", "http://[::1]:8080/"])
    }

    @Test("Credentials are redacted unless they are revealed")
    func redaction() throws {
        let request = api.get(.data, from: "/").with(query: ["token": "s3cret", "q": "1"])
            .with(header: [Field(name: "X-Own", value: "s3cret").sensitive()]).authenticated(
                with: .bearerToken("s3cret")
            )
        #expect(
            try call(of: request, revealingSecrets: false).arguments == [
                "--header", "X-Own: REDACTED", "--header", "Authorization: REDACTED",
                "https://api.example.com/?token=REDACTED&q=1",
            ]
        )
        #expect(
            try call(of: request).arguments == [
                "--header", "X-Own: s3cret", "--header", "Authorization: Bearer s3cret",
                "https://api.example.com/?token=s3cret&q=1",
            ]
        )
        #expect(try !request.curlCommand().contains("s3cret"))
        #expect(try !request.prepared().curlCommand().contains("s3cret"))
    }
}
