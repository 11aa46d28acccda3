import Foundation

@testable import Requests

extension FuzzTarget {
    private static let epoch = Date(timeIntervalSince1970: 1_767_225_600)

    static let fields = [
        FuzzTarget(
            "header",
            seeds: [["GET", "X-A", "b"], ["P\r\n", "Host", "a\tb"], ["", "é", " "], ["a b", "Content-Length", "0"]]
        ) { input in
            let (method, name, value) = (HTTPMethod(rawValue: input.text()), input.text(), input.text())
            let request = try PreparedRequest(
                method: method,
                url: try RequestURL("https://a/"),
                header: [Field(name: Field.Name(name), value: value)]
            )
            let lines = request.httpMessage(revealingSecrets: true).utf8.split(omittingEmptySubsequences: false) {
                $0 == 10 || $0 == 13 || $0 == 0
            }
            let isHost = Field.Name(name) == .host
            let hasLength = [.post, .put, .patch].contains(method) || Field.Name(name) == .contentLength
            let expected = (isHost ? 4 : 5) + (hasLength && Field.Name(name) != .contentLength ? 1 : 0)
            require(lines.count == expected, "a field is one line: \(lines.count) lines")
            require(Field.Name(name) == Field.Name(ASCII.lowercased(name)), "names ignore case")
            require(Field.Name(name).hashValue == Field.Name(ASCII.lowercased(name)).hashValue, "equal hashes")
        },
        FuzzTarget(
            "media-type",
            seeds: [
                ["text/plain; charset=utf-8"], ["a/b;c=\"d\\\"e\""], ["a/b ; ;c=d"], ["multipart/form-data;boundary=x"],
            ]
        ) { input in
            guard let type = MediaType(input.text()) else { return }
            require(type.isValid, "a parsed media type is valid")
            require(MediaType(type.rawValue) == type, "a media type is read back: \(type.rawValue)")
        },
        FuzzTarget(
            "date",
            seeds: [
                ["Sun, 06 Nov 1994 08:49:37 GMT"], ["Sunday, 06-Nov-94 08:49:37 GMT"], ["Sun Nov  6 08:49:60 1994"],
            ]
        ) { input in
            let text = input.text()
            for date in [HTTPDate.parse(text) { epoch }, HTTPDate.parse(cookieDate: text)] {
                guard let date else { continue }
                require(HTTPDate.parse(HTTPDate.text(of: date)) { epoch } == date, "a date is read back")
            }
        },
        FuzzTarget(
            "challenge",
            seeds: [
                ["Basic realm=\"a\", Digest realm=b, nonce=c, qop=\"auth,auth-int\", algorithm=SHA-256"],
                ["Bearer abc=="],
                ["Digest nonce=\"\\\"\",stale=true,opaque=,,realm=\"é\""], ["a b c"],
            ]
        ) { input in
            let header: Header = [Field(name: .wwwAuthenticate, value: input.text())]
            let challenges = AuthenticationProvider.Challenge.challenges(in: header)
            for challenge in challenges {
                require(ASCII.isToken(challenge.scheme), "a scheme is a token")
                require(challenge.token == nil || challenge.parameters.isEmpty, "a token or parameters")
            }
            guard var (session, _) = DigestSession.strongest(of: challenges) else { return }
            let message = PasswordSession.Message(try PreparedRequest(url: try RequestURL("https://a/b?c")))
            session.renew(from: input.text())
            if let field = session.use(for: message, username: "u", password: "c4nary", cnonce: "n") {
                require(!field().contains("c4nary"), "no password is sent")
            }
        },
        FuzzTarget(
            "cookie",
            seeds: [
                ["a=b; Path=/; Domain=example.com; Secure", "c=d; Max-Age=1"], ["__Host-a=b; Path=/; Secure", "=x"],
                ["a; Expires=Wed, 21 Oct 2026 07:28:00 GMT; HttpOnly; SameSite=Lax", ";"],
            ]
        ) { input in
            var jar = CookieJar()
            let url = try RequestURL("https://a.example.com/b/c")
            let header = Header((0..<2).map { _ in Field(name: .setCookie, value: input.text()) })
            jar.store(header, from: url, at: epoch)
            let decoded = try JSONDecoder().decode(CookieJar.self, from: JSONEncoder().encode(jar))
            require(decoded.cookies.count == jar.cookies.count, "a jar is read back")
            for cookie in jar.cookies {
                require(CookieJar.Cookie.host(url.host, matches: cookie.domain), "a cookie is for the host")
            }
            if let value = jar.field(for: url, at: epoch) {
                try Header([Field(name: .cookie, value: value)]).validate()
                require(value.utf8.count <= 8 << 10, "a field is bounded")
            }
            require(jar.field(for: try RequestURL("https://b.example.org/b/c"), at: epoch) == nil, "no other site")
        },
        FuzzTarget(
            "structured",
            seeds: [
                ["<https://a/?b>; rel=\"next prev\"; title=\"c\", </d>;rel=e", "attachment; filename=a.txt"],
                ["<>;a", "inline; filename*=utf-8''%e2%82%ac%2f..%2F; filename=\"x\\\"y\""], ["120", "bytes 0-1/2"],
            ]
        ) { input in
            let (first, second) = (input.text(), input.text())
            let header: Header = [
                Field(name: "Link", value: first), Field(name: "Content-Disposition", value: second),
                Field(name: .retryAfter, value: first), Field(name: .eTag, value: second),
            ]
            let head = try ResponseHead(statusCode: 503, header: header, url: try RequestURL("https://a/"))
            for link in head.links { require(!link.reference.contains(">"), "a reference ends at its bracket") }
            if let name = head.suggestedFilename {
                require(!name.isEmpty && name != "." && name != "..", "a file name is a name")
                require(!name.utf8.contains { $0 == 0x2F || $0 == 0x5C || $0 == 0 }, "a file name is no path")
            }
            if let tag = Field.EntityTag(second) { require(Field.EntityTag(tag.rawValue) == tag, "a tag is read back") }
            _ = RetryPolicy.fixed(.seconds(1), limit: 1).step(
                after: .response(head),
                to: try PreparedRequest(url: head.url),
                retries: 0,
                date: { Date(timeIntervalSince1970: 0) },
                random: { 0.5 }
            )
        },
    ]
}
