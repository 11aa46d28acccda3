@testable import RequestsCache
import RequestsTestSupport
import RequestsTesting
import Testing

@Suite("Hostile input", .timeLimit(.minutes(5)))
struct HostileInputTests {
    static let pieces = [
        "max-age", "=", "9223372036854775807", "99999999999999999999", "-", "0", "1", ",", ";", " ", "\"", "\\", "*",
        "bytes",
        "/", "W/", "no-cache", "no-store", "private", "ETag", "Vary", "stale-while-revalidate", "max-stale",
        "min-fresh", "\t",
        "Thu, 18 Aug 2050 02:01:18 GMT", "Thu, 01 Jan 9999 00:00:00 GMT", "Mon, 01 Jan 1601 00:00:00 GMT", "ü", ".",
        "..",
    ]
    static let responseFields: [Field.Name] = [
        .cacheControl, "Expires", "Age", "Date", .lastModified, .eTag, "Vary", "Content-Range", .contentLength,
        .location,
    ]
    static let requestFields: [Field.Name] = [
        .cacheControl, .range, .ifRange, .ifNoneMatch, .ifModifiedSince, "Pragma", .authorization, "Vary",
    ]

    static func header(_ names: [Field.Name], _ generator: inout SplitMix64) -> Header {
        Header(
            (0..<Int.random(in: 0...5, using: &generator)).map { _ in
                let value = (0..<Int.random(in: 0...6, using: &generator)).map { _ in
                    pieces.randomElement(using: &generator) ?? ""
                }
                return Field(name: names.randomElement(using: &generator) ?? .eTag, value: value.joined())
            }
        )
    }

    @Test("No header stops the rules, and stored responses survive encoding", arguments: [1, 2, 3, 4])
    func rules(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var stored: [HTTPCache.StoredResponse] = []
        for _ in 0..<2000 {
            let rules = HTTPCache.Rules()
            let request = try CacheBench.request(header: Self.header(Self.requestFields, &generator))
            let status = [200, 206, 304, 404, 503].randomElement(using: &generator) ?? 200
            let head = try ResponseHead(
                statusCode: status,
                header: Self.header(Self.responseFields, &generator),
                url: request.url
            )
            var attempt = HTTPCache.ForwardedRequest(request, from: stored, reason: "test")
            if case .revalidate(let needed) = rules.serve(request, from: stored, at: CacheBench.start) {
                attempt = needed
            }
            let outcome = rules.follow(
                head,
                to: attempt,
                requestTime: CacheBench.start,
                responseTime: CacheBench.start
            )
            for effect in outcome.effects {
                switch effect {
                case .store(let response, _), .freshen(let response, _):
                    let data = try JSONEncoder().encode([response])
                    #expect(try JSONDecoder().decode([HTTPCache.StoredResponse].self, from: data) == [response])
                    stored = Array((stored + [response]).suffix(3))
                case .invalidate, .remove: break
                }
            }
            let failure = RetryPolicy.Outcome.response(try ResponseHead(statusCode: 503, url: request.url))
            _ = rules.lastResort(for: request, from: stored, after: failure, at: CacheBench.start + 10)
            _ = rules.serve(request, from: stored, at: CacheBench.start + 10)
        }
    }

    @Test("No response stops the cache", arguments: [5, 6])
    func exchanges(seed: UInt64) async throws {
        var generator = SplitMix64(seed: seed)
        let bench = CacheBench()
        let client = bench.client { $0.redirects = .never }
        for _ in 0..<500 {
            let status = [200, 206, 304, 503].randomElement(using: &generator) ?? 200
            let header = Self.header(Self.responseFields.filter { $0 != .contentLength }, &generator)
            bench.respond(.reply(status, header: header, data: status == 304 ? Data() : Data("0123456789".utf8)))
            let request = try CacheBench.request(header: Self.header(Self.requestFields, &generator))
            _ = try? await client.response(for: request)
            bench.pass(1)
        }
    }

    @Test("Long lists take linear time")
    func longLists() throws {
        let names = (0..<60_000).map { "a\($0)" }.joined(separator: ",")
        let many = (0..<4000).map { Field(name: Field.Name("x\($0)"), value: "1") }
        let fields: [Field] = [
            Field(name: .cacheControl, value: "max-age=60, no-cache=\"\(names)\""), Field(name: "Vary", value: names),
        ]
        let request = try CacheBench.request(header: [.ifNoneMatch: names])
        let head = try ResponseHead(statusCode: 200, header: Header(fields + many), url: request.url)
        let stored = try #require(HTTPCache.Rules().follow(head, to: request).stored)
        guard case .fresh = HTTPCache.Rules().serve(request, from: [stored], at: CacheBench.start) else {
            Issue.record("not fresh")
            return
        }
    }
}
