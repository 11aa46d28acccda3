import Foundation
import Requests
import RequestsTesting
import Testing

@Suite("Pages", .timeLimit(.minutes(5)))
struct PagesTests {
    private let api = AnonymousRequestProvider("https://a.example")
    private let sent = Recorder<PreparedRequest>()

    /// Answers each URL with its path, and a link where there is one.
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

    private func contents(_ pages: Pages<some RequestConvertible<String>>) async throws -> [String] {
        var contents: [String] = []
        for try await page in pages { contents.append(page.content) }
        return contents
    }

    @Test("follow their links, with the request's header and credentials")
    func links() async throws {
        let client = client(["https://a.example/1?q=x": "/2?q=y", "https://a.example/2?q=y": "https://a.example/3"])
        let request = api.get(.text, from: "/1").with(query: ["q": "x"]).with(header: [.accept(.json)])
            .authenticated(with: .bearerToken("t"))
        #expect(try await contents(client.pages(request)) == ["/1", "/2", "/3"])
        #expect(sent.recorded.map(\.url.target) == ["/1?q=x", "/2?q=y", "/3"])
        #expect(Set(sent.recorded.map(\.header)).count == 1)
        #expect(sent.recorded.last?.header[.authorization] == "Bearer t")
    }

    @Test("are asked for one at a time, when they are wanted, and again for each reading")
    func lazy() async throws {
        let pages = client(["https://a.example/1": "/2"]).pages(api.get(.text, from: "/1"))
        #expect(sent.count == 0)
        for count in 1...2 {
            var iterator = pages.makeAsyncIterator()
            #expect(try await iterator.next()?.content == "/1")
            #expect(sent.count == count)
        }
    }

    @Test("of another origin are refused, or asked for without credentials where they are allowed")
    func otherOrigin() async throws {
        let client = client([
            "https://a.example/1": "https://b.example/2", "https://b.example/2": "https://a.example/3",
        ])
        let request = api.get(.text, from: "/1").authenticated(with: .bearerToken("t")).with(header: [
            Field(name: "X-Api-Key", value: "k"), .accept(.json),
        ])
        var iterator = client.pages(request).makeAsyncIterator()
        _ = try await iterator.next()
        let error = await #expect(throws: ClientError.self) { _ = try await iterator.next() }
        #expect(error?.code == .foreignPage)
        #expect(
            error?.message == "the page after 200 from https://a.example/1 is at https://b.example; "
                + "allow that with acrossOrigins: true"
        )
        #expect(try await iterator.next() == nil)
        #expect(sent.count == 1)

        #expect(try await contents(client.pages(request, acrossOrigins: true)) == ["/1", "/2", "/3"])
        #expect(sent.recorded.suffix(3).map { $0.header.count } == [3, 1, 1])
    }

    @Test("go on where a redirect has led")
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
        // What the other origin links to is its choice, also where that leads back.
        #expect(transport.requests.map { $0.header.contains(.authorization) } == [true, false, false, false])
    }

    @Test("that lead back are an error")
    func loop() async throws {
        let client = client(["https://a.example/1": "/2", "https://a.example/2": "/1"])
        let error = await #expect(throws: ClientError.self) {
            _ = try await contents(client.pages(api.get(.text, from: "/1")))
        }
        #expect(error?.code == .pageLoop)
        #expect(
            error?.message == "the page after 200 from https://a.example/2 is https://a.example/1, which came before"
        )
        #expect(sent.count == 2)
    }

    @Test("are made by a closure of each page, until it makes none")
    func closure() async throws {
        let pages = client([:]).pages(api.get(.text, from: "/1")) { [api] page in
            page.content == "/3" ? nil : api.get(.text, from: "/\(page.content == "/1" ? 2 : 3)")
        }
        #expect(try await contents(pages) == ["/1", "/2", "/3"])
    }

    @Test("end with an error, and not before it", arguments: [true, false])
    func failure(isLink: Bool) async throws {
        let transport = StubTransport { request in
            let header: Header = [Field(name: "Link", value: "</2>; rel=next")]
            return try .stub(request.url.path == "/1" ? 200 : 500, header: header, for: request)
        }
        let client = Client(transport: transport)
        let request = api.get(.text, from: "/1")
        let pages = isLink ? client.pages(request) : client.pages(request) { [api] _ in api.get(.text, from: "/2") }
        var iterator = pages.makeAsyncIterator()
        #expect(try await iterator.next() != nil)
        await #expect(throws: ResponseError.self) { _ = try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }
}
