import RequestsClient
import Testing

@testable import RequestsSchemes

/// The request and the keys of RFC 9421, appendix B.
@Suite("HTTP message signatures", .timeLimit(.minutes(5)))
struct MessageSignatureTests {
    private let created = Date(timeIntervalSince1970: 1_618_884_473)
    private let secret =
        Data(base64Encoded: "uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ==")
        ?? Data()

    private func request() throws -> PreparedRequest {
        try PreparedRequest(
            method: .post,
            url: RequestURL("https://example.com/foo?param=Value&Pet=dog"),
            header: [
                "Date": "Tue, 20 Apr 2021 02:07:55 GMT", "Content-Type": "application/json",
                "Content-Digest": "sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvR"
                    + "wEmTHWXvJwew==:",
            ],
            body: .data(Data(#"{"hello": "world"}"#.utf8))
        )
    }

    /// Returns the text that a signature covers.
    private func base(_ components: [MessageSignature.Component], of request: PreparedRequest) throws -> String {
        let covered = Locked("")
        let key = MessageSignature.Key(id: "k") { base in
            covered.withLock { $0 = String(decoding: base, as: UTF8.self) }
            return Data()
        }
        var request = request
        try MessageSignature(of: components, with: key, date: { [created] in created }).sign(&request)
        return covered.withLock { $0 }
    }

    @Test("The HMAC of B.2.5 has the signature of the specification")
    func hmac() throws {
        var request = try request()
        let signature = MessageSignature(
            of: ["date", "@authority", "content-type"],
            with: .hmacSHA256(id: "test-shared-secret", secret: secret),
            label: "sig-b25",
            date: { [created] in created }
        )
        try signature.sign(&request)
        #expect(
            request.header["Signature-Input"]
                == #"sig-b25=("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret""#
        )
        #expect(request.header["Signature"] == "sig-b25=:pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=:")
    }

    @Test("The base of B.2.3 covers control data, a query parameter and fields")
    func base() throws {
        let base = try base(
            [
                "date", "@method", "@path", "@query", "@authority", "content-type", "content-digest",
                .queryParameter("Pet"), "@target-uri", "@scheme", "@request-target",
            ],
            of: request()
        )
        #expect(
            base == #"""
                "date": Tue, 20 Apr 2021 02:07:55 GMT
                "@method": POST
                "@path": /foo
                "@query": ?param=Value&Pet=dog
                "@authority": example.com
                "content-type": application/json
                "content-digest": sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvR\#
                wEmTHWXvJwew==:
                "@query-param";name="Pet": dog
                "@target-uri": https://example.com/foo?param=Value&Pet=dog
                "@scheme": https
                "@request-target": /foo?param=Value&Pet=dog
                "@signature-params": ("date" "@method" "@path" "@query" "@authority" "content-type" "content-digest" \#
                "@query-param";name="Pet" "@target-uri" "@scheme" "@request-target");created=1618884473;keyid="k"
                """#
        )
    }

    @Test("Query parameters are encoded as in RFC 9421 §2.2.8")
    func queryParameters() throws {
        let url =
            "https://www.example.com/parameters?var=this%20is%20a%20big%0Amultiline%20value"
            + "&bar=with+plus+whitespace&fa%C3%A7ade%22%3A%20=something"
        let base = try base(
            [.queryParameter("var"), .queryParameter("bar"), .queryParameter("façade\": ")],
            of: PreparedRequest(url: RequestURL(url))
        )
        #expect(base.contains(#""@query-param";name="var": this%20is%20a%20big%0Amultiline%20value"#))
        #expect(base.contains(#""@query-param";name="bar": with%20plus%20whitespace"#))
        #expect(base.contains(#""@query-param";name="fa%C3%A7ade%22%3A%20": something"#))
    }

    @Test("The value of a query parameter starts after the first equals sign, and may be missing")
    func equalsSign() throws {
        let request = try PreparedRequest(url: RequestURL("https://h/?a=b=c=d&e"))
        let base = try base([.queryParameter("a"), .queryParameter("e")], of: request)
        #expect(base.contains(#""@query-param";name="a": b%3Dc%3Dd"#))
        #expect(base.contains("\"@query-param\";name=\"e\": \n"))
    }

    @Test(
        "The target URI has the path that is sent",
        arguments: [
            ("https://h", "https://h/"), ("https://h?a", "https://h/?a"), ("http://h:8080", "http://h:8080/"),
            ("https://h/a#b", "https://h/a"),
        ]
    )
    func targetURI(_ url: String, _ expected: String) throws {
        let base = try base(["@target-uri"], of: PreparedRequest(url: RequestURL(url)))
        #expect(base.hasPrefix("\"@target-uri\": \(expected)\n"))
    }

    @Test(
        "The authority has no default port, whether from the URL or the Host field",
        arguments: [
            ("https://H:443/", nil, "h"), ("http://h:80/", nil, "h"), ("http://h:443/", nil, "h:443"),
            ("https://[::443]/", nil, "[::443]"), ("https://[::1]:443/", nil, "[::1]"),
            ("https://h/", "Example.com:443", "example.com"), ("https://h/", "example.com:80", "example.com:80"),
            ("http://h/", "example.com:80", "example.com"),
        ] as [(String, String?, String)]
    )
    func authority(_ url: String, _ host: String?, _ expected: String) throws {
        var request = try PreparedRequest(url: RequestURL(url))
        if let host { request.header.set(Field(name: .host, value: host)) }
        #expect(try base(["@authority"], of: request).hasPrefix("\"@authority\": \(expected)\n"))
    }

    @Test("A component that is listed twice can't be signed, and nothing is added")
    func repeated() throws {
        for components in [["@method", "@method"], ["date", "Date"], [.queryParameter("a"), .queryParameter("a")]]
            as [[MessageSignature.Component]]
        {
            var request = try PreparedRequest(url: RequestURL("https://example.com/?a=1"), header: ["Date": "today"])
            let signature = MessageSignature(of: components, with: .hmacSHA256(id: "k", secret: secret))
            let error = #expect(throws: RequestError.self) { try signature.sign(&request) }
            #expect(error?.message.contains("twice") == true)
            #expect(!request.header.contains("Signature"))
        }
    }

    @Test("A missing component and a repeated query parameter can't be signed, and nothing is added")
    func missing() throws {
        let components: [(MessageSignature.Component, String)] = [
            ("x-missing", "The request has no"), ("@status", "The request has no"),
            (.queryParameter("b"), "The request has no"), (.queryParameter("a"), "The query has 2 items"),
        ]
        for (component, reason) in components {
            var request = try PreparedRequest(url: RequestURL("https://example.com/?a=1&a=2"))
            let signature = MessageSignature(of: [component], with: .hmacSHA256(id: "k", secret: secret))
            let error = #expect(throws: RequestError.self) { try signature.sign(&request) }
            #expect(error?.message.hasPrefix(reason) == true)
            #expect(request.header.isEmpty)
        }
    }

    @Test("The digest of the body is added if it is signed, and other signatures stay")
    func digest() throws {
        var request = try request()
        request.header.remove(.contentDigest)
        request.header.set(Field(name: "Signature-Input", value: #"proxy=("@method")"#))
        request.header.set(Field(name: "Signature", value: "proxy=:YQ==:"))
        let signature = MessageSignature(
            of: ["content-digest"],
            with: .hmacSHA256(id: "k", secret: secret),
            expiresAfter: .seconds(60),
            nonce: { "n" },
            tag: "app",
            date: { [created] in created }
        )
        try signature.sign(&request)
        #expect(request.header[.contentDigest] == "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:")
        #expect(
            request.header["Signature-Input"]
                == #"proxy=("@method"), sig1=("content-digest");created=1618884473;expires=1618884533;"#
                + #"nonce="n";keyid="k";tag="app""#
        )
        #expect(request.header["Signature"]?.hasPrefix("proxy=:YQ==:, sig1=:") == true)
    }

    @Test("A digest with SHA-512 is the one of the specification")
    func sha512() {
        let field = Field.contentDigest(of: Data(#"{"hello": "world"}"#.utf8), .sha512)
        #expect(
            field.value
                == "sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:"
        )
    }
}
