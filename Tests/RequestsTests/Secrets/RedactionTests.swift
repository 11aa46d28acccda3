import RequestsClient
import Testing

@testable import Requests

@Suite("Redaction in descriptions and errors", .timeLimit(.minutes(5)))
struct RedactionTests {
    @Test(
        "sensitive query names are recognized with any case, hyphens and underscores",
        arguments: [
            "token", "TOKEN", "access_token", "accessToken", "Access-Token", "api_key", "apikey", "api-key", "key",
            "code",
            "password", "passwd", "pass", "pwd", "client_secret", "secret", "refresh_token", "id_token", "assertion",
            "auth", "authorization", "credential", "sig", "signature", "sid", "session_id", "subscription-key",
            "X-Amz-Signature", "X-Amz-Credential", "X-Amz-Security-Token", "X-Goog-Signature", "_t_o_k_e_n_",
            "private_token", "auth_token", "new_password", "currentPassword", "awsSecretAccessKey", "code_verifier",
            "jwt", "app_key", "applicationKey", "master-key", "private_key", "signingKey",
            "shared_key", "encryption-key", "AccountKey", "tokens", "passwords", "SAMLResponse", "SAMLart", "ticket",
            "id_token_hint", "user_code", "device_code", "hmac", "oauth_verifier", "openid.sig", "csrfmiddlewaretoken",
            "__RequestVerificationToken", "authenticity_token", "xsrf", "jsessionid", "PHPSESSID", "ASP.NET_SessionId",
            "connect.sid", "logout_token", "client_assertion", "mfa_otp", "apiKeyV2", "webhook-secret-2",
            "X-Plex-Token", "hub.verify_token", "otp", "pin", "psk", "CVV", "cookie",
        ]
    )
    func sensitive(name: String) {
        #expect(Redaction.isSensitive(queryName: name))
    }

    @Test(
        "other query names aren't sensitive",
        arguments: [
            "", "q", "page", "keyword", "monkey", "codec", "author", "tok en", "tökén", "state", "scope", "spin",
            "sigma",
            "pageToken",
            "next_token", "$skiptoken", "NextPageToken", "zip_code", "primary_key",
        ]
    )
    func plain(name: String) {
        #expect(!Redaction.isSensitive(queryName: name))
    }

    @Test(
        "a nested query name is sensitive if one of its parts is",
        arguments: [
            ("user[password]", true), ("user.password", true), ("a[b][token][]", true), ("token[]", true),
            ("password[length]", true), ("key[name]", false), ("[]", false), ("user[name]", false),
        ]
    )
    func nested(name: String, isSensitive: Bool) {
        #expect(Redaction.isSensitive(queryName: name) == isSensitive)
    }

    @Test(
        "a JSON key is sensitive only if its name is unambiguous",
        arguments: [
            ("token", true), ("access_token", true), ("newPassword", true), ("sessionId", true), ("pwd", true),
            ("refreshTokens", true), ("SAMLResponse", true), ("ticket", false), ("pin", false), ("projectKey", false),
            ("code", false), ("key", false), ("pass", false), ("auth", false), ("nextPageToken", false),
            ("token_type", false), ("token_type_hint", false), ("issuedTokenType", false), ("token_types", true),
        ]
    )
    func jsonKeys(key: String, isSensitive: Bool) {
        #expect(Redaction.isSensitive(jsonKey: key) == isSensitive)
    }

    @Test(
        "a JSON number whose name says that it counts isn't a secret, and every other value of the name is one",
        arguments: [
            ("max_tokens", true), ("prompt_tokens", true), ("token_expires_in", true), ("tokenCount", true),
            ("token_limit", true), ("client_secret_expires_at", true), ("token", false), ("access_token", false),
            ("token_id", false), ("password", false), ("token_account", false),
        ]
    )
    func counts(key: String, isCount: Bool) {
        #expect(Redaction.isSecret(jsonKey: key, value: UInt8(ascii: "5")) == !isCount)
        for value in ["\"", "{", "[", "-", "t"].map(\.utf8.first) + [nil] {
            #expect(Redaction.isSecret(jsonKey: key, value: value))
        }
        #expect(!Redaction.isSecret(jsonKey: "prompt_tokens_details", value: UInt8(ascii: "{")))
    }

    @Test(
        "a number in a query or form whose name says that it counts isn't a secret, and any other value is",
        arguments: [
            ("max_tokens=9999", "max_tokens=9999"), ("tokenLimit=0&token=5", "tokenLimit=0&token=REDACTED"),
            ("max_tokens=s3cret", "max_tokens=REDACTED"), ("max_tokens=5s3cret", "max_tokens=REDACTED"),
            ("max_tokens=", "max_tokens="), ("password=9999", "password=REDACTED"),
            ("max_tokens=123456789012345678901", "max_tokens=REDACTED"),
        ]
    )
    func countsInItems(query: String, shown: String) throws {
        let request = try PreparedRequest(method: .post, url: RequestURL("https://h/?\(query)"))
        #expect("\(request.url)" == "https://h/?\(shown)")
        #expect(request.curlCommand().contains("?\(shown)"))
        let items = query.split(separator: "&").map { item in
            URLQueryItem(name: String(item.prefix { $0 != "=" }), value: String(item.drop { $0 != "=" }.dropFirst()))
        }
        #expect("\(Query(items))" == shown)
        for item in items {
            guard let value = item.value, !value.isEmpty else { continue }
            let form = try BaseURL("https://h").post(.multipart([.field(item.name, value)]), to: "/").prepared()
            let body = try #require(form.body.redacted(in: form.header).data)
            #expect(String(decoding: body, as: UTF8.self).contains("\r\n\r\n\(value)\r\n") == shown.contains(value))
        }
    }

    @Test("a part's JSON is shown without its secrets, and a secret that begins with line breaks isn't empty")
    func parts() throws {
        let parts: Multipart = [
            .content(Data(#"{"password":"s3cret","user":"ada"}"#.utf8), contentType: .json),
            .field("tokens", String(repeating: "\r\n", count: 40) + "s3cret"),
            .field("tokens", "1" + String(repeating: "\n", count: 40) + "s3cret"),
        ]
        let request = BaseURL("https://h").post(.multipart(parts, contentType: "multipart/mixed"), to: "/")
        let shown = try request.prepared().httpMessage()
        #expect(!shown.contains("s3cret"))
        #expect(shown.contains(#""user":"ada""#))
    }

    @Test(
        "fields whose names contain words of credentials are sensitive",
        arguments: [
            ("Ocp-Apim-Subscription-Key", true), ("X-Goog-Api-Key", true), ("X-Vault-Token", true),
            ("access_token", true), ("Client-Secret", true), ("X-Shopify-Access-Token", true), ("Api-Key", true),
            ("X-Session-Id", true), ("X-Session", true), ("PHPSESSID", true), ("X-JWT", true), ("DPoP", true),
            ("X-Hub-Signature-256", true), ("X-Amz-Signature", true), ("X-Auth", true), ("X-OTP", true),
            ("Author", false), ("X-Laptop", false), ("X-Next-Page-Token", false),
            ("Proxy-Authorization", true), ("Set-Cookie", true), ("Authentication-Info", true),
            ("X-Amzn-Oidc-Data", true), ("X-Webhook-Secret-V2", true), ("X-Acme-Key", true), ("X-Tokens", true),
            ("Idempotency-Key", false), ("Sec-WebSocket-Key", false), ("ETag", false), ("WWW-Authenticate", false),
        ]
    )
    func fields(name: String, isSensitive: Bool) {
        #expect(Field.Name(name).isSensitive == isSensitive)
    }

    @Test(
        "a field that contains a URL is printed without the URL's credentials",
        arguments: [
            (
                "Location", "https://a/cb?code=c4nary&x=1#access_token=c4nary",
                "https://a/cb?code=REDACTED&x=1#access_token=REDACTED"
            ),
            ("Referer", "https://ada:c4nary@h/?a=1;token=c4nary?;", "https://REDACTED@h/?a=1;token=REDACTED"),
            ("Link", "</a?sig=c4nary>; rel=\"next\"", "</a?sig=REDACTED>; rel=\"next\""),
            ("Refresh", "5; url=/a?key=c4nary", "5; url=/a?key=REDACTED"), ("Location", "/a?key=", "/a?key="),
            ("Accept", "?key=shown", "?key=shown"),
        ]
    )
    func urls(name: String, value: String, shown: String) {
        let field = Field(name: Field.Name(name), value: value)
        var dumped = ""
        dump(field, to: &dumped)
        #expect("\(field)" == "\(name): \(shown)")
        #expect(!dumped.contains("c4nary"))
        #expect(field.line(revealingSecrets: true) == "\(name): \(value)")
    }

    @Test("credentials after a semicolon or a second question mark of a query are redacted")
    func nestedURLs() throws {
        let url = try RequestURL("https://h/?a=1;token=c4nary&to=/b?key=c4nary&pass=a;b?c")
        #expect("\(url)" == "https://h/?a=1;token=REDACTED&to=/b?key=REDACTED&pass=REDACTED")
    }

    @Test("`dump` of a field shows no credential")
    func dumped() {
        var text = ""
        let unknown = Field(name: "X-A", value: "c4nary")
        dump(Header([.authorization("Bearer c4nary"), unknown, .accept("a/shown")]), to: &text)
        #expect(!text.contains("c4nary"))
        #expect(text.contains("shown"))
    }

    @Test("`dump` of a request, a query and a head shows no credential of the URL")
    func dumpedURLs() throws {
        let request = BaseURL("https://h").get(.none, from: "/a").with(query: ["token": "c4nary"])
        let prepared = try request.prepared()
        let head = try ResponseHead(statusCode: 200, url: URL(string: "https://h/?sig=c4nary")!)
        var text = ""
        let endpoint: Endpoint = "/x?token=\("c4nary")"
        dump(
            [request, prepared, head, endpoint, Query([URLQueryItem(name: "key", value: "c4nary")])] as [Any],
            to: &text
        )
        #expect(!text.contains("c4nary"))
        #expect(text.contains("https://h/a?token=REDACTED"))
    }

    @Test(
        "credentials in path parameters, and in URLs that are encoded in a query item, are redacted",
        arguments: [
            ("/app;jsessionid=c4nary", "/app;jsessionid=REDACTED"),
            ("/app;jsessionid=c4nary?a=1", "/app;jsessionid=REDACTED?a=1"), ("/a;v=1/b", "/a;v=1/b"),
            (
                "/?next=https%3A%2F%2Fb%2Fcb%3Ftoken%3Dc4nary%26b%3D1&x=2",
                "/?next=https%3A%2F%2Fb%2Fcb%3Ftoken%3DREDACTED%26b%3D1&x=2"
            ),
            ("/?next=https%3A%2F%2Fada%3Ac4nary%40b%2F", "/?next=https%3A%2F%2FREDACTED%40b%2F"),
            ("/?u=a%3Fu%3Da%253Ftoken%253Dc4nary", "/?u=a%3Fu%3Da%253Ftoken%253DREDACTED"),
            ("/?next=%2Fcb%3Fpage%3D1", "/?next=%2Fcb%3Fpage%3D1"),
        ]
    )
    func hiddenInURL(path: String, shown: String) throws {
        #expect(try RequestURL("https://h\(path)").description == "https://h\(shown)")
    }

    @Test("a URL that is encoded again and again is hidden, not read for ever")
    func nestedTooDeep() throws {
        var url = "token=c4nary"
        for _ in 0..<20 { url = "u=" + PercentEncoding.encoded(url) }
        #expect(!Redaction.hidingCredentials(in: url).contains("c4nary"))
        #expect(Redaction.hidingCredentials(in: url).contains("REDACTED"))
    }

    @Test(
        "URLs within JSON strings are printed without their credentials",
        arguments: [
            (#"{"cb":"https:\/\/h\/?token=c4nary&a=1"}"#, #"{"cb":"https:\/\/h\/?token=REDACTED&a=1"}"#),
            (#"["https://ada:c4nary@h/"]"#, #"["https:\/\/REDACTED@h\/"]"#),
            (#"{"max_tokens":100,"token":1}"#, #"{"max_tokens":100,"token":"REDACTED"}"#),
        ]
    )
    func urlsInJSON(text: String, shown: String) {
        let hidden = Redaction.hidingMembers(inJSON: Data(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
        #expect(hidden == shown)
    }

    @Test(
        "quoted text is one line, with control characters escaped",
        arguments: [
            "a\nb", "a\r\nb", "a\0b", "a\tb", "a\u{0B}b", "a\u{1B}[31mb", "a\u{7F}b", "a\u{85}b", "a\u{9B}31mb",
            "a\u{2028}b",
            "a\u{2029}b",
        ]
    )
    func quoted(text: String) {
        let quoted = Redaction.quoted(text)
        #expect(quoted.hasPrefix("“a\\"))
        #expect(quoted.hasSuffix("b”"))
        #expect(!quoted.unicodeScalars.contains { $0.properties.generalCategory == .control })
        #expect(!quoted.contains { $0.isNewline })
    }

    @Test("quoted text is cut to a limit")
    func limit() {
        #expect(Redaction.quoted(String(repeating: "a", count: 80)) == "“" + String(repeating: "a", count: 80) + "”")
        #expect(Redaction.quoted(String(repeating: "a", count: 81)) == "“" + String(repeating: "a", count: 80) + "…”")
        #expect(Redaction.quoted("a" + String(repeating: "\u{301}", count: 10_000)).unicodeScalars.count < 100)
    }

    @Test(
        "a quoted URL contains no user info, query or fragment",
        arguments: [
            ("https://user:s3cret@host/path", "“REDACTED@host/path”"), ("//s3cret@host", "“REDACTED@host”"),
            ("https://host/path?token=s3cret", "“https://host/path”"), ("host#s3cret", "“host”"),
            ("https://s3cret@s3cret@host", "“REDACTED@host”"), ("https://host/path", "“https://host/path”"),
        ]
    )
    func quotedURL(url: String, shown: String) {
        #expect(Redaction.quotedURL(url) == shown)
    }

    @Test(
        "credentials are recognized if a combining mark follows a delimiter",
        arguments: [
            "https://user:s3cret@\u{301}host", "https:user:s3cret@\u{FE0F}host", "host?\u{301}token=s3cret",
            "host#\u{200D}s3cret",
        ]
    )
    func combiningMarks(url: String) {
        #expect(!Redaction.quotedURL(url).contains("s3cret"))
    }

    @Test("the name of an item starts after the last equals sign")
    func nameAfterEquals() throws {
        let url = try RequestURL("https://a.example/?a=token=c4nary&b=c=d")
        #expect(url.description == "https://a.example/?a=token=REDACTED&b=c=d")
    }

    @Test("user info ends at its last at sign, even before a combining mark")
    func userInfoBeforeCombiningMark() {
        let field = Field(name: .location, value: "http://u:c4nary@\u{301}h/ http://u:c4n@ary@h")
        #expect(field.description == "Location: http://REDACTED@\u{301}h/ http://REDACTED@h")
    }

    @Test("a description shows at most 1000 characters of a URL, and a curl command all of it")
    func longURL() throws {
        let url = try RequestURL("https://a.example/x?" + String(repeating: "a=", count: 45_000) + "&token=c4nary")
        #expect(url.description.count == 1001)
        #expect(url.description.hasSuffix("a=…"))
        let redacted = try RequestURL("https://a.example/x?" + String(repeating: "key=a&", count: 150))
        #expect(redacted.text.utf8.count < 1000)
        #expect(redacted.description.count == 1001, "the placeholder is longer than the values")
        let command = try PreparedRequest(url: url).curlCommand()
        #expect(command.utf8.count > 90_000)
        #expect(command.hasSuffix("&token=REDACTED'"))
    }
}
