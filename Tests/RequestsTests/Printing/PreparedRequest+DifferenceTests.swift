import RequestsTesting
import Testing

@Suite("Differences of two requests", .timeLimit(.minutes(5)))
struct PreparedRequestDifferenceTests {
    private let api = BaseURL("https://h/v1")

    private func difference(
        _ new: some RequestConvertible,
        from old: some RequestConvertible
    ) throws -> String {
        try new.prepared().difference(from: old.prepared()).description
    }

    @Test("Equal requests have no differences")
    func equal() throws {
        let request = api.post(json: ["a": 1], to: "/a").with(query: ["b": 2])
        #expect(try request.prepared().difference(from: request.prepared()).isEmpty)
        #expect(try difference(request, from: request) == "")
    }

    @Test("The differences have a line for each change, in the order of the message")
    func parts() throws {
        let old = api.get(.none, from: "/a").with(query: ["q": "1", "p": ""]).with(header: [
            .accept(.html), .acceptLanguage("en"),
        ])
        let new = api.get(.none, from: "/b").using(method: .post).with(query: ["q": "2", "p": ""])
            .with(header: [.accept(.json), .acceptLanguage("en"), .userAgent("u")]).timeout(after: 5)
        #expect(
            try difference(new, from: old) == """
                - method: GET
                - URL: https://h/v1/a
                - ?q: 1
                + method: POST
                + URL: https://h/v1/b
                + ?q: 2
                - Accept: text/html
                + Accept: application/json
                + User-Agent: u
                + options.timeouts.idle: 5.0 seconds
                """
        )
    }

    @Test("A query name without a value differs from one with an empty value")
    func empty() throws {
        let old = api.get(.none, from: "/").adding(queryItem: URLQueryItem(name: "dry", value: nil))
        let new = api.get(.none, from: "/").with(query: ["dry": ""])
        #expect(try difference(new, from: old) == "- ?dry\n+ ?dry:")
    }

    @Test("JSON is compared by path, ignoring order and white space")
    func json() throws {
        let old = api.post(.raw(data: Data(#"{"user":{"name":"Ada","tags":["x",true,[]]},"n":1}"#.utf8)), to: "/")
        let new = api.post(
            .raw(data: Data(#"{ "n": 1, "user": {"tags": ["x", null, []], "name": "Bob\n"} }"#.utf8)),
            to: "/"
        )
        #expect(
            try difference(new, from: old) == """
                - body.user.name: "Ada"
                + body.user.name: "Bob\\n"
                - body.user.tags[1]: true
                + body.user.tags[1]: null
                """
        )
        #expect(try difference(old, from: old) == "")
    }

    @Test("Text is compared by line, and other bytes as a whole")
    func otherBodies() throws {
        let (old, new) = (api.post(.text("a\nb"), to: "/"), api.post(.text("a\nc"), to: "/"))
        #expect(try difference(new, from: old) == "- body: b\n+ body: c")
        let (bytes, others) = (BodyProvider.raw(data: Data([0xFF])), BodyProvider.raw(data: Data([0xFE])))
        #expect(try difference(api.post(others, to: "/"), from: api.post(bytes, to: "/")).contains("+ body: "))
    }

    @Test("The boundary of a multipart body is ignored")
    func boundaries() throws {
        let file = URL(filePath: #filePath)
        for parts: Multipart in [[.field("title", "Summer")], [.field("title", "Summer"), .file("source", file)]] {
            let request = try api.post(.multipart(parts), to: "/").prepared()
            #expect(try api.post(.multipart(parts), to: "/").prepared().difference(from: request).isEmpty)
            let renamed = try api.post(.multipart(Multipart(parts.parts + [.field("n", "1")])), to: "/").prepared()
            #expect(renamed.header != request.header)
            #expect(!"\(renamed.difference(from: request))".contains("Content-Type: multipart"))
        }
    }

    @Test("The parts of a form are compared, with and without a file")
    func forms() throws {
        let file = URL(filePath: #filePath)
        func form(_ title: String, _ rest: Multipart.Part...) -> some RequestConvertible {
            api.post(.multipart(Multipart([.field("title", title), .field("token", title)] + rest)), to: "/")
        }
        for rest: Multipart.Part in [.field("n", "1"), .file("source", file)] {
            let text = try difference(form("c4nary1", rest), from: form("c4nary2", rest))
            #expect(text == "- body: c4nary2\r\n\n+ body: c4nary1\r\n\n- body: REDACTED\n+ body: REDACTED")
        }
        let other = try difference(form("a"), from: api.post(.text("a"), to: "/"))
        #expect(other.contains("\n+ Content-Type: multipart/form-data\n"))
    }

    @Test("Secrets that differ are reported but not shown")
    func secrets() throws {
        let old = api.post(json: ["password": "c4nary1"], to: "/").with(query: ["token": "c4nary2"])
            .authenticated(with: .bearerToken("c4nary3"))
        let new = api.post(json: ["password": "c4nary4"], to: "/").with(query: ["token": "c4nary5"])
            .authenticated(with: .bearerToken("c4nary6"))
        let text = try difference(new, from: old)
        #expect(!text.contains("c4nary"))
        #expect(text.split(separator: "\n").count == 6)
    }

    @Test("Different fragments and empty query items are reported")
    func smallThings() throws {
        func request(_ url: String) throws -> PreparedRequest { try PreparedRequest(url: RequestURL(url)) }
        let (fragment, other) = (try request("http://h/a#x"), try request("http://h/a#y"))
        #expect("\(other.difference(from: fragment))" == "- #: x\n+ #: y")
        let (items, more) = (try request("http://h/?a&b"), try request("http://h/?a&&b"))
        #expect("\(more.difference(from: items))" == "+ ?")
        let token = try request("http://h/a#access_token=c4nary")
        #expect(!"\(token.difference(from: fragment))".contains("c4nary"))
    }
}
