@testable import RequestsCache
import RequestsTesting
import Testing

@Suite("Vary, methods and invalidation", .timeLimit(.minutes(5)))
struct SelectionTests {
    static let varyRows: [(vary: String, first: Header, second: Header, isStored: Bool)] = [
        ("Foo", ["Foo": "1"], ["Foo": "1"], true), ("Foo", ["Foo": "1"], ["Foo": "2"], false),
        ("foo", ["FOO": "1"], ["Foo": "1"], true), ("Foo", ["Foo": "1"], ["Foo": "1 "], true),
        ("Foo", ["Foo": "1,2"], ["Foo": "1,  2"], true), ("Foo", ["Foo": "a"], ["Foo": "A"], false),
        ("Foo", [:], [:], true), ("Foo", ["Foo": "1"], [:], false), ("Foo", [:], ["Foo": "1"], false),
        ("Foo", [:], ["Foo": ""], false), ("Foo", ["Foo": ""], ["Foo": ""], true),
        ("Foo, Bar", ["Foo": "1", "Bar": "2"], ["Bar": "2", "Foo": "1"], true),
        ("Foo, Bar", ["Foo": "1", "Bar": "2"], ["Foo": "1", "Bar": "3"], false),
        ("Foo,Bar", ["Foo": "1"], ["Foo": "1", "Bar": "3"], false), (" , Foo , ", ["Foo": "1"], ["Foo": "1"], true),
        ("Accept-Language", [.acceptLanguage: "en, de;q=0.5"], [.acceptLanguage: "EN,DE;q=0.5"], true),
        ("Accept-Language", [.acceptLanguage: "en, de"], [.acceptLanguage: "de, en"], false),
        ("Foo", ["Foo": #""a,b", c"#], ["Foo": #""a , b", c"#], false),
        ("Foo", ["Foo": #""a,b" ,c"#], ["Foo": #""a,b", c"#], true),
        ("User-Agent", [:], [:], false), ("User-Agent", [.userAgent: "a"], [.userAgent: "a"], true),
        ("Accept-Language", [.acceptLanguage: "en, de"], [.acceptLanguage: "en"], false),
        ("Bar", ["Foo": "1"], ["Foo": "2"], true), ("*", [:], [:], false),
        ("Foo, *", ["Foo": "1"], ["Foo": "1"], false),
        ("*, Foo", ["Foo": "1"], ["Foo": "1"], false), ("", ["Foo": "1"], ["Foo": "2"], true),
        ("Cookie", ["Cookie": "a=1"], ["Cookie": "a=1"], true), ("Cookie", ["Cookie": "a=1"], ["Cookie": "a=2"], false),
        ("Authorization", [.authorization: "a"], [.authorization: "b"], false),
        ("Authorization", [.authorization: "a"], [.authorization: "a"], true),
        ("Foo", Header([Field(name: "Foo", value: "1"), Field(name: "Foo", value: "2")]), ["Foo": "1, 2"], true),
    ]

    @Test(
        "RFC 9111 §4.1: a stored response fits only requests with the same selecting fields",
        arguments: varyRows.indices
    )
    func vary(index: Int) async throws {
        let (vary, first, second, isStored) = Self.varyRows[index]
        let result = try await CacheBench.second(
            after: [.cacheControl: "max-age=60", "Vary": vary],
            request: first,
            secondRequest: second
        )
        #expect((result == .stored) == isStored)
    }

    @Test("RFC 9111 §4.1: several variants are stored, and each request gets its own")
    func variants() async throws {
        let bench = CacheBench()
        bench.respond { request, number in
            .reply(
                200,
                header: [.cacheControl: "max-age=60", "Vary": "Foo"],
                text: "\(request.header["Foo"] ?? "")-\(number)"
            )
        }
        for value in ["1", "2", "3"] { try await bench.send(header: ["Foo": value]) }
        for (value, body) in [("3", "3-3"), ("1", "1-1"), ("2", "2-2"), ("1", "1-1")] {
            #expect(try await bench.send(header: ["Foo": value]).content == Data(body.utf8))
        }
        for value in 4...40 { try await bench.send(header: ["Foo": "\(value)"]) }
        #expect(bench.requests.count == 40)
        #expect(try await bench.cache.responses().count == 16)
    }

    @Test("RFC 9111 §4: the most recent of several fitting responses is used")
    func mostRecent() throws {
        let request = try CacheBench.request()
        let responses = try [0.0, 2, 1].map { seconds in
            let header: Header = [.cacheControl: "max-age=60", "Date": CacheBench.date(seconds)]
            let head = try ResponseHead(statusCode: 200, header: header, url: request.url)
            let time = CacheBench.start + seconds
            return HTTPCache.StoredResponse(head, [:], time, time)
        }
        guard
            case .fresh(let index, let status) = HTTPCache.Rules().serve(
                request,
                from: responses,
                at: CacheBench.start + 3
            )
        else {
            Issue.record("no fresh response")
            return
        }
        #expect((index, status.age) == (1, 1))
    }

    @Test(
        "RFC 9111 §4: URLs, methods, query items and bodies are told apart",
        arguments: [
            (HTTPMethod.get, "https://example.com/a", true), (.get, "https://EXAMPLE.com:443/a", true),
            (.get, "https://example.com/a#x", true), (.get, "http://example.com/a", false),
            (.get, "https://example.com/a?", false), (.get, "https://example.com/a?b", false),
            (.get, "https://example.com/A", false), (.get, "https://example.com/a/", false),
            (.post, "https://example.com/a", false),
            (.query, "https://example.com/a", false), (.options, "https://example.com/a", false),
        ]
    )
    func key(method: HTTPMethod, url: String, isStored: Bool) async throws {
        let bench = CacheBench()
        bench.respond(.reply(200, header: [.cacheControl: "max-age=60"], text: "body"))
        try await bench.send()
        try await bench.send(method, url)
        #expect((bench.requests.count == 1) == isStored)
    }

    static let invalidationRows: [(method: HTTPMethod, status: Int, header: Header, removed: Set<String>)] = [
        (.post, 200, [:], ["a"]), (.put, 201, [:], ["a"]), (.delete, 204, [:], ["a"]), (.patch, 200, [:], ["a"]),
        ("M-SEARCH", 200, [:], ["a"]), ("FOO", 302, [:], ["a"]), (.post, 404, [:], []), (.post, 500, [:], []),
        (.put, 400, [:], []), (.delete, 503, [:], []), (.options, 200, [:], []), (.query, 200, [:], []),
        (.post, 201, [.location: "/b"], ["a", "b"]),
        (.post, 201, ["Content-Location": "https://example.com/c"], ["a", "c"]),
        (.post, 201, [.location: "b", "Content-Location": "c"], ["a", "b", "c"]),
        (.post, 201, [.location: "https://other.example/b"], ["a"]), (.post, 400, [.location: "/b"], []),
        (.post, 201, [.location: "http://example.com/b"], ["a"]), (.get, 200, [.location: "/b"], []),
    ]

    @Test(
        "RFC 9111 §4.4: a successful unsafe request removes the responses that it changed",
        arguments: invalidationRows.indices
    )
    func invalidation(index: Int) async throws {
        let (method, status, header, removed) = Self.invalidationRows[index]
        let bench = CacheBench()
        bench.respond(.reply(200, header: [.cacheControl: "max-age=60"]))
        for path in ["a", "b", "c"] {
            try await bench.send(.get, "https://example.com/\(path)")
            try await bench.send(.get, "https://example.com/\(path)", header: [.authorization: "Bearer x"])
        }
        bench.respond(.reply(status, header: header))
        let client = bench.client { $0.redirects = .never }
        _ = try await client.response(
            for: CacheBench.request(method, "https://example.com/a", policy: .reloadIgnoringLocalCacheData)
        )
        let kept = Set(try await bench.cache.responses().map { String($0.url.suffix(1)) })
        #expect(kept == Set(["a", "b", "c"]).subtracting(method == .get ? [] : removed))
    }

    static let postRows: [(status: Int, header: Header, isStored: Bool)] = [
        (200, [.cacheControl: "max-age=60", "Content-Location": "/a"], true),
        (201, [.cacheControl: "max-age=60", "Content-Location": "https://example.com/a"], true),
        (200, ["Expires": CacheBench.date(60), "Content-Location": "a"], true),
        (200, [.cacheControl: "max-age=60"], false),
        (200, [.cacheControl: "max-age=60", "Content-Location": "/b"], false),
        (200, [.cacheControl: "max-age=60", "Content-Location": "https://other.example/a"], false),
        (200, ["Content-Location": "/a", .lastModified: CacheBench.date(-1000)], false),
        (200, [.cacheControl: "max-age=60, no-store", "Content-Location": "/a"], false),
        (404, [.cacheControl: "max-age=60", "Content-Location": "/a"], false),
    ]

    @Test(
        "RFC 9110 §9.3.3: a response to POST with a lifetime and its own Content-Location answers a later GET",
        arguments: postRows.indices
    )
    func post(index: Int) async throws {
        let (status, header, isStored) = Self.postRows[index]
        let bench = CacheBench()
        bench.respond(.reply(status, header: header, text: "post"), .reply(200, text: "get"))
        try await bench.send(.post)
        #expect(try await bench.send().content == Data((isStored ? "post" : "get").utf8))
        try await bench.send(.post)
        #expect(bench.requests.count == (isStored ? 2 : 3))
    }

    @Test(
        "Cache policies mean what Foundation says",
        arguments: [
            (CachePolicy.useProtocolCachePolicy, false, "stored"), (.useProtocolCachePolicy, true, "validated"),
            (.reloadIgnoringLocalCacheData, false, "sent"), (.reloadIgnoringLocalAndRemoteCacheData, false, "sent"),
            (.reloadRevalidatingCacheData, false, "validated"), (.returnCacheDataElseLoad, true, "stored"),
            (.returnCacheDataDontLoad, true, "stored"),
        ]
    )
    func policies(policy: CachePolicy, isStale: Bool, expected: String) async throws {
        let bench = CacheBench()
        bench.respond(
            .reply(200, header: [.cacheControl: "max-age=60, must-revalidate", "ETag": "\"a\""], text: "body")
        )
        try await bench.send()
        bench.pass(isStale ? 100 : 10)
        try await bench.send(policy: policy)
        let sent =
            bench.requests.count == 1
            ? "stored" : bench.requests[1].header.contains(.ifNoneMatch) ? "validated" : "sent"
        #expect(sent == expected)
    }

    @Test("returnCacheDataElseLoad sends a request that has no stored response, and returnCacheDataDontLoad fails")
    func missing() async throws {
        let bench = CacheBench()
        bench.respond(.reply(200, text: "body"))
        await #expect {
            try await bench.send(policy: .returnCacheDataDontLoad)
        } throws: { error in
            (error as? ClientError)?.code == .notCached
        }
        await #expect(throws: ClientError.self) { try await bench.send(.post, policy: .returnCacheDataDontLoad) }
        #expect(try await bench.send(.post, header: [.cacheControl: "only-if-cached"]).head.statusCode == 504)
        #expect(bench.requests.isEmpty)
        #expect(try await bench.send(policy: .returnCacheDataElseLoad).head.cacheStatus?.kind == .miss)
    }
}
