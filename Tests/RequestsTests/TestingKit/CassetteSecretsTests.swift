import RequestsSchemes
import RequestsTesting
import Testing

@Suite("Secrets in cassettes", .timeLimit(.minutes(5)))
final class CassetteSecretsTests {
    private let file = CassetteFile()

    deinit { file.remove() }

    private let secrets = Cassette.Secrets(
        fields: ["X-Tenant-Secret"],
        queryNames: ["invite"],
        bodies: [
            .credentials, .json(keys: ["pin", "card"]), .form(names: ["otp"]),
            Cassette.BodyRule { data, type in type?.matches(.html) == true ? Data() : data },
        ]
    )

    /// Sends requests with a secret in every possible place.
    private func exchange(over transport: any Transport, secret: String) async throws -> [String] {
        let header: Header = [
            .authorization("Bearer \(secret)"), Field(name: .cookie, value: "session=\(secret); \(secret)"),
            Field(name: "X-Tenant-Secret", value: secret), Field(name: "X-Marked", value: secret).sensitive(),
            Field(name: "Referer", value: "https://u:\(secret)@h/?sig=\(secret)"), .contentType(.json),
        ]
        let json = #"{"password":"\#(secret)","a":{"card":["\#(secret)",{"b":"\#(secret)"}]},"user":"ada"}"#
        let form = "user=ada&otp=\(secret)&client_secret=\(secret)"
        let url = "https://h/login?page=1&access_token=\(secret)&invite=\(secret)"
        return [
            try await transport.exchange(.post, url, header: header, body: .data(Data(json.utf8))).body,
            try await transport.exchange(
                .post,
                "https://h/token",
                header: [.contentType(.urlEncodedForm)],
                body: .data(Data(form.utf8))
            ).body,
            try await transport.exchange(
                .post,
                "https://h/page",
                header: [.contentType(.html)],
                body: .data(Data("<p>\(secret)</p>".utf8))
            ).body,
        ]
    }

    private let server = StubTransport { request in
        let secret = "c4nary-answer"
        let body = #"{"access_token":"\#(secret)","pin":1234,"expires":60,"user":"ada"}"#
        let header: Header = [
            Field(name: .setCookie, value: "session=\(secret); Path=/; HttpOnly"), .contentType(.json),
            Field(name: .location, value: "/next?token=\(secret)&page=2#access_token=\(secret)"),
            Field(name: "Link", value: "</next?api_key=\(secret)>; rel=next"),
            Field(name: "X-Api-Key", value: secret), Field(name: .contentLength, value: "\(body.utf8.count)"),
        ]
        return try .stub(200, header: header, body: Data(body.utf8), for: request)
    }

    @Test("secrets aren't written to the file, and the text around them is")
    func canary() async throws {
        try await file.record(over: server, secrets: secrets) { cassette in
            let live = try await exchange(over: cassette, secret: "c4nary-live")
            // Recording doesn't change the live responses.
            #expect(live.allSatisfy { $0.contains("c4nary-answer") })
        }
        let text = try file.text
        #expect(!text.contains("c4nary"))
        #expect(!text.contains("1234"))
        for kept in [
            "https://h/login?page=1&access_token=REDACTED&invite=REDACTED",
            "session=REDACTED; REDACTED", "session=REDACTED; Path=/; HttpOnly",
            "/next?token=REDACTED&page=2#access_token=REDACTED",
            "</next?api_key=REDACTED>; rel=next", "user=ada&otp=REDACTED&client_secret=REDACTED",
            #"{\"access_token\":\"REDACTED\",\"pin\":0,\"expires\":60,\"user\":\"ada\"}"#,
        ] {
            #expect(text.contains(kept), "\(kept)")
        }
    }

    @Test("secrets are ignored when a request is matched")
    func replay() async throws {
        try await file.record(over: server, secrets: secrets) { cassette in
            _ = try await exchange(over: cassette, secret: "c4nary-live")
        }
        let criteria: [Cassette.Criterion] = [.method, .url, .body, .header(.authorization), .header("X-Marked")]
        let replaying = try Cassette(file.url, mode: .replay, matching: criteria, secrets: secrets)
        let bodies = try await exchange(over: replaying, secret: "another")
        #expect(
            bodies == Array(repeating: #"{"access_token":"REDACTED","pin":0,"expires":60,"user":"ada"}"#, count: 3)
        )
        #expect(replaying.unused.isEmpty)
    }

    @Test("Content-Length is the length of the body without secrets")
    func length() async throws {
        try await file.record(over: server, secrets: secrets) { _ = try await $0.exchange(.get, "https://h/") }
        let (head, body) = try await Cassette(file.url, mode: .replay).exchange(.get, "https://h/")
        #expect(head.header[.contentLength] == String(body.utf8.count))
    }

    @Test("the error for an unmatched request shows no secret")
    func errors() async throws {
        try await file.record(over: server, secrets: secrets) { cassette in
            _ = try await exchange(over: cassette, secret: "c4nary-live")
        }
        let replaying = try Cassette(file.url, mode: .replay, secrets: secrets)
        let error = await #expect(throws: TransportError.self) {
            let body = RequestBody.data(Data(#"{"password":"c4nary","other":"c4nary"}"#.utf8))
            _ = try await replaying.exchange(.post, "https://h/login?page=1&token=c4nary", body: body)
        }
        #expect(error.map { "\($0)" }?.contains("c4nary") == false)
    }

    @Test(
        "secrets are removed from URLs in text bodies, and other text is kept",
        arguments: [
            (#"{"next":"https://h/a?page=2&token=s3cret"}"#, #"{"next":"https://h/a?page=2&token=REDACTED"}"#),
            (
                #"{"n":"https:\/\/u:s3cret@h\/?sig=s3cret\nx"}"#,
                #"{"n":"https:\/\/REDACTED@h\/?sig=REDACTED\nx"}"#
            ),
            (#""/a?page=2\u0026api_key=s3cret\u0026b=1""#, #""/a?page=2\u0026api_key=REDACTED\u0026b=1""#),
            ("<a href='/?a=1&amp;sig=s3cret'>", "<a href='/?a=1&amp;sig=REDACTED'>"),
            (
                "see https://h/?invite=s3cret, or #token=s3cret)",
                "see https://h/?invite=REDACTED, or #token=REDACTED)"
            ),
            ("is a token=kept? Yes; keys=kept", "is a token=kept? Yes; keys=kept"),
        ]
    )
    func urls(_ text: String, _ kept: String) async throws {
        let secrets = Cassette.Secrets(bodies: [.credentials, .urls(names: ["invite"])])
        let transport = StubTransport {
            try .stub(200, header: [.contentType(.plainText)], body: Data(text.utf8), for: $0)
        }
        try await file.record(over: transport, secrets: secrets) { _ = try await $0.exchange(.get, "https://h/") }
        #expect(try await Cassette(file.url, mode: .replay).exchange(.get, "https://h/").body == kept)
    }

    @Test("bodies that aren't text are kept unchanged")
    func binary() async throws {
        let image = Data("\u{89}PNG?token=s3cret".utf8)
        let type = Field.contentType(MediaType(type: "image", subtype: "png"))
        let transport = StubTransport { try .stub(200, header: [type], body: image, for: $0) }
        try await file.record(over: transport) { _ = try await $0.exchange(.get, "https://h/") }
        #expect(
            try await Cassette(file.url, mode: .replay).exchange(.get, "https://h/").body == "\u{89}PNG?token=s3cret"
        )
    }

    @Test(
        "JSON in the bytes of an image is kept, redacted if the type says text, and hidden otherwise",
        arguments: [
            ("image/png", #"{"token":"s3cret"}"#), ("application/json", #"{"token":"REDACTED"}"#),
            ("multipart/mixed; boundary=b", "REDACTED: 22 bytes"), ("application/octet-stream", "REDACTED: 20 bytes"),
        ]
    )
    func binaryJSON(_ type: String, _ kept: String) async throws {
        let body = Data([0x89, 0xFF]) + Data(#"{"token":"s3cret"}"#.utf8)
        let header: Header = [Field(name: .contentType, value: type)]
        let transport = StubTransport { try .stub(200, header: header, body: body, for: $0) }
        try await file.record(over: transport) { _ = try await $0.exchange(.get, "https://h/") }
        let replayed = try await Cassette(file.url, mode: .replay).exchange(.get, "https://h/").body
        #expect(replayed.hasSuffix(kept))
    }

    @Test("numbers that count tokens are recorded, compared and shown, because they are no secrets")
    func counts() async throws {
        let usage =
            #"{"usage":{"prompt_tokens":9999,"prompt_tokens_details":{"cached_tokens":1}},"token_expires_in":60"#
        let transport = StubTransport {
            try .stub(200, header: [.contentType(.json)], body: Data(#"\#(usage),"token":"s3cret"}"#.utf8), for: $0)
        }
        let body = { (count: Int) in RequestBody.data(Data(#"{"max_tokens":\#(count),"token":"s3cret"}"#.utf8)) }
        try await file.record(over: transport) { _ = try await $0.exchange(.post, "https://h/", body: body(100)) }
        let replaying = try Cassette(file.url, mode: .replay, matching: [.method, .url, .body])
        await #expect(throws: TransportError.self) {
            _ = try await replaying.exchange(.post, "https://h/", body: body(9999))
        }
        let replayed = try await replaying.exchange(.post, "https://h/", body: body(100)).body
        #expect(replayed == #"\#(usage),"token":"REDACTED"}"#)
        let (first, second) = try (
            PreparedRequest(method: .post, url: RequestURL("https://h/"), body: body(100)),
            PreparedRequest(method: .post, url: RequestURL("https://h/"), body: body(9999))
        )
        #expect("\(second.difference(from: first))" == "- body.max_tokens: 100\n+ body.max_tokens: 9999")
    }

    @Test(
        "numbers that count tokens are kept in URLs and forms, too",
        arguments: [MediaType.urlEncodedForm, "multipart/form-data; boundary=b"]
    )
    func countsInForms(type: MediaType) async throws {
        let url = { (count: Int) in "https://h/?max_tokens=\(count)&token=s3cret" }
        let body = { (count: Int) in
            let part = "--b\r\nContent-Disposition: form-data; name="
            let text =
                type == .urlEncodedForm
                ? "max_tokens=\(count)&token=s3cret"
                : "\(part)max_tokens\r\n\r\n\(count)\r\n\(part)token\r\n\r\ns3cret\r\n--b--"
            return RequestBody.data(Data(text.utf8))
        }
        let header: Header = [.contentType(type)]
        try await file.record(over: StubTransport { try .stub(204, for: $0) }) {
            _ = try await $0.exchange(.post, url(100), header: header, body: body(100))
        }
        #expect(try !file.text.contains("s3cret"))
        let replaying = try Cassette(file.url, mode: .replay, matching: [.method, .url, .body])
        for (inURL, inBody) in [(9999, 100), (100, 9999)] {
            await #expect(throws: TransportError.self) {
                _ = try await replaying.exchange(.post, url(inURL), header: header, body: body(inBody))
            }
        }
        _ = try await replaying.exchange(.post, url(100), header: header, body: body(100))
    }

    @Test("a recorded login is replayed, and its placeholders are sent and matched like the secrets")
    func login() async throws {
        let server = StubTransport { request in
            switch request.url.path {
            case "/token":
                let token = #"{"access_token":"s3cret","token_type":"Bearer","expires_in":60,"refresh_token":"s3cret"}"#
                let header: Header = [.contentType(.json), Field(name: .setCookie, value: "session=s3cret; Path=/")]
                return try .stub(200, header: header, body: Data(token.utf8), for: request)
            default:
                let isKnown =
                    request.header[.authorization] == "Bearer s3cret"
                    && request.header[.cookie] == "session=s3cret"
                return try .stub(isKnown ? 200 : 401, for: request)
            }
        }
        let session = { @Sendable (transport: any Transport) async throws -> Void in
            var configuration = Client.Configuration()
            configuration.cookies = CookieStore()
            let client = Client(transport: transport, configuration: configuration)
            let api = OAuth2(tokenURL: URL("https://h/token"), client: .confidential(id: "c", secret: "s3cret"))
            let token = try await client.send(api.clientCredentials())
            let me = BaseURL("https://h").get(.none, from: "/me")
            try await client.send(me.authenticated(with: .bearerToken(token.value)))
        }
        try await file.record(over: server) { try await session($0) }
        #expect(try !file.text.contains("s3cret"))
        let criteria: [Cassette.Criterion] = [.method, .url, .header(.authorization), .header(.cookie)]
        try await session(Cassette(file.url, mode: .replay, matching: criteria))
    }

    @Test(
        "secrets are removed from JSON and malformed JSON",
        arguments: [
            (#"{"token" : "s3cret\" ,", "a":1}"#, #"{"token" : "REDACTED", "a":1}"#),
            (#"{"toke\u006e":"s3cret"}"#, #"{"toke\u006e":"REDACTED"}"#),
            (#"{"a":{"Access-Token":-1.5e3},"b":1.50}"#, #"{"a":{"Access-Token":0},"b":1.50}"#),
            (
                #"{"token":[true,null,{"k":"s3cret"}],"b":"token"}"#,
                #"{"token":[true,null,{"k":"REDACTED"}],"b":"token"}"#
            ),
            (#"{"token":"s3cret"#, #"{"token":"REDACTED""#),
            (#"{"token":s3cret}"#, #"{"token":"REDACTED"}"#),
            ("say \"hi\ndata: {\"token\":\"s3cret\"}\n\n", "say \"hi\ndata: {\"token\":\"REDACTED\"}\n\n"),
            (#"{"token":{}}"#, #"{"token":{}}"#),
            (#"{"token":}"#, #"{"token":}"#),
            ("plain", "plain"),
        ]
    )
    func json(_ text: String, _ kept: String) async throws {
        let secrets = Cassette.Secrets(bodies: [.json(keys: ["token", "access_token"])])
        let transport = StubTransport { try .stub(200, body: Data(text.utf8), for: $0) }
        try await file.record(over: transport, secrets: secrets) { _ = try await $0.exchange(.get, "https://h/") }
        #expect(try await Cassette(file.url, mode: .replay).exchange(.get, "https://h/").body == kept)
    }

    @Test(
        "secrets are removed from forms up to the end of the value",
        arguments: [
            ("otp=1#2 \"3&user=ada", "otp=REDACTED&user=ada"), ("user=ada&OTP=1", "user=ada&OTP=REDACTED"),
            ("otp=&otp", "otp=&otp"), ("o%74p=1", "o%74p=REDACTED"),
        ]
    )
    func form(_ text: String, _ kept: String) async throws {
        let secrets = Cassette.Secrets(bodies: [.form(names: ["otp"])])
        let reply = StubTransport.Reply.reply(200, header: [.contentType(.urlEncodedForm)], text: text)
        try await file.record(over: StubTransport(script: [reply]), secrets: secrets) { cassette in
            _ = try await cassette.exchange(.get, "https://h/")
        }
        #expect(try await Cassette(file.url, mode: .replay).exchange(.get, "https://h/").body == kept)
    }

    @Test(
        "without a rule, secrets are recognized by their names",
        arguments: [
            (#"{"token":"s3cret","sessionId":"s3cret","code":404,"key":"b","nextToken":"c"}"#, MediaType.json),
            ("grant_type=authorization_code&code=s3cret&token=s3cret", .urlEncodedForm),
            (
                "--x\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\ns3cret\r\n--x--\r\n",
                MediaType(type: "multipart", subtype: "form-data", parameters: [("boundary", "x")])
            ),
        ]
    )
    func unnamed(_ text: String, _ type: MediaType) async throws {
        let transport = StubTransport { try .stub(200, header: [.contentType(type)], body: Data(text.utf8), for: $0) }
        try await file.record(over: transport) { cassette in
            _ = try await cassette.exchange(
                .post,
                "https://h/",
                header: [.contentType(type)],
                body: .data(Data(text.utf8))
            )
        }
        #expect(try !file.text.contains("s3cret"))
        let replaying = try Cassette(file.url, mode: .replay)
        let body = RequestBody.data(Data(text.replacing("s3cret", with: "another").utf8))
        let kept = try await replaying.exchange(.post, "https://h/", header: [.contentType(type)], body: body).body
        let placeholder = type.matches(.urlEncodedForm) ? "REDACTED" : "REDACTED"
        #expect(kept == text.replacing("s3cret", with: placeholder))
    }

    @Test("query items that the request redacts are removed from the request and the response")
    func redactedQueryNames() async throws {
        func send(over transport: any Transport, key: String) async throws {
            let request = BaseURL("https://h").get(.none, from: "/data")
                .authenticated(with: .apiKey(key, inQuery: "appid"))
            var configuration = Client.Configuration()
            configuration.redirects = .never
            configuration.validation = .none
            try await Client(transport: transport, configuration: configuration).send(request)
        }
        let server = StubTransport { request in
            let location = Field(name: .location, value: "/next?appid=c4nary")
            return try .stub(302, header: [location], for: request)
        }
        let recorder = try Cassette(file.url, mode: .record(over: server))
        try await send(over: recorder, key: "c4nary")
        try recorder.save()
        let text = try String(contentsOf: file.url, encoding: .utf8)
        #expect(!text.contains("c4nary"))
        #expect(text.contains("appid"))
        try await send(over: Cassette(file.url, mode: .replay), key: "another")
    }
}
