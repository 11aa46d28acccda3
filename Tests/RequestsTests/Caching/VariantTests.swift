import RequestsCache
import RequestsTesting
import Testing

@Suite("Variants", .timeLimit(.minutes(5)))
struct VariantTests {
    /// A bench that has stored one response for each value of `Foo`, whose tags and bodies are `a`, `b` and so on.
    static func bench(_ tags: String...) async throws -> CacheBench {
        let bench = CacheBench()
        for (number, tag) in tags.enumerated() {
            var header: Header = [.cacheControl: "max-age=60", "Vary": "Foo", .lastModified: CacheBench.date(-1000)]
            if !tag.isEmpty { header.add(Field(name: .eTag, value: tag)) }
            bench.respond(.reply(200, header: header, text: "body \(number)"))
            try await bench.send(header: ["Foo": "\(number)"])
        }
        return bench
    }

    static let tagRows: [(tags: [String], own: String?, sent: String?)] = [
        (["\"a\""], nil, "\"a\""), (["\"a\"", "\"b\""], nil, "\"a\", \"b\""), (["\"a\"", "\"a\""], nil, "\"a\""),
        (["\"a\"", "W/\"b\"", ""], nil, "\"a\""), (["W/\"a\""], nil, nil), ([""], nil, nil),
        (["\"a\""], "\"x\"", "\"x\", \"a\""), (["\"a\""], "\"a\"", "\"a\""), (["\"a\""], "*", "*"),
    ]

    @Test(
        "RFC 9111 §4.1, §4.3.1: a request that no variant fits is sent with the strong tags of all",
        arguments: tagRows.indices
    )
    func tags(index: Int) async throws {
        let (tags, own, sent) = Self.tagRows[index]
        let bench = CacheBench()
        for (number, tag) in tags.enumerated() {
            let header: Header = [.cacheControl: "max-age=60", "Vary": "Foo", .lastModified: CacheBench.date(-1000)]
            bench.respond(.reply(200, header: tag.isEmpty ? header : header.adding(.eTag, tag)))
            try await bench.send(header: ["Foo": "\(number)"])
        }
        let condition: Header = own.map { [.ifNoneMatch: $0] } ?? [:]
        try await bench.send(header: condition.adding("Foo", "other"))
        #expect(bench.requests.last?.header[.ifNoneMatch] == sent)
        // The date is no variant's.
        #expect(bench.requests.last?.header[.ifModifiedSince] == nil)
    }

    @Test("RFC 9111 §4.3.4: a 304 selects the variant with its tag, which then fits the request")
    func selected() async throws {
        let bench = try await Self.bench("\"a\"", "\"b\"")
        bench.respond(.reply(304, header: ["ETag": "\"b\"", .cacheControl: "max-age=90", "X-A": "new"]))
        let response = try await bench.send(header: ["Foo": "other"])
        #expect(response.head.statusCode == 200)
        #expect(response.content == Data("body 1".utf8))
        #expect(response.head.header["X-A"] == "new")
        #expect(response.head.cacheStatus?.kind == .revalidated)
        #expect(try await bench.send(header: ["Foo": "other"]).head.cacheStatus?.kind == .hit)
        #expect(try await bench.send(header: ["Foo": "0"]).content == Data("body 0".utf8))
        #expect(bench.requests.count == 3)
    }

    @Test(
        "RFC 9111 §4.3.4: a 304 that names no stored variant is dropped, and the request sent as it is",
        arguments: [["ETag": "\"c\""], ["ETag": "W/\"a\""], [:]] as [Header]
    )
    func unknown(header: Header) async throws {
        let bench = try await Self.bench("\"a\"", "\"b\"")
        bench.respond { request, _ in
            request.header.contains(.ifNoneMatch) ? .reply(304, header: header) : .reply(200, text: "new")
        }
        #expect(try await bench.send(header: ["Foo": "other"]).content == Data("new".utf8))
        #expect(bench.requests.count == 4)
        #expect(try await bench.send(header: ["Foo": "0"]).content == Data("body 0".utf8))
    }

    @Test("RFC 9111 §4.1: a request for a range isn't sent with the tags of other variants")
    func range() async throws {
        let bench = try await Self.bench("\"a\"")
        try await bench.send(header: ["Foo": "other", .range: "bytes=0-1"])
        #expect(bench.requests.last?.header[.ifNoneMatch] == nil)
    }
}
