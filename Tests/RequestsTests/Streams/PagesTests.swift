import RequestsTesting
import Testing

@Suite("Pages", .timeLimit(.minutes(5)))
struct PagesTests {
    private let api = BaseURL("https://a.example")
    private let sent = Recorder<PreparedRequest>()

    /// Responds to each URL with its path and a link, if there is one.
    private func client(_ links: [String: String]) -> Client {
        Client(
            transport: StubTransport { [sent] request in
                sent.record(request)
                let next = links[request.url.text].map { Field(name: "Link", value: "<\($0)>; rel=\"next\"") }
                return try .stub(
                    200,
                    header: Header(next.map { [$0] } ?? []),
                    body: Data(request.url.path.utf8),
                    for: request
                )
            }
        )
    }

    private func contents(_ pages: some AsyncSequence<Response<String>, any Error>) async throws -> [String] {
        var contents: [String] = []
        for try await page in pages { contents.append(page.content) }
        return contents
    }

    @Test("Pages follow their links with the request's header and credentials")
    func links() async throws {
        let client = client(["https://a.example/1?q=x": "/2?q=y", "https://a.example/2?q=y": "https://a.example/3"])
        let request = api.get(.text, from: "/1").with(query: ["q": "x"]).with(header: [.accept(.json)])
            .authenticated(with: .bearerToken("t"))
        #expect(try await contents(client.pages(request)) == ["/1", "/2", "/3"])
        #expect(sent.recorded.map(\.url.target) == ["/1?q=x", "/2?q=y", "/3"])
        #expect(Set(sent.recorded.map(\.header)).count == 1)
        #expect(sent.recorded.last?.header[.authorization] == "Bearer t")
    }

    @Test("Pages are requested on demand, and again for each iteration")
    func lazy() async throws {
        let pages = client(["https://a.example/1": "/2"]).pages(api.get(.text, from: "/1"))
        #expect(sent.count == 0)
        for count in 1...2 {
            var iterator = pages.makeAsyncIterator()
            let first = try await iterator.next(isolation: #isolation)
            #expect(first?.content == "/1")
            #expect(sent.count == count)
        }
    }

    @Test("A first page that can't be built is reported and logged")
    func unbuilt() async throws {
        var client = client([:])
        let (failures, events) = (Recorder<String>(), Recorder<String>())
        client.configuration.onFailure = { failures.record($0.description) }
        client.configuration.log = LogDestination { events.record($0.description) }
        let request = api.get(.text, from: Endpoint(path: "/a/../b"))
        await #expect(throws: RequestError.self) { try await contents(client.pages(request)) }
        #expect(failures.count == 1)
        #expect(events.count == 2)
        #expect(sent.count == 0)
    }

    @Test("A link from https to http throws unless a policy allows it")
    func downgrade() async throws {
        var client = client(["https://a.example/1": "http://a.example/2"])
        let request = api.get(.text, from: "/1")
        let error = await #expect(throws: ClientError.self) {
            try await contents(client.pages(request, acrossOrigins: true))
        }
        #expect(error?.code == .refusedDowngrade)
        client.configuration.redirects = .follow(allowsDowngrade: true)
        #expect(try await contents(client.pages(request, acrossOrigins: true)) == ["/1", "/2"])
    }

    @Test("A page that came by way of another origin takes the credentials away, even if it is on the first one")
    func detour() async throws {
        let hops = ["https://a.example/1": "https://b.example/x", "https://b.example/x": "https://a.example/1b"]
        let client = Client(
            transport: StubTransport { [sent] request in
                sent.record(request)
                if let location = hops[request.url.text] {
                    return try .stub(302, header: [Field(name: .location, value: location)], for: request)
                }
                let link = Field(name: "Link", value: "</2>; rel=\"next\"")
                let isFirst = request.url.path == "/1b"
                return try .stub(200, header: isFirst ? [link] : .empty, body: Data("x".utf8), for: request)
            }
        )
        let request = api.get(.text, from: "/1").authenticated(with: .bearerToken("t"))
        #expect(try await contents(client.pages(request, acrossOrigins: true)).count == 2)
        #expect(sent.recorded.map { $0.header[.authorization] } == ["Bearer t", nil, nil, nil])
    }

    @Test("The first page's body isn't sent to another origin unless a policy allows it", arguments: [0, 1, 2])
    func bodies(allowance: Int) async throws {
        var client = client(["https://a.example/1": "https://b.example/2"])
        if allowance == 1 { client.configuration.redirects = .follow(sendsBodyToOtherOrigins: true) }
        var request = api.post(.form(["password": "s3cret"]), to: "/1").receiving(.text)
        if allowance == 2 { request = request.redirecting(.follow(sendsBodyToOtherOrigins: true)) }
        let pages = client.pages(request, acrossOrigins: true)
        if allowance > 0 {
            #expect(try await contents(pages) == ["/1", "/2"])
        } else {
            let error = await #expect(throws: ClientError.self) { try await contents(pages) }
            #expect(error?.code == .crossOriginBody)
            #expect(error?.message.contains("s3cret") == false)
            #expect(sent.count == 1)
        }
    }

    @Test("Pages of another origin throw, or are requested without credentials if they are allowed")
    func otherOrigin() async throws {
        let client = client([
            "https://a.example/1": "https://b.example/2", "https://b.example/2": "https://a.example/3",
        ])
        let request = api.get(.text, from: "/1").authenticated(with: .bearerToken("t")).with(header: [
            Field(name: "X-Api-Key", value: "k"), .accept(.json),
        ])
        let pages = Recorder<Void>()
        let error = await #expect(throws: ClientError.self) {
            for try await _ in client.pages(request) { pages.record() }
        }
        #expect(pages.count == 1)
        #expect(error?.code == .crossOriginPage)
        #expect(
            error?.message == "The page after 200 from https://a.example/1 is on another origin, https://b.example. "
                + "Allow it with acrossOrigins: true."
        )
        #expect(sent.count == 1)

        #expect(try await contents(client.pages(request, acrossOrigins: true)) == ["/1", "/2", "/3"])
        #expect(sent.recorded.suffix(3).map { $0.header.count } == [3, 1, 1])
    }

    @Test("Pages continue on the origin that a redirect led to")
    func redirected() async throws {
        let transport = StubTransport(routes: [
            .get(
                "https://a.example/1",
                .reply(301, header: [Field(name: .location, value: "https://www.a.example/1")])
            ),
            .get(
                "https://www.a.example/1",
                .reply(200, header: [Field(name: "Link", value: "</2>; rel=next")], text: "one")
            ),
            .get(
                "https://www.a.example/2",
                .reply(200, header: [Field(name: "Link", value: "<https://a.example/3>; rel=next")], text: "two")
            ),
            .get("https://a.example/3", .reply(200, text: "three")),
        ])
        let pages = Client(transport: transport).pages(
            api.get(.text, from: "/1").authenticated(with: .bearerToken("t"))
        )
        #expect(try await contents(pages) == ["one", "two", "three"])
        // The other origin chooses its links, even if they lead back.
        #expect(transport.requests.map { $0.header.contains(.authorization) } == [true, false, false, false])
    }

    @Test("A link to an earlier page throws")
    func loop() async throws {
        let client = client(["https://a.example/1": "/2", "https://a.example/2": "/1"])
        let error = await #expect(throws: ClientError.self) {
            _ = try await contents(client.pages(api.get(.text, from: "/1")))
        }
        #expect(error?.code == .pageLoop)
        #expect(
            error?.message == "The page after 200 from https://a.example/2 is https://a.example/1, "
                + "which was already requested."
        )
        #expect(sent.count == 2)
    }

    @Test("A closure makes the request for each next page until it returns nil")
    func closure() async throws {
        let pages = client([:]).pages(api.get(.text, from: "/1")) { [api] page in
            page.content == "/3" ? nil : api.get(.text, from: "/\(page.content == "/1" ? 2 : 3)")
        }
        #expect(try await contents(pages) == ["/1", "/2", "/3"])
    }

    @Test("An error ends the pages after the pages before it", arguments: [true, false])
    func failure(isLink: Bool) async throws {
        let transport = StubTransport { request in
            let header: Header = [Field(name: "Link", value: "</2>; rel=next")]
            return try .stub(request.url.path == "/1" ? 200 : 500, header: header, for: request)
        }
        let client = Client(transport: transport)
        let request = api.get(.text, from: "/1")
        if isLink {
            try await expectOnePage(client.pages(request))
        } else {
            try await expectOnePage(client.pages(request) { [api] _ in api.get(.text, from: "/2") })
        }
    }

    private func expectOnePage(_ pages: some AsyncSequence<Response<String>, any Error>) async throws {
        var iterator = pages.makeAsyncIterator()
        let first = try await iterator.next(isolation: #isolation)
        #expect(first != nil)
        do {
            _ = try await iterator.next(isolation: #isolation)
            Issue.record("the second page has no error")
        } catch {
            #expect(error is ResponseError)
        }
        let end = try await iterator.next(isolation: #isolation)
        #expect(end == nil)
    }
}
