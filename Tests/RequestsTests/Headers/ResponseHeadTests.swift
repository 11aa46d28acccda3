import Requests
import RequestsClient
import Testing

/// Many values come from RFC 6266 §5 and the test cases at greenbytes.de/tech/tc2231.
@Suite("Response heads", .timeLimit(.minutes(5)))
struct ResponseHeadTests {
    @Test("A head has a status, header, URL and, if known, a version")
    func parts() throws {
        let head = try ResponseHead(
            statusCode: 201,
            header: [.contentType(.json)],
            url: RequestURL("https://h/a"),
            httpVersion: .http2
        )
        #expect(head.statusCode == 201)
        #expect(head.header == [.contentType(.json)])
        #expect(head.url.text == "https://h/a")
        #expect(head.httpVersion == .http2)
        let bare = try ResponseHead(statusCode: 201, url: #require(URL(string: "https://h/a")))
        #expect(bare.header.isEmpty)
        #expect(bare.httpVersion == nil)
        #expect(bare.url == head.url)
        var changed = head
        changed.httpVersion = .http1_1
        changed.url = try RequestURL("https://h/b")
        #expect(changed.url.text == "https://h/b")
    }

    @Test("A status code must have three digits", arguments: [Int.min, -200, -1, 0, 20, 99, 1000, 2000, Int.max])
    func illegalStatus(code: Int) {
        let error = #expect(throws: RequestError.self) {
            try ResponseHead(statusCode: code, url: RequestURL("https://h"))
        }
        #expect(error?.code == .invalidStatusCode)
        #expect(error?.subject == String(code))
    }

    @Test("Any status code with three digits is accepted", arguments: [100, 101, 200, 299, 404, 599, 600, 999])
    func legalStatus(code: Int) throws {
        #expect(try ResponseHead(statusCode: code, url: RequestURL("https://h")).statusCode == code)
    }

    @Test(
        "The first digit of a status is its class",
        arguments: [
            (100, "informational"), (199, "informational"), (200, "success"), (299, "success"), (300, "redirection"),
            (399, "redirection"), (400, "client error"), (499, "client error"), (500, "server error"),
            (599, "server error"), (600, nil), (999, nil),
        ] as [(Int, String?)]
    )
    func statusClass(code: Int, expected: String?) throws {
        let status = try ResponseHead(statusCode: code, url: RequestURL("https://h")).status
        let classes = [
            "informational": status.isInformational, "success": status.isSuccess,
            "redirection": status.isRedirection, "client error": status.isClientError,
            "server error": status.isServerError,
        ]
        #expect(classes.filter(\.value).map(\.key) == [expected].compactMap(\.self))
    }

    @Test("A URL that isn't an HTTP URL throws")
    func illegalURL() throws {
        let url = URL(filePath: "/tmp/x")
        #expect(throws: RequestError.self) { try ResponseHead(statusCode: 200, url: url) }
    }

    @Test("The description is the status and the URL without secrets")
    func description() throws {
        let url = try RequestURL("https://h/?token=s3cret")
        let head = try ResponseHead(statusCode: 302, header: [Field(name: .setCookie, value: "s3cret")], url: url)
        #expect(head.description == "302 from https://h/?token=REDACTED")
        #expect(!"\(String(reflecting: head)) \([head])".contains("s3cret"))
    }

    @Test(
        "The expected length of the body follows from method, status and framing",
        arguments: [
            (.get, 200, ["5"], 5), (.post, 404, ["5"], 5), (.get, 200, ["5, 5"], 5), (.get, 200, ["5", "5"], 5),
            (.get, 200, ["0"], 0), (.get, 200, [], nil), (.head, 200, ["5"], 0), (.head, 200, [], 0),
            (.get, 204, ["5"], 0), (.get, 304, ["5"], 0), (.get, 304, [], 0), (.get, 206, ["5"], 5),
        ] as [(HTTPMethod, Int, [String], Int64?)]
    )
    func expectedBytes(method: HTTPMethod, status: Int, lengths: [String], expected: Int64?) throws {
        let header = Header(lengths.map { Field(name: .contentLength, value: $0) })
        var head = try ResponseHead(statusCode: status, header: header, url: RequestURL("https://h"))
        #expect(head.expectedBytes(to: method) == expected)
        head.header.add(Field(name: .transferEncoding, value: "chunked"))
        #expect(
            head.expectedBytes(to: method) == (expected == 0 && lengths != ["0"] ? 0 : nil),
            "a coding has the last word"
        )
    }

    @Test("Versions are ordered and printed as on the wire")
    func versions() {
        #expect(HTTPVersion.http1_0 < .http1_1)
        #expect(HTTPVersion.http1_1 < .http2)
        #expect(!(HTTPVersion.http2 < .http1_1))
        #expect(
            [HTTPVersion.http2, .http1_0, .http1_1].sorted().map(\.description) == ["HTTP/1.0", "HTTP/1.1", "HTTP/2"]
        )
        #expect(HTTPVersion(major: 3, minor: 0).description == "HTTP/3")
        #expect(HTTPVersion(major: 2, minor: 1).description == "HTTP/2.1")
    }

    @Test("The description of a response doesn't contain its content")
    func response() throws {
        let head = try ResponseHead(statusCode: 200, url: RequestURL("https://h/"))
        let response = Response(head: head, content: "s3cret")
        #expect(response.description == "200 from https://h/")
        #expect(!"\(String(reflecting: response)) \([response])".contains("s3cret"))
        #expect(response.history.isEmpty)
        #expect(Response(head: head, content: 1, history: [head]).history == [head])
    }

    @Test("The entity tag, the media type and the length of a response are typed")
    func typedFields() throws {
        func head(_ header: Header) throws -> ResponseHead {
            try ResponseHead(statusCode: 200, header: header, url: RequestURL("https://h/"))
        }
        #expect(try head(["ETag": "W/\"v1\""]).entityTag == Field.EntityTag(value: "v1", isWeak: true))
        #expect(try head(["ETag": "v1"]).entityTag == nil)
        #expect(try head([]).entityTag == nil)
        #expect(try head(["Content-Type": "Text/HTML; charset=utf-8"]).mediaType?.matches(.html) == true)
        #expect(try head(["Content-Type": "html"]).mediaType == nil)
        #expect(try head([]).mediaType == nil)
        #expect(try head(["Content-Length": "12"]).contentLength == 12)
        for text in ["-1", "1,2", "", "99999999999999999999"] {
            #expect(try head(["Content-Length": text]).contentLength == nil)
        }
    }

    @Test("A request asks whether a response has changed, and can't be built if that has no entity tag")
    func ifNoneMatch() throws {
        let tagged = try ResponseHead(statusCode: 200, header: ["ETag": "\"v1\""], url: RequestURL("https://h/"))
        #expect(Field.ifNoneMatch(tagged).description == "If-None-Match: \"v1\"")
        let untagged = try ResponseHead(statusCode: 200, url: RequestURL("https://h/"))
        let error = #expect(throws: RequestError.self) { try Header([.ifNoneMatch(untagged)]).validate() }
        #expect(error?.message.contains("head.entityTag") == true)
    }

    // MARK: Suggested file names

    private func name(_ values: String...) throws -> String? {
        let header = Header(values.map { Field(name: "Content-Disposition", value: $0) })
        return try ResponseHead(statusCode: 200, header: header, url: RequestURL("https://h/other.txt"))
            .suggestedFilename
    }

    @Test(
        "A name is read from a token or a quoted string",
        arguments: [
            ("attachment; filename=foo.html", "foo.html"), ("attachment; filename=a; filename=b", "a"),
            ("Attachment; FILENAME=foo.html", "foo.html"),
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
}
