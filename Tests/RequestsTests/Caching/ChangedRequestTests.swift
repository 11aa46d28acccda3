import RequestsCache
import RequestsTesting
import Testing

/// What authentication and middleware below the cache change is compared with what the cache was asked for.
@Suite("Requests that change below the cache", .timeLimit(.minutes(5)))
struct ChangedRequestTests {
    /// Middleware that adds a field below the cache.
    private func adding(_ field: Field) -> Interception { .changing { $0.header.set(field) } }

    @Test("A 304 to a request with credentials that middleware added confirms no other user's response")
    func confirmedByOthers() async throws {
        let bench = CacheBench()
        let header: Header = [.cacheControl: "max-age=5", .eTag: "\"a\"", "X-A": "1"]
        bench.respond { request, number in
            if number == 1 { return .reply(200, header: header, text: "everyone's") }
            let newer: Header = [.cacheControl: "max-age=60", .eTag: "\"a\"", "X-A": "2"]
            return request.header.contains(.ifNoneMatch) ? .reply(304, header: newer) : .reply(200, text: "own")
        }
        try await bench.send()
        bench.pass(10)
        let client = bench.client { $0.attemptMiddleware = [adding(Field(name: "X-API-Key", value: "k"))] }
        #expect(try await client.send(CacheBench.request()) == Data("own".utf8))
        #expect(try await bench.cache.responses().map { $0.header["X-A"] } == ["1"])
    }

    @Test("A response to cookies that a challenge has changed isn't stored for the earlier ones")
    func changedCookies() async throws {
        let bench = CacheBench()
        bench.respond { request, number in
            number == 1
                ? .reply(401, header: [.wwwAuthenticate: #"Digest realm="r", nonce="n""#, .setCookie: "id=b"])
                : .reply(200, header: [.cacheControl: "max-age=60"])
        }
        let cookies = CookieStore()
        let url = try RequestURL("https://example.com/")
        cookies.update { $0.store([Field(name: .setCookie, value: "id=a")], from: url, at: CacheBench.start) }
        let client = bench.client {
            $0.cookies = cookies
            $0.authenticate("https://example.com", with: .digest(username: "ada", password: "secret"))
        }
        _ = try await client.send(CacheBench.request())
        #expect(bench.requests.map { $0.header[.cookie] } == ["id=a", "id=b"])
        #expect(try await bench.cache.responses().isEmpty)
    }

    @Test("A response isn't stored if middleware below the cache sent several requests")
    func several() async throws {
        let bench = CacheBench()
        bench.respond(.reply(200, header: [.cacheControl: "max-age=60"]))
        let swapping = Interception { request, _, next in
            var other = request
            other.header.set(.authorization("Bearer admin"))
            let response = try await next(other)
            _ = try await next(request)
            return response
        }
        _ = try await bench.client { $0.attemptMiddleware = [swapping] }.send(CacheBench.request())
        #expect(try await bench.cache.responses().isEmpty)
    }

    @Test("A 304 that names no Vary confirms nothing if middleware changed a field that the stored one names")
    func unnamedVary() async throws {
        let bench = CacheBench()
        let header: Header = [.cacheControl: "max-age=5", .lastModified: CacheBench.date(-1000), "Vary": "X-Tenant"]
        bench.respond { request, number in
            let status = request.header.contains(.ifModifiedSince) ? 304 : 200
            let newer = StubTransport.Reply.reply(status, header: [.cacheControl: "max-age=60"])
            return number == 1 ? .reply(200, header: header, text: "everyone's") : newer
        }
        try await bench.send()
        bench.pass(10)
        let client = bench.client { $0.attemptMiddleware = [adding(Field(name: "X-Tenant", value: "b"))] }
        #expect(try await client.send(CacheBench.request()).isEmpty)
        #expect(try await bench.cache.responses().allSatisfy { $0.header[.cacheControl] == "max-age=5" })
    }

    @Test(
        "A response isn't stored if middleware below the cache changed a field that Vary names",
        arguments: [true, false]
    )
    func varyingBelow(isNamed: Bool) async throws {
        let bench = CacheBench()
        let vary: Header = isNamed ? ["Vary": "X-Tenant"] : [:]
        bench.respond(.reply(200, header: vary.adding(.cacheControl, "max-age=60")))
        let client = bench.client { $0.attemptMiddleware = [adding(Field(name: "X-Tenant", value: "a"))] }
        for _ in 0..<2 { _ = try await client.send(CacheBench.request()) }
        #expect(bench.requests.count == (isNamed ? 2 : 1))
    }

    @Test(
        "Middleware below the cache that adds a sensitive field makes the response uncacheable",
        arguments: [
            (Field.authorization("Bearer a"), 2), (Field(name: "X-Trace", value: "a"), 1),
        ]
    )
    func middleware(field: Field, requests: Int) async throws {
        let bench = CacheBench()
        bench.respond(.reply(200, header: [.cacheControl: "max-age=60"]))
        let client = bench.client { $0.attemptMiddleware = [adding(field)] }
        for _ in 0..<2 { _ = try await client.send(CacheBench.request()) }
        #expect(bench.requests.count == requests)
    }
}
