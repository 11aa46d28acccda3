import Foundation
import Requests
import RequestsClient

/// One exchange and nothing beside it.
extension TransportConformance.Case {
    static let isolation: [Self] = [
        redirectIsDelivered, redirectToNowhere, challengeIsDelivered, errorStatus, noCookies, noCache,
    ]

    /// A redirect is a response like any other.
    public static let redirectIsDelivered = Self("redirectIsDelivered", "a redirect is delivered, not followed") {
        context in
        let elsewhere = try context.serveHTTP { _ in .init(200) }
        for status in [301, 302, 303, 307, 308] {
            let server = try context.serveHTTP { _ in
                .init(status, header: [Field(name: .location, value: elsewhere.baseURL.absoluteString + "/")])
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
        try context.expect(elsewhere.acceptedConnections, is: 0, "the number of connections to the other server")
    }

    /// A redirect that does not say where to is one, too (RFC 9110 §15.4).
    public static let redirectToNowhere = Self("redirectToNowhere", "a redirect without a Location is delivered") {
        context in
        for status in [301, 302, 303, 305, 307, 308] {
            for location in ["", "Location: http://a b/\r\n"] {
                let reply = "HTTP/1.1 \(status) Elsewhere\r\n\(location)Range: bytes=0-99\r\nContent-Length: 0\r\n\r\n"
                let response = try await context.get(context.play(reply))
                try context.expect(response.head.statusCode, is: status, "the status")
                try context.expect(response.head.header[.range], is: "bytes=0-99", "a field")
            }
        }
    }

    /// A challenge is a response like any other.
    public static let challengeIsDelivered = Self("challengeIsDelivered", "a challenge is delivered, not answered") {
        context in
        let requests = Locked(0)
        for challenge in ["Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"n\", qop=\"auth\"", "Bearer", "NTLM"] {
            let server = try context.serveHTTP { _ in
                requests.withLock { $0 += 1 }
                let header: Header = [Field(name: .wwwAuthenticate, value: challenge), .contentType(.plainText)]
                return .init(401, header: header, body: Data("who are you?".utf8))
            }
            let response = try await context.get(server)
            try context.expect(response.head.statusCode, is: 401, "the status")
            try context.expect(response.content, is: Data("who are you?".utf8), "the body for \(challenge)")
        }
        try context.expect(requests.withLock { $0 }, is: 4, "the number of requests")
    }

    /// A status of 4xx or 5xx is a response like any other.
    public static let errorStatus = Self("errorStatus", "a status of 4xx or 5xx is no error of the transport") {
        context in
        for status in [400, 403, 404, 408, 407, 429, 500, 503] {
            let server = try context.serveHTTP { _ in .init(status, .plainText, "because") }
            let response = try await context.get(server)
            try context.expect(response.head.statusCode, is: status, "the status")
            try context.expect(response.content, is: Data("because".utf8), "the body")
        }
    }

    /// A cookie that was set is not sent back.
    public static let noCookies = Self("noCookies", "a cookie that was set is not sent back") { context in
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
            "a cookie of the request's"
        )
    }

    /// A response that could be cached is asked for again.
    public static let noCache = Self("noCache", "a response that could be cached is asked for again") { context in
        let requests = Locked(0)
        let server = try context.serveHTTP { _ in
            requests.withLock { $0 += 1 }
            return .init(200, header: [Field(name: .cacheControl, value: "max-age=3600")], body: Data("ok".utf8))
        }
        for _ in 0..<3 { _ = try await context.get(server) }
        try context.expect(requests.withLock { $0 }, is: 3, "the number of requests")
    }
}
