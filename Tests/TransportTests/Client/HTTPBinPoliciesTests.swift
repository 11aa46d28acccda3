import Foundation
import Requests
import RequestsClient
import RequestsTesting
import Testing

/// Tests redirects, cookies and authentication against another implementation.
@Suite(
    "Client policies against httpbin",
    .timeLimit(.minutes(5)),
    .enabled(if: HTTPBin.baseURL != nil, HTTPBin.absence)
)
struct HTTPBinPoliciesTests {
    private func client(_ kind: TransportKind, _ change: (inout Client.Configuration) -> Void = { _ in }) throws
        -> Client
    {
        var configuration = Client.Configuration()
        change(&configuration)
        return Client(transport: try kind.makeTransport(), configuration: configuration)
    }

    private struct Welcome: Decodable {
        var authenticated: Bool
    }

    @Test("A redirect to another host drops only the credentials", arguments: TransportKind.allCases, [307, 303])
    func redirectToAnotherHost(kind: TransportKind, status: Int) async throws {
        let base = try #require(HTTPBin.baseURL)
        let target = "http://localhost:\(try #require(base.port))/anything"
        let request = try HTTPBin.api().post(.text("body"), to: "/redirect-to")
            .with(query: ["url": target, "status_code": status])
            .authenticated(with: .bearerToken("s3cret"))
            .adding(headerFields: [.cookie(["a": "s3cret"]), Field(name: "X-Probe", value: "1")])
            .redirecting(.follow(sendsBodyToOtherOrigins: true))
            .receiving(.json(HTTPBin.Echo.self))
        let response = try await client(kind).response(for: request)
        #expect(response.history.map(\.statusCode) == [status])
        #expect(response.content.url == target)
        #expect(response.content.method == (status == 307 ? "POST" : "GET"))
        #expect(response.content.data == (status == 307 ? "body" : ""))
        #expect(response.content.headers["X-Probe"] == "1")
        #expect(!response.content.headers.values.contains { $0.contains("s3cret") })
    }

    @Test("A redirect to the same host keeps credentials", arguments: TransportKind.allCases)
    func redirectToTheSameHost(kind: TransportKind) async throws {
        let request = try HTTPBin.api().get(json: HTTPBin.Echo.self, from: "/redirect-to")
            .with(query: ["url": "/anything"])
            .authenticated(with: .bearerToken("t0ken"))
        #expect(try await client(kind).send(request).headers["Authorization"] == "Bearer t0ken")
    }

    @Test("Several relative redirects are followed", arguments: TransportKind.allCases)
    func relativeRedirects(kind: TransportKind) async throws {
        let request = try HTTPBin.api().get(.none, from: "/relative-redirect/3")
        let response = try await client(kind).response(for: request)
        #expect(response.history.map(\.url.path) == (1...3).reversed().map { "/relative-redirect/\($0)" })
        #expect(response.head.url.path == "/get")
    }

    @Test("Cookies set or deleted by a redirect apply to the redirected request", arguments: TransportKind.allCases)
    func cookies(kind: TransportKind) async throws {
        let client = try client(kind) { $0.cookies = CookieStore() }
        #expect(try await cookies(after: "/cookies/set", ["a": "1", "b": "two"], client) == ["a": "1", "b": "two"])
        #expect(try await cookies(after: "/cookies/delete", ["a": ""], client) == ["b": "two"])
        #expect(try await cookies(after: "/cookies", [:], self.client(kind)) == [:])
    }

    private func cookies(after path: String, _ query: Query, _ client: Client) async throws -> [String: String] {
        struct CookieList: Decodable { var cookies: [String: String] }
        let request = try HTTPBin.api().get(json: CookieList.self, from: Endpoint(path: path)).with(query: query)
        return try await client.send(request).cookies
    }

    @Test("httpbin accepts Basic credentials", arguments: TransportKind.allCases)
    func basic(kind: TransportKind) async throws {
        let client = try client(kind)
        let request = try HTTPBin.api().get(json: Welcome.self, from: "/basic-auth/ada/\("pä:ss")")
        let right = AuthenticationProvider.basicAuth(username: "ada", password: "pä:ss")
        #expect(try await client.send(request.authenticated(with: right)).authenticated)
        let wrong = AuthenticationProvider.basicAuth(username: "ada", password: "pass")
        let error = await #expect(throws: ResponseError.self) {
            try await client.send(request.authenticated(with: wrong))
        }
        #expect(error?.head.statusCode == 401)
    }

    @Test("httpbin accepts a bearer token", arguments: TransportKind.allCases)
    func bearer(kind: TransportKind) async throws {
        struct Accepted: Decodable { var token: String }
        let request = try HTTPBin.api().get(json: Accepted.self, from: "/bearer")
        let token = AuthenticationProvider.bearerToken("t0ken")
        #expect(try await client(kind).send(request.authenticated(with: token)).token == "t0ken")
    }

    @Test(
        "httpbin accepts Digest credentials",
        arguments: ["MD5", "SHA-256", "SHA-512"].flatMap { algorithm in
            ["auth", "auth-int"].map { "\($0)/ada/s3cret/\(algorithm)" }
        },
        TransportKind.allCases
    )
    func digest(path: String, kind: TransportKind) async throws {
        let api = try HTTPBin.api()
        let client = try client(kind) {
            $0.authenticate(api.baseURL, with: .digest(username: "ada", password: "s3cret"))
        }
        let request = api.get(json: Welcome.self, from: Endpoint(path: "/digest-auth/\(path)"))
        #expect(try await client.response(for: request).history.map(\.statusCode) == [401])
        // The second request needs no challenge.
        #expect(try await client.response(for: request).history.isEmpty)
    }

    @Test("A stale Digest nonce is replaced", arguments: TransportKind.allCases)
    func staleNonce(kind: TransportKind) async throws {
        let api = try HTTPBin.api()
        let client = try client(kind) {
            $0.authenticate(api.baseURL, with: .digest(username: "ada", password: "s3cret"))
            // httpbin stores nonces in cookies.
            $0.cookies = CookieStore()
        }
        let request = api.get(json: Welcome.self, from: "/digest-auth/auth/ada/s3cret/SHA-256/1")
        for _ in 0..<3 { #expect(try await client.response(for: request).history.map(\.statusCode) == [401]) }
    }

    @Test("A wrong Digest password is an error with the 401 response", arguments: TransportKind.allCases)
    func wrongDigest(kind: TransportKind) async throws {
        let api = try HTTPBin.api()
        let client = try client(kind) {
            $0.authenticate(api.baseURL, with: .digest(username: "ada", password: "wrong"))
        }
        let request = api.get(json: Welcome.self, from: "/digest-auth/auth/ada/s3cret/MD5")
        let error = await #expect(throws: ResponseError.self) { try await client.send(request) }
        #expect(error?.head.statusCode == 401)
    }
}
