import Foundation
import RequestsConformance
import RequestsTesting
import Testing

/// Tests requests and responses against another HTTP implementation.
@Suite(
    "Exchanges with httpbin",
    .timeLimit(.minutes(5)),
    .enabled(if: HTTPBin.baseURL != nil, HTTPBin.absence)
)
struct HTTPBinTests {
    private func client(_ kind: TransportKind, _ change: (inout Client.Configuration) -> Void = { _ in }) throws
        -> Client
    {
        var configuration = Client.Configuration()
        change(&configuration)
        return Client(transport: try kind.makeTransport(), configuration: configuration)
    }

    private func send(
        _ body: BodyProvider,
        _ kind: TransportKind,
        to endpoint: Endpoint = "/anything",
        query: Query = [:]
    ) async throws -> HTTPBin.Echo {
        let request = try HTTPBin.api().post(body, to: endpoint)
            .with(query: query)
            .with(header: [Field(name: "X-Probe", value: "a;b")])
            .receiving(.json(HTTPBin.Echo.self))
        return try await client(kind).send(request)
    }

    @Test("httpbin receives the method, query, header fields and JSON unchanged", arguments: TransportKind.allCases)
    func json(kind: TransportKind) async throws {
        let query: Query = ["q": "1+1", "e": "é", "flag": ""]
        let echo = try await send(.json(encoded: ["born": 1815]), kind, to: "/anything/\("a;b")/é", query: query)
        #expect(echo.method == "POST")
        #expect(echo.url.contains("/anything/a;b/é?"))
        #expect(echo.args == ["q": "1+1", "e": "é", "flag": ""])
        #expect(echo.headers["X-Probe"] == "a;b")
        #expect(echo.headers["Content-Type"] == "application/json")
        #expect(echo.json == ["born": 1815])
        #expect(echo.data == #"{"born":1815}"#)
    }

    @Test("httpbin parses a form correctly", arguments: TransportKind.allCases)
    func form(kind: TransportKind) async throws {
        let echo = try await send(.form(["name": "Ada Lovelace", "sum": "1+1=2&3", "é": "☃", "none": ""]), kind)
        #expect(echo.form == ["name": "Ada Lovelace", "sum": "1+1=2&3", "é": "☃", "none": ""])
        #expect(echo.data.isEmpty)
    }

    @Test("httpbin parses the fields and files of a multipart body", arguments: TransportKind.allCases)
    func multipart(kind: TransportKind) async throws {
        let parts: Multipart = [
            .field("title", "Sommer ☀\r\n--x"), .data("note", Data("in memory".utf8), filename: "a \"b\".txt"),
        ]
        let echo = try await send(.multipart(parts), kind)
        #expect(echo.form == ["title": "Sommer ☀\r\n--x"])
        #expect(echo.files == ["note": "in memory"])
    }

    @Test(
        "Compressed responses of httpbin are decoded",
        arguments: TransportKind.allCases,
        ["gzip": "gzipped", "deflate": "deflated", "brotli": "brotli"]
    )
    func encodings(kind: TransportKind, encoding: (key: String, value: String)) async throws {
        let request = try HTTPBin.api().get(.data, from: "/\(encoding.key)")
        let response = try await client(kind).response(for: request)
        let object = try JSONSerialization.jsonObject(with: response.content) as? [String: Any]
        #expect(object?[encoding.value] as? Bool == true)
        #expect(response.head.header[.contentEncoding] == nil)
    }

    @Test("Conditional requests get the expected status codes", arguments: TransportKind.allCases)
    func conditional(kind: TransportKind) async throws {
        let client = try client(kind)
        func status(_ path: String, _ field: Field) async throws -> Int {
            let decoder = ResponseDecoder<Int>.reading { head, _ in head.statusCode }
                .validating(status: [200, 304, 412])
            let request = try HTTPBin.api().get(decoder, from: Endpoint(path: path)).with(header: [field])
            return try await client.send(request)
        }
        let (known, other): (Field.EntityTag, Field.EntityTag) = ("v1", "v2")
        #expect(try await status("/etag/v1", .ifNoneMatch(other, known)) == 304)
        #expect(try await status("/etag/v1", .ifNoneMatch(other)) == 200)
        #expect(try await status("/etag/v1", .ifMatch(other)) == 412)
        #expect(try await status("/cache", .ifModifiedSince(Date())) == 304)
    }

    @Test("Range requests get the requested part", arguments: TransportKind.allCases)
    func range(kind: TransportKind) async throws {
        let client = try client(kind)
        let request = try HTTPBin.api().get(.text, from: "/range/26")
        let middle = try await client.response(for: request.with(header: [.range(bytes: 3...7)]))
        #expect(middle.head.statusCode == 206)
        #expect(middle.head.header["Content-Range"] == "bytes 3-7/26")
        #expect(middle.content == "defgh")
        #expect(try await client.send(request.with(header: [.range(bytes: 20...)])) == "uvwxyz")
        #expect(try await client.send(request.with(header: [.range(lastBytes: 2)])) == "yz")
    }

    // MARK: Policies

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
}
