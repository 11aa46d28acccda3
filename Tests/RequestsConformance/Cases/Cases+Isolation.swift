import Requests
import RequestsClient
import RequestsTesting

/// Cases that show that a transport sends exactly one request: it adds no redirects, cookies, caching or
/// authentication.
extension TransportConformance.Case {
    static let isolation: [Self] = [
        redirectNotFollowed, redirectWithoutLocation, challengeNotAnswered, errorStatus, noCookies, noCache,
    ]

    /// A redirect is delivered like any other response.
    public static let redirectNotFollowed = Self("redirectNotFollowed", "a redirect is delivered, not followed") {
        context in
        let other = try context.serveHTTP { _ in .init(200) }
        for status in [301, 302, 303, 307, 308] {
            let server = try context.serveHTTP { _ in
                .init(status, header: [Field(name: .location, value: other.baseURL.absoluteString + "/")])
            }
            let request = try context.request(
                .post,
                server,
                header: [.authorization("Bearer secret"), Field(name: .cookie, value: "secret=1")],
                body: .data(Data("secret".utf8))
            )
            let response = try await context.exchange(request)
            try context.expect(response.head.statusCode, is: status, "the status")
            try context.expect(response.head.header.contains(.location), "Location is missing")
        }
        try context.expect(other.acceptedConnections, is: 0, "the number of connections to the other server")
    }

    /// A redirect without a usable `Location` is delivered, too (RFC 9110 §15.4).
    public static let redirectWithoutLocation = Self(
        "redirectWithoutLocation",
        "a redirect without a Location is delivered"
    ) {
        context in
        for status in [301, 302, 303, 305, 307, 308] {
            for location in ["", "Location: http://a b/\r\n"] {
                let reply = "HTTP/1.1 \(status) Redirect\r\n\(location)Range: bytes=0-99\r\nContent-Length: 0\r\n\r\n"
                let response = try await context.get(context.play(reply))
                try context.expect(response.head.statusCode, is: status, "the status")
                try context.expect(response.head.header[.range], is: "bytes=0-99", "Range")
            }
        }
    }

    /// An authentication challenge is delivered like any other response.
    public static let challengeNotAnswered = Self("challengeNotAnswered", "a challenge is delivered, not answered") {
        context in
        let requests = Locked(0)
        for challenge in ["Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"n\", qop=\"auth\"", "Bearer", "NTLM"] {
            let server = try context.serveHTTP { _ in
                requests.withLock { $0 += 1 }
                let header: Header = [Field(name: .wwwAuthenticate, value: challenge), .contentType(.plainText)]
                return .init(401, header: header, body: Data("log in".utf8))
            }
            let response = try await context.get(server)
            try context.expect(response.head.statusCode, is: 401, "the status")
            try context.expect(response.content, is: Data("log in".utf8), "the body for \(challenge)")
        }
        try context.expect(requests.withLock { $0 }, is: 4, "the number of requests")
    }

    /// A response with a 4xx or 5xx status code is delivered like any other.
    public static let errorStatus = Self("errorStatus", "a 4xx or 5xx status code is not an error") {
        context in
        for status in [400, 403, 404, 408, 407, 429, 500, 503] {
            let server = try context.serveHTTP { _ in .init(status, .plainText, "because") }
            let response = try await context.get(server)
            try context.expect(response.head.statusCode, is: status, "the status")
            try context.expect(response.content, is: Data("because".utf8), "the body")
        }
    }

    /// The transport doesn't store cookies.
    public static let noCookies = Self("noCookies", "cookies aren't stored") { context in
        let server = try context.serveHTTP { request in
            let cookie = Field(name: .setCookie, value: "session=1; Path=/")
            return .init(200, header: [cookie], body: Data((request.header[.cookie] ?? "none").utf8))
        }
        _ = try await context.get(server)
        try context.expect(
            try await context.get(server).content,
            is: Data("none".utf8),
            "the cookie of the second request"
        )
        let request = try context.request(.get, server, header: [Field(name: .cookie, value: "mine=2")])
        try context.expect(
            try await context.exchange(request).content,
            is: Data("mine=2".utf8),
            "the cookie that the request sets"
        )
    }

    /// The transport doesn't cache responses.
    public static let noCache = Self("noCache", "responses aren't cached") { context in
        let requests = Locked(0)
        let server = try context.serveHTTP { _ in
            requests.withLock { $0 += 1 }
            return .init(200, header: [Field(name: .cacheControl, value: "max-age=3600")], body: Data("ok".utf8))
        }
        for _ in 0..<3 { _ = try await context.get(server) }
        try context.expect(requests.withLock { $0 }, is: 3, "the number of requests")
    }
}
