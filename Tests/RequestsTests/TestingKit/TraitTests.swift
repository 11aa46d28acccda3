import RequestsSwiftTesting
import RequestsTesting
import Testing

@Suite("Traits", .timeLimit(.minutes(5)))
struct TraitTests {
    private static let cassettes = FileManager.default.temporaryDirectory.appending(path: "traits-\(UUID().uuidString)")
    private static let server = StubTransport(routes: [.get("/users/{id}", .reply(200, text: "recorded"))])

    private static let shared: [StubTransport.Route] = [.get("/shared", .reply(200, text: "shared"))]

    private let api = BaseURL("https://h")
    private let client = Client(transport: TestTransport())

    @Test("a test sends over the stub of its trait", .stubbed(.get("/a", .reply(200, text: "stubbed"))))
    func stub() async throws {
        #expect(try await client.send(api.get(.text, from: "/a")) == "stubbed")
        #expect(TestTransport.stub?.requests.count == 1)
    }

    @Test("several tests can share a list of routes", .stubbed(shared))
    func list() async throws {
        #expect(try await client.send(api.get(.text, from: "/shared")) == "shared")
    }

    @Test("each test case has a new stub", .stubbed(.get("/a", .reply(503), then: .reply(200))), arguments: 0..<3)
    func cases(_ index: Int) async throws {
        for status in [503, 200] {
            let request = try api.get(.none, from: "/a").prepared()
            #expect(try await TestTransport().send(request).head.statusCode == status)
        }
    }

    @Test("a test needn't call an optional route", .stubbed(.get("/a"), .get("/ads").optional()))
    func optional() async throws {
        try await client.send(api.get(.none, from: "/a"))
    }

    @Suite("of a suite", .stubbed(.get("/suite", .reply(200, text: "suite"))))
    struct Nested {
        @Test("Traits of a suite apply to its tests")
        func inherited() async throws {
            let request = BaseURL("https://h").get(.text, from: "/suite")
            #expect(try await Client(transport: TestTransport()).send(request) == "suite")
        }
    }

    @Suite(
        "of a suite and a test",
        .stubbed(.get("/a", .reply(200, text: "suite")), .get("/b", .reply(200, text: "suite")))
    )
    struct Layered {
        private func load(_ path: String) async throws -> String {
            let request = try BaseURL("https://h").get(.none, from: Endpoint(path: path)).prepared()
            let data = try await TestTransport().send(request).content.collect(upTo: 100)
            return String(decoding: data, as: UTF8.self)
        }

        @Test("the routes of a test come before those of its suite", .stubbed(.get("/a", .reply(200, text: "test"))))
        func order() async throws {
            #expect(try await load("/a") == "test")
            #expect(try await load("/b") == "suite")
        }

        @Test("a test needn't call the routes of its suite if it has its own", .stubbed(.get("/c")))
        func optional() async throws {
            #expect(try await load("/c") == "")
        }
    }

    @Test("the body of a request is compared as JSON")
    func bodyJSON() throws {
        let request = try api.post(.json(["name": "Ada", "id": 7] as JSONValue), to: "/a").prepared()
        request.expectBody(json: ["id": 7, "name": "Ada"])
        withKnownIssue {
            request.expectBody(json: ["id": 8, "name": "Ada"])
        } matching: { issue in
            issue.comments.contains { "\($0)".contains("- body.id: 8\n+ body.id: 7") }
        }
        withKnownIssue { try api.get(.none, from: "/a").prepared().expectBody(json: [:]) }
    }

    @Test("a test without a trait has no transport")
    func missing() async throws {
        #expect(TestTransport.stub == nil)
        let request = try api.get(.none, from: "/a").prepared()
        let error = await #expect(throws: TransportError.self) { try await TestTransport().send(request) }
        #expect(error?.message.hasPrefix("no transport for GET https://h/a: the test has no trait") == true)
    }

    @Test(
        "a test sends over the cassette of its trait",
        .cassette("users", over: server, in: cassettes, environment: ["REQUESTS_CASSETTES": "record"])
    )
    func cassette() async throws {
        defer { try? FileManager.default.removeItem(at: TraitTests.cassettes) }
        #expect(try await client.send(api.get(.text, from: "/users/1")) == "recorded")
        #expect(TestTransport.stub == nil)
    }

    @Test("a cassette without a name is named after its test", arguments: ["a"])
    func named(_ argument: String) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "traits-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let test = try #require(Test.current)
        let (recording, server) = (["REQUESTS_CASSETTES": "record"], TraitTests.server)
        @Sendable func send() async throws {
            _ = try await Client(transport: TestTransport()).send(BaseURL("https://h").get(.text, from: "/users/1"))
        }
        let record = CassetteTrait.cassette(over: server, in: folder, environment: recording)
        try await record.provideScope(for: test, testCase: Test.Case.current) { try await send() }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(files == ["TraitTests-named.har"])
        let replay = CassetteTrait.cassette(in: folder, environment: [:])
        try await replay.provideScope(for: test, testCase: Test.Case.current) { try await send() }
        await #expect(throws: CassetteError.self) {
            try await record.provideScope(for: test, testCase: Test.Case.current) { try await send() }
        }
    }

    @Test("a stored property of a suite sends in detached tasks", .stubbed(.get("/a", .reply(200, text: "stubbed"))))
    func stored() async throws {
        let (client, request) = (client, api.get(.text, from: "/a"))
        let text = try await Task.detached { try await client.send(request) }.value
        #expect(text == "stubbed")
    }

    @Test("a detached task sends over the trait of its test, until the test ends")
    func detached() async throws {
        let test = try #require(Test.current)
        let transport = Locked(TestTransport())
        @Sendable func status() async throws -> Int {
            let transport = transport.withLock { $0 }
            let request = try BaseURL("https://h").get(.none, from: "/a").prepared()
            return try await Task.detached { try await transport.send(request).head.statusCode }.value
        }
        try await StubTrait.stubbed(.get("/a", .reply(204))).provideScope(for: test, testCase: nil) {
            transport.withLock { $0 = TestTransport() }
            let status = try await status()
            #expect(status == 204)
        }
        let error = await #expect(throws: TransportError.self) { try await status() }
        #expect(error?.code == .unmatched)
    }

    @Test("a test fails if a route of its stub wasn't called")
    func unverified() async throws {
        let test = try #require(Test.current)
        try await withKnownIssue {
            try await StubTrait.stubbed(.get("/a")).provideScope(for: test, testCase: Test.Case.current) {}
        } matching: { issue in
            issue.error is StubTransport.Unverified
        }
        try await StubTrait.stubbed(.get("/a"), verifies: false).provideScope(for: test, testCase: nil) {}
    }

    @Test("a test rethrows its error")
    func failing() async throws {
        let test = try #require(Test.current)
        await #expect(throws: TransportError.self) {
            try await StubTrait.stubbed(.get("/a")).provideScope(for: test, testCase: Test.Case.current) {
                _ = try await TestTransport().send(PreparedRequest(url: RequestURL("https://h/b")))
            }
        }
    }

    @Test("requests that differ are an issue with the difference")
    func difference() throws {
        let request = try api.get(.none, from: "/a").prepared()
        let other = try api.get(.none, from: "/a").adding(headerField: .accept(.json)).prepared()
        request.expectNoDifference(from: request)
        withKnownIssue {
            other.expectNoDifference(from: request)
        } matching: { issue in
            issue.comments.contains { "\($0)".contains("+ Accept: application/json") }
        }
    }
}
