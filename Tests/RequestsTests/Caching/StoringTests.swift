import RequestsCache
import RequestsTesting
import Testing

@Suite("Storing", .timeLimit(.minutes(5)))
struct StoringTests {
    @Test(
        "A response with a field that may be a credential isn't stored, so that a hit has the same fields as a miss",
        arguments: ["Mcp-Session-Id", "X-Sort-Key", "X-Auth-Token"]
    )
    func credentialField(name: String) async throws {
        let header: Header = [.cacheControl: "max-age=60"]
        #expect(try await CacheBench.second(after: header.adding(Field.Name(name), "a")) == .sent)
        #expect(try await CacheBench.second(after: header.adding("X-Sort-Order", "a")) == .stored)
    }

    @Test("RFC 9110 §6.6.1: a stored response without Date gets the date of its arrival", arguments: [true, false])
    func date(isStated: Bool) async throws {
        let bench = CacheBench()
        var header: Header = [.cacheControl: "max-age=60"]
        if isStated { header.add(Field(name: "Date", value: CacheBench.date(-7))) }
        bench.respond(.reply(200, header: header))
        #expect(try await bench.send().head.header.contains("Date") == isStated)
        bench.pass(10)
        let hit = try await bench.send()
        #expect(hit.head.header[values: "Date"] == [CacheBench.date(isStated ? -7 : 0)])
        #expect(hit.head.header["Age"] == (isStated ? "17" : "10"))
    }

    @Test("RFC 9111 §3.1: trailers are stored apart from the header", arguments: StoreTests.Kind.allCases)
    func trailers(kind: StoreTests.Kind) async throws {
        let folder = StoreTests.Folder()
        let bench = CacheBench(kind.store(folder, bytes: 1 << 20))
        let trailers: Header = ["X-Sum": "abc", .setCookie: "id=1"]
        bench.respond(
            .reply(200, header: [.cacheControl: "max-age=60"], chunks: [Data("12".utf8)], trailers: trailers)
        )
        let client = bench.client()
        for isHit in [false, true] {
            let response = try await client.stream(CacheBench.request())
            #expect(response.head.cacheStatus?.kind == (isHit ? .hit : .miss))
            #expect(response.content.trailers == nil)
            var body = Data()
            for try await chunk in response.content { body += chunk }
            #expect(body == Data("12".utf8))
            #expect(response.content.trailers == (isHit ? ["X-Sum": "abc"] : trailers))
            #expect(!response.head.header.contains("X-Sum"))
        }
        let part = try await client.stream(CacheBench.request(header: [.range: "bytes=0-0"]))
        for try await _ in part.content {}
        #expect(part.content.trailers == nil)
    }

    @Test("RFC 9111 §3: challenges and failed preconditions are never stored", arguments: [401, 407, 412, 416])
    func unstoredStatuses(status: Int) async throws {
        let bench = CacheBench()
        bench.respond(.reply(status, header: [.cacheControl: "max-age=60", "ETag": "\"a\""]))
        for _ in 0..<2 { #expect(try await bench.send().head.statusCode == status) }
        #expect(bench.requests.count == 2)
    }

    @Test("RFC 9110 §9.3.3: a response to POST that answers a later GET replaces the stored responses of its URL")
    func representation() async throws {
        let bench = CacheBench()
        let header: Header = [.cacheControl: "max-age=60", "Content-Location": "/a", "Vary": "Foo"]
        bench.respond { request, number in .reply(200, header: header, text: "\(request.method) \(number)") }
        for foo in ["1", "2"] { try await bench.send(header: ["Foo": foo]) }
        try await bench.send(.post, header: ["Foo": "3"])
        #expect(try await bench.cache.responses().count == 1)
        #expect(try await bench.send(header: ["Foo": "3"]).content == Data("POST 3".utf8))
        #expect(bench.requests.count == 3)
    }

    @Test("RFC 9421: the signature of a response is stored, because it is no credential")
    func signature() async throws {
        let bench = CacheBench()
        bench.respond(.reply(200, header: [.cacheControl: "max-age=60", "Signature": "a", "Signature-Input": "b"]))
        try await bench.send()
        let hit = try await bench.send()
        #expect((hit.head.header["Signature"], hit.head.header["Signature-Input"]) == ("a", "b"))
    }

    @Test(
        "RFC 9111 §5.2.2: an open quote and directives after it never make a response cacheable",
        arguments: ["max-age=60, a=\"", "a=\"b, max-age=60", "max-age=60, a=b\"c, no-store", "a=\"\\\", max-age=60"]
    )
    func openQuotes(control: String) async throws {
        let header: Header = [.cacheControl: control, .lastModified: CacheBench.date(-100_000)]
        #expect(try await CacheBench.second(after: header) == .sent)
    }
}
