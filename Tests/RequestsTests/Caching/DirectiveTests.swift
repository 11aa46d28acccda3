@testable import RequestsCache
import RequestsTesting
import Testing

@Suite("Directives", .timeLimit(.minutes(5)))
struct DirectiveTests {
    /// A stored response that is 10 seconds old, a request, and what becomes of it.
    static let requestsRows: [(stored: String, request: Header, expected: Second)] = [
        ("max-age=60", [:], .stored),
        ("max-age=60", [.cacheControl: "max-age=20"], .stored), ("max-age=60", [.cacheControl: "max-age=10"], .stored),
        ("max-age=60", [.cacheControl: "max-age=9"], .validated),
        ("max-age=60", [.cacheControl: "max-age=0"], .validated),
        ("max-age=60", [.cacheControl: "max-age=x"], .validated),
        ("max-age=60", [.cacheControl: "max-age"], .validated),
        ("max-age=60, immutable", [.cacheControl: "max-age=0"], .stored),
        ("max-age=5, immutable", [.cacheControl: "max-age=0"], .validated),
        ("max-age=60, immutable", [.cacheControl: "no-cache"], .validated),
        ("max-age=60", [.cacheControl: "min-fresh=50"], .stored),
        ("max-age=60", [.cacheControl: "min-fresh=51"], .validated),
        ("max-age=60", [.cacheControl: "min-fresh=x"], .validated),
        ("max-age=60", [.cacheControl: "no-cache"], .validated),
        ("max-age=60", ["Pragma": "no-cache"], .validated), ("max-age=60", ["Pragma": "No-Cache, x"], .validated),
        ("max-age=60", ["Pragma": "foo"], .stored),
        ("max-age=60", ["Pragma": "no-cache", .cacheControl: "max-stale=1"], .stored),
        ("max-age=60", [.cacheControl: "no-store"], .stored),
        ("max-age=60", [.cacheControl: "only-if-cached"], .stored),
        ("max-age=5", [.cacheControl: "max-stale"], .stored), ("max-age=5", [.cacheControl: "max-stale=5"], .stored),
        ("max-age=5", [.cacheControl: "max-stale=4"], .validated),
        ("max-age=5", [.cacheControl: "max-stale=x"], .validated),
        ("max-age=5", [.cacheControl: "max-stale=\"5\""], .stored),
        ("max-age=5, must-revalidate", [.cacheControl: "max-stale"], .validated),
        ("max-age=5, no-cache", [.cacheControl: "max-stale"], .validated),
        ("max-age=5, proxy-revalidate", [.cacheControl: "max-stale"], .stored),
        ("max-age=5", [.cacheControl: "max-stale, no-cache"], .validated),
        ("max-age=5", [.cacheControl: "max-age=9, max-stale"], .validated),
        ("max-age=5", [.cacheControl: "max-age=20, max-stale"], .stored),
        ("max-age=5", [.cacheControl: "min-fresh=1, max-stale"], .validated),
        ("no-cache, max-age=60", [:], .validated), ("no-cache=\"x-a\", max-age=60", [:], .stored),
        ("max-age=60, no-cache x", [:], .validated), ("max-age=60, \"x, y\", =z, no-cache", [:], .validated),
        ("max-age=60, x=\"a, no-cache\" b", [:], .stored),
        ("private, max-age=60", [:], .stored), ("private=\"x-a\", max-age=60", [:], .stored),
    ]

    @Test("RFC 9111 §5.2.1: directives of a request decide about the stored response", arguments: requestsRows.indices)
    func requests(index: Int) async throws {
        let (stored, request, expected) = Self.requestsRows[index]
        let second = try await CacheBench.second(
            after: [.cacheControl: stored, "ETag": "\"a\""],
            secondRequest: request
        )
        #expect(second == expected, "\(stored) | \(request)")
    }

    @Test("RFC 9111 §5.2.1.5: a response to a request with no-store isn't stored")
    func noStore() async throws {
        let second = try await CacheBench.second(
            after: [.cacheControl: "max-age=60"],
            request: [.cacheControl: "no-store"],
            secondRequest: []
        )
        #expect(second == .sent)
    }

    @Test("RFC 9111 §5.2.1.7: only-if-cached is answered with 504 instead of a request")
    func onlyIfCached() async throws {
        let bench = CacheBench()
        let response = try await bench.send(header: [.cacheControl: "only-if-cached"])
        #expect(response.head.statusCode == 504)
        #expect(bench.requests.isEmpty)
    }

    @Test("RFC 9111 §5.2.2.4: fields that no-cache names are left out until the server confirms the response")
    func noCacheFields() async throws {
        let bench = CacheBench()
        bench.respond(
            .reply(
                200,
                header: [.cacheControl: "max-age=60, no-cache=\"x-a\"", "X-A": "1", "X-B": "2", "ETag": "\"a\""]
            ),
            .reply(304, header: ["ETag": "\"a\""])
        )
        #expect(try await bench.send().head.header["X-A"] == "1")
        let hit = try await bench.send()
        #expect(hit.head.header["X-A"] == nil)
        #expect(hit.head.header["X-B"] == "2")
        let confirmed = try await bench.send(policy: .reloadRevalidatingCacheData)
        #expect(confirmed.head.header["X-A"] == "1")
    }

    static let sharedRows: [(response: String, expected: Second)] = [
        ("private, max-age=60", .stored), ("max-age=0, s-maxage=60", .sent), ("max-age=60, s-maxage=0", .stored),
        ("s-maxage=60", .sent), ("max-age=60, private=\"x-a\"", .stored), ("max-age=60, proxy-revalidate", .stored),
    ]

    @Test("RFC 9111 §5.2.2: directives for shared caches don't concern a client's", arguments: sharedRows.indices)
    func shared(index: Int) async throws {
        let (response, expected) = Self.sharedRows[index]
        let request: Header = [.authorization: "A b"]
        #expect(try await CacheBench.second(after: [.cacheControl: response], request: request) == expected)
    }

    @Test(
        "RFC 9111 §3.1: fields of one connection and of one user aren't stored",
        arguments: [
            "Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Connection", "Set-Cookie", "TE",
            "Upgrade", "X-Listed",
        ]
    )
    func unstored(name: String) async throws {
        let bench = CacheBench()
        let header: Header = [.cacheControl: "max-age=60", "Connection": "x-listed, close", "X-Kept": "1"]
        bench.respond(.reply(200, header: header.adding(Field.Name(name), "x-listed")))
        #expect(try await bench.send().head.header.contains(Field.Name(name)))
        let second = try await bench.send()
        #expect(second.head.cacheStatus?.kind == .hit)
        #expect(!second.head.header.contains(Field.Name(name)))
        #expect(second.head.header["X-Kept"] == "1")
    }

    /// All combinations of these directives of a response are compared with an oracle.
    static let directives = [
        "max-age=5", "max-age=60", "no-cache", "no-store", "must-revalidate", "private", "public", "s-maxage=60",
        "stale-if-error=60", "immutable",
    ]

    @Test("RFC 9111 §3, §4: every combination of directives does what the text says")
    func enumeration() async throws {
        let rules = HTTPCache.Rules()
        let request = try CacheBench.request(header: [.cacheControl: "max-stale=100"])
        for mask in 0..<(1 << Self.directives.count) {
            let chosen = Self.directives.indices.filter { mask >> $0 & 1 == 1 }.map { Self.directives[$0] }
            let has = { (directive: String) in chosen.contains(directive) }
            let header: Header = chosen.isEmpty ? [:] : [.cacheControl: chosen.joined(separator: ", ")]
            let head = try ResponseHead(statusCode: 299, header: header, url: request.url)
            let hasLifetime = has("max-age=5") || has("max-age=60")
            let mayBeStored =
                !has("no-store") && (hasLifetime || has("public") || has("private"))
            guard let stored = rules.follow(head, to: request).stored else {
                #expect(!mayBeStored, "\(chosen)")
                continue
            }
            #expect(mayBeStored, "\(chosen)")
            let lifetime: Double =
                has("max-age=5") ? 5 : has("max-age=60") ? 60 : 0
            let forbidsStale =
                has("no-cache") || has("must-revalidate")
            switch rules.serve(request, from: [stored], at: CacheBench.start + 10) {
            case .fresh: #expect(!has("no-cache") && lifetime > 10, "\(chosen)")
            case .stale: #expect(!forbidsStale && lifetime <= 10, "\(chosen)")
            case .revalidate: #expect(has("no-cache") || forbidsStale && lifetime <= 10, "\(chosen)")
            default: Issue.record("\(chosen)")
            }
            let isServed =
                rules.lastResort(
                    for: try CacheBench.request(),
                    from: [stored],
                    after: .response(try ResponseHead(statusCode: 503, url: request.url)),
                    at: CacheBench.start + 10
                ) != nil
            #expect(isServed == (has("stale-if-error=60") && !forbidsStale), "\(chosen)")
        }
    }
}
