import Testing

@testable import RequestsTesting

@Suite("Stub verification", .timeLimit(.minutes(5)))
struct StubVerifyingTests {
    private func send(_ method: HTTPMethod, _ path: String, to stub: StubTransport) async throws {
        _ = try? await stub.send(PreparedRequest(method: method, url: RequestURL("https://h\(path)")))
    }

    @Test("verify tells equal routes apart")
    func equalRoutes() async throws {
        let stub = StubTransport(routes: [.get("/a").once(), .get("/b"), .get("/a").once()])
        _ = try await stub.send(BaseURL("https://h").get(.data, from: "/a").prepared())
        let error = #expect(throws: StubTransport.Unverified.self) { try stub.verify() }
        #expect(
            error?.routes == [
                "GET /b was never called, expected: at least 1", "GET /a (route 3) was never called, expected: 1",
            ]
        )
    }

    @Test("verify lists routes that weren't called as expected, and requests without a route")
    func unverified() async throws {
        let stub = StubTransport(routes: [
            .get("/a"), .get("/b").expecting(calls: 2), .get("/c").expecting(calls: 0...),
            .get("/d").expecting(calls: 1...2), .post("/e", .reply(503), then: .reply(200)),
        ])
        for path in ["/b", "/d", "/d", "/d", "/x"] { try await send(.get, path, to: stub) }
        try await send(.post, "/e", to: stub)
        let error = #expect(throws: StubTransport.Unverified.self) { try stub.verify() }
        #expect(
            error?.routes == [
                "GET /a was never called, expected: at least 1", "GET /b was called 1 time, expected: 2",
                "GET /d was called 3 times, expected: 1 to 2", "POST /e was called 1 time, expected: 2",
            ]
        )
        #expect(error?.unmatched.count == 1)
        #expect(error?.description.contains("no route for GET https://h/x; the closest is GET /a, but") == true)
    }

    @Test("verify doesn't require a call of an optional route, and keeps its maximum")
    func optional() async throws {
        let stub = StubTransport(routes: [
            .get("/a").optional(), .get("/b").once().optional(), .get("/c").expecting(calls: 1...2).optional(),
        ])
        try stub.verify()
        for _ in 1...3 { for path in ["/a", "/b", "/c"] { try await send(.get, path, to: stub) } }
        let error = #expect(throws: StubTransport.Unverified.self) { try stub.verify() }
        #expect(error?.routes == ["GET /c was called 3 times, expected: 0 to 2"])
        #expect(error?.unmatched.count == 2)
    }

    @Test("a test can wait for a number of requests with their bodies")
    func waiting() async throws {
        let clock = TestClock()
        let stub = StubTransport(routes: [.put("/{id}", .reply(200).delayed(by: .seconds(1)))], clock: clock)
        try await stub.waitForRequests(0)
        let (chunks, continuation) = AsyncStream.makeStream(of: Data.self)
        let request = try PreparedRequest(method: .put, url: RequestURL("https://h/1"), body: .chunks(chunks))
        async let first = stub.send(request)
        async let second = stub.send(PreparedRequest(method: .put, url: RequestURL("https://h/2"), body: .data(Data())))
        try await stub.waitForRequests()
        continuation.yield(Data("whole".utf8))
        continuation.finish()
        try await stub.waitForRequests(2)
        #expect(stub.requests.contains { $0.body.data == Data("whole".utf8) })
        try await clock.waitForSleepers(2)
        clock.advance(by: .seconds(1))
        _ = try await (first, second)

        stub.reset()
        let waiting = Task { try await stub.waitForRequests(1) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        try await send(.get, "/x", to: stub)
        try await stub.waitForRequests(1)
    }

    @Test("verify requires that a script was used up")
    func script() async throws {
        let stub = StubTransport(script: [.reply(200), .reply(200)])
        try await send(.get, "/", to: stub)
        let error = #expect(throws: StubTransport.Unverified.self) { try stub.verify() }
        #expect(error?.description == "1 of 2 replies of the script weren't used")
        try await send(.get, "/", to: stub)
        try stub.verify()
        try await send(.get, "/", to: stub)
        #expect(throws: StubTransport.Unverified.self) { try stub.verify() }
    }

    @Test("a route of the stub has the requests that it answered, and any other route the requests that match it")
    func requests() async throws {
        let me = StubTransport.Route.get("/users/me")
        let user = StubTransport.Route.get("/users/{id}")
        let stub = StubTransport(routes: [me, user])
        for path in ["/users/me", "/users/1", "/users/2"] { try await send(.get, path, to: stub) }
        try await send(.post, "/users/3", to: stub)
        #expect(stub.requests(to: me).map(\.url.path) == ["/users/me"])
        #expect(stub.requests(to: user).map(\.url.path) == ["/users/1", "/users/2"])
        #expect(stub.requests(to: .get("/users/*")).count == 3)
        #expect(stub.requests(to: .any("/**")).count == 4)
        #expect(stub.requests(to: .any("/**").matching(.not(.predicate("") { $0.method == .get }))).count == 1)
    }

    @Test(
        "* matches one segment and ** any number, with captures in every position",
        arguments: [
            ("/a/*", "/a/b", true), ("/a/*", "/a/", false), ("/a/*", "/a/b/c", false), ("/*/c", "/b/c", true),
            ("/**", "/", true), ("/**", "/a/b/c", true), ("/a/**", "/a", true), ("/a/**", "/b", false),
            ("/a/**/z", "/a/z", true), ("/a/**/z", "/a/z/b/z", true), ("/a/**/z", "/a/z/b", false),
            ("/**/b/**/d", "/a/b/c/b/d", true), ("/**/{id}", "/a/7", true), ("/%2A", "/*", true), ("/%2A", "/a", false),
        ]
    )
    func wildcards(_ template: String, _ path: String, _ matches: Bool) async throws {
        let stub = StubTransport(routes: [.any(template)])
        try await send(.get, path, to: stub)
        #expect(stub.requests(to: .any(template)).count == (matches ? 1 : 0))
    }

    @Test("a reply gets the captured segments, and an unknown name throws")
    func captures() async throws {
        let stub = StubTransport(routes: [
            .get(
                "/users/{id}/**/{last}",
                .respond { match in
                    .reply(200, jsonText: #"{"id": \#(try match["id"]), "last": "\#(try match["last"])"}"#)
                }
            ),
            .get("/wrong/{id}", .respond { match in .reply(200, jsonText: try match["name"]) }),
        ])
        let url = try RequestURL("https://h/users/7/x/y/a%2Fb")
        let body = try await stub.send(PreparedRequest(url: url)).content.collect(upTo: 100)
        #expect(String(decoding: body, as: UTF8.self) == #"{"id": 7, "last": "a/b"}"#)
        let wrong = try PreparedRequest(url: RequestURL("https://h/wrong/1"))
        let error = await #expect(throws: TransportError.self) { try await stub.send(wrong) }
        #expect(error?.message.contains("doesn't capture {name}") == true)
    }

    @Test("many ** take no exponential time")
    func manyWildcards() async throws {
        let template = String(repeating: "/**/a", count: 40)
        let stub = StubTransport(routes: [.any(template)])
        try await send(.get, String(repeating: "/a", count: 400) + "/b", to: stub)
        #expect(throws: StubTransport.Unverified.self) { try stub.verify() }
    }

    // MARK: The log of a stub

    private func request(_ path: String, bytes: Int? = nil) throws -> PreparedRequest {
        try PreparedRequest(
            method: .put,
            url: RequestURL("https://h\(path)"),
            body: bytes.map { .data(Data(count: $0)) } ?? .none
        )
    }

    @Test("all requests are kept and counted until a reset")
    func count() async throws {
        let stub = StubTransport(routes: [.put("/a").expecting(calls: 10_001), .get("/b")])
        let request = try request("/a")
        for _ in 0..<10_001 { _ = try await stub.send(request) }
        #expect(stub.requests.count == 10_001)
        let error = #expect(throws: StubTransport.Unverified.self) { try stub.verify() }
        #expect(error?.routes == ["GET /b was never called, expected: at least 1"])
        stub.reset()
        #expect(stub.requests.isEmpty)
    }

    @Test("a body that is read after a reset belongs to no listed request")
    func late() throws {
        let log = StubLog()
        let late = log.append(try request("/late"))
        log.reset()
        let number = log.append(try request("/a", bytes: 6))
        log.update(try request("/late", bytes: 100), at: late)
        log.note(.route(1), at: late)
        log.update(try request("/a", bytes: 4), at: number)
        #expect(log.entries.map { $0.request.body.data?.count } == [4])
        #expect(log.entries.map(\.outcome) == [.other])
    }

    @Test("each request without a reply is listed")
    func unmatched() async throws {
        let stub = StubTransport(script: [])
        for index in 0..<102 { _ = try? await stub.send(request("/\(index)")) }
        let error = #expect(throws: StubTransport.Unverified.self) { try stub.verify() }
        #expect(error?.unmatched.count == 102)
    }
}
