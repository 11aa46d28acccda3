import RequestsTestSupport
import RequestsTesting
import Testing

@Suite("Redaction of bodies", .timeLimit(.minutes(5)))
struct RequestBodyRedactedTests {
    private let api = BaseURL("https://a.example")
    private let secret = "c4nary"

    private func expectHidden(_ body: BodyProvider, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let request = try api.post(body, to: "/login").prepared()
        for text in [request.curlCommand(), request.httpMessage()] {
            #expect(!text.contains(secret), sourceLocation: sourceLocation)
            #expect(text.contains("REDACTED"), sourceLocation: sourceLocation)
            #expect(text.contains("ada"), sourceLocation: sourceLocation)
        }
        for text in [request.curlCommand(revealingSecrets: true), request.httpMessage(revealingSecrets: true)] {
            #expect(text.contains(secret), sourceLocation: sourceLocation)
        }
        let other = try api.post(.text("other"), to: "/login").prepared()
        #expect(!"\(request.difference(from: other))".contains(secret), sourceLocation: sourceLocation)
    }

    @Test("credentials in forms and JSON are redacted")
    func forms() throws {
        try expectHidden(.form(["user": "ada", "refresh_token": .init(secret)]))
        try expectHidden(.json(object: ["user": "ada", "nested": ["password": secret]]))
        try expectHidden(.json(object: ["user": "ada", "keys": [["token": ["value": secret]]]]))
    }

    @Test("credentials in multipart bodies are redacted, with and without files")
    func multipart() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "requests-\(UUID())")
        try Data("abc".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        for parts in [
            Multipart([.field("user", "ada"), .field("password", secret), .field("last", "1")]),
            Multipart([.field("user", "ada"), .file("photo", file), .field("password", secret)]),
        ] {
            let request = try api.post(.multipart(parts), to: "/login").prepared()
            #expect(!request.curlCommand().contains(secret))
            #expect(!request.httpMessage().contains(secret))
            #expect(request.httpMessage().contains("name=\"password\"\r\n\r\nREDACTED\r\n--"))
            #expect(request.httpMessage(revealingSecrets: true).contains(secret))
        }
    }

    @Test("a multipart body with a part that isn't text shows no credentials")
    func binaryParts() throws {
        let photo = Multipart.Part.field("photo", data: Data([0xFF, 0]))
        let parts = Multipart([.field("user", "ada"), photo, .field("password", secret)])
        let request = try api.post(.multipart(parts), to: "/login").prepared()
        #expect(request.curlCommand(revealingSecrets: true).contains(secret))
        #expect(!request.curlCommand().contains(secret))
        #expect(request.httpMessage().hasSuffix("<\(request.body)>"))
    }

    @Test(
        "the name of a multipart field is recognized however it is written",
        arguments: [
            "Content-Disposition: form-data;name=\"password\"", "content-disposition: form-data; name=password",
            "Content-Disposition: form-data; filename=a; NAME = \"password\"",
            "Content-Disposition: form-data;\r\n name=password",
            "Content-Disposition: form-data; x=\"; name=\\\"\"; name=password",
            "Content-Disposition: form-data; name=a; name=password",
        ]
    )
    func names(head: String) throws {
        let body = "--b\r\n\(head)\r\n\r\nc4nary\r\n--b--\r\n"
        let type: MediaType = "multipart/form-data; boundary=b"
        let request = try api.post(.raw(data: Data(body.utf8), contentType: type), to: "/").prepared()
        #expect(request.httpMessage(revealingSecrets: true).contains(secret))
        #expect(!request.httpMessage().contains(secret))
    }

    @Test("a difference of multipart bodies shows no credentials")
    func differenceOfParts() throws {
        let other = try api.post(.text("other"), to: "/login").prepared()
        for photo in [Data("photo".utf8), Data([0xFF, 0])] {
            let parts = Multipart([.field("user", "ada"), .field("photo", data: photo), .field("password", secret)])
            let request = try api.post(.multipart(parts), to: "/login").prepared()
            let difference = "\(request.difference(from: other))"
            #expect(difference.contains("body: ada\r\n"))
            #expect(!difference.contains(secret))
            #expect(!difference.contains(Data(request.body.data ?? Data()).base64EncodedString()))
            let wrong = Multipart([.field("user", "ada"), .field("photo", data: photo), .field("password", "wrong")])
            let changed = try api.post(.multipart(wrong), to: "/login").prepared()
            #expect("\(request.difference(from: changed))".contains("body: REDACTED"))
        }
    }

    @Test("a body without credentials is printed unchanged")
    func unchanged() throws {
        for body in [#"{ "b":1.50, "a":"\u00e9" }"#, "password=1 of text", "{", ""] {
            let request = try api.post(.text(body), to: "/").prepared()
            #expect(request.httpMessage() == request.httpMessage(revealingSecrets: true))
        }
    }

    @Test("an ambiguous name, such as code, isn't redacted in JSON")
    func ambiguous() throws {
        let request = try api.post(.json(["code": "DE", "key": 1, "token": "c4nary"]), to: "/").prepared()
        #expect(request.httpMessage().hasSuffix(#"{"code":"DE","key":1,"token":"REDACTED"}"#))
    }

    @Test("everything but the credentials is printed as it is sent, such as large numbers and the order of members")
    func exact() throws {
        let text = #"{"b":18446744073709551615, "a":[1.50,1e3,"\u00e9"], "token" : {"x":[1]}, "pwd":null, "z":0}"#
        let request = try api.post(.raw(data: Data(text.utf8), contentType: .json), to: "/").prepared()
        let shown = #"{"b":18446744073709551615, "a":[1.50,1e3,"\u00e9"], "token" : "REDACTED", "pwd":null, "z":0}"#
        #expect(request.httpMessage().hasSuffix("\n" + shown))
    }

    @Test("a deeply nested or truncated body is printed without its credentials")
    func deep() throws {
        for text in [
            String(repeating: "[", count: 100_000) + #"{"token":"c4nary"}"#, #"{"a":1,"token":"c4nary"#,
            #"{"to\u006ben":"c4nary"}"#, #"{"token":["c4nary",{"a":"c4nary"#,
        ] {
            let request = try api.post(.raw(data: Data(text.utf8), contentType: .json), to: "/").prepared()
            #expect(!request.httpMessage().contains(secret))
        }
    }

    @Test(
        "JSON in another Unicode encoding is printed without its credentials",
        arguments: [
            Named("UTF-16", .utf16), Named("UTF-16BE", .utf16BigEndian), Named("UTF-16LE", .utf16LittleEndian),
            Named("UTF-32", .utf32), Named("UTF-32BE", .utf32BigEndian), Named("UTF-32LE", .utf32LittleEndian),
        ] as [Named<String.Encoding>]
    )
    func unicode(encoding: Named<String.Encoding>) throws {
        let body = try #require(#"{"user":"ada","token":"c4nary"}"#.data(using: encoding.value))
        let request = try api.post(.raw(data: body, contentType: .json), to: "/").prepared()
        #expect(request.httpMessage().hasSuffix(#"{"user":"ada","token":"REDACTED"}"#))
    }

    @Test("JSON with a big-endian byte order mark is printed without its credentials", arguments: [2, 4])
    func byteOrderMark(width: Int) throws {
        let text = #"{"token":"c4nary"}"#
        let encoding = width == 2 ? String.Encoding.utf16BigEndian : .utf32BigEndian
        let mark = Data([0, 0, 0xFE, 0xFF].suffix(width))
        let body = try mark + #require(text.data(using: encoding))
        let request = try api.post(.raw(data: body, contentType: .json), to: "/").prepared()
        #expect(request.httpMessage().hasSuffix(#"{"token":"REDACTED"}"#))
    }

    @Test("the value of a credential ends at a comma, bracket or space")
    func ends() throws {
        let text = #"{"a":{"token":1},"b":[{"token":true }],"token":2,"c":[{"token":[1,{"x":[]}]}],"d":3}"#
        let request = try api.post(.raw(data: Data(text.utf8), contentType: .json), to: "/").prepared()
        let hidden = #""token":"REDACTED""#
        let shown = #"{"a":{\#(hidden)},"b":[{\#(hidden) }],\#(hidden),"c":[{\#(hidden)}],"d":3}"#
        #expect(request.httpMessage().hasSuffix(shown))
    }

    @Test("a dump shows no bytes of a body")
    func dumped() throws {
        for body in [BodyProvider.text("c4nary"), .raw(data: Data("c4nary".utf8)), .multipart([.field("a", "c4nary")])]
        {
            let request = try api.post(body, to: "/").prepared()
            var text = ""
            dump(request, to: &text)
            dump(request.body, to: &text)
            #expect(!text.contains("\(UInt8(ascii: "c"))\n"), "the first byte, as in the mirror of Data")
            #expect(!text.contains(secret))
            #expect(text.contains("bytes"))
        }
    }
}
