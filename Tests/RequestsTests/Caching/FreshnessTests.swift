import RequestsCache
import RequestsTesting
import Testing

/// One row: a header of a response that is 10 seconds old, and what becomes of the next request.
struct FreshnessRow: Sendable, CustomStringConvertible {
    let header: Header
    let expected: Second

    init(_ expected: Second, _ fields: (Field.Name, String)...) {
        header = Header(fields.map { Field(name: $0, value: $1) })
        self.expected = expected
    }

    var description: String { header.map { "\($0.name): \($0.value)" }.joined(separator: " | ") }
}

@Suite("Freshness", .timeLimit(.minutes(5)))
struct FreshnessTests {
    static let future = CacheBench.date(3600)
    static let past = CacheBench.date(-3600)
    static let now = CacheBench.date()

    /// RFC 9111 §5.2.2.1: max-age keeps a response fresh.
    static let maxAgeRows: [FreshnessRow] = [
        "max-age=3600", "max-age=\"3600\"", "MAX-AGE=3600", "Max-Age=3600", "max-age=0003600", "  max-age=3600  ",
        "foo, max-age=3600", "foo=bar,max-age=3600", "max-age=3600,", ",, max-age=3600", "max-age=2147483648",
        "max-age=99999999999", "max-age=99999999999999999999999999", "foo=\"max-age=1\", max-age=3600",
        "foo=\"a, max-age=0\", max-age=3600", "foo=\"\\\"max-age=0, \", max-age=3600",
        "max-age=3600, public", "private, max-age=3600", "private=\"set-cookie\", max-age=3600",
        "s-maxage=1, max-age=3600", "s-maxage=0, max-age=3600", "must-revalidate, max-age=3600", "max-age=11",
        "max-age=3600, max-age=3600", "xmax-age=1, max-age=3600", "max-age=3600, max-agex=1",
        "no-transform, max-age=20",
        "immutable, max-age=3600", "stale-while-revalidate=60, max-age=3600", "proxy-revalidate, max-age=3600",
        "no-cachex, max-age=3600", "nono-store, max-age=3600",
    ].map { FreshnessRow(.stored, (.cacheControl, $0)) }

    /// RFC 9111 §4.2.1: malformed or past max-age doesn't keep a response fresh.
    static let staleMaxAgeRows: [FreshnessRow] = [
        "max-age=0", "max-age=5", "max-age=10", "max-age=-3600", "max-age=3600.0", "max-age=3600.5", "max-age='3600'",
        "max-age=\"3600", "max-age=", "max-age", "max-age= 3600", "max-age =3600", "max-age=a3600", "max-age=3600a",
        "max-age=36 00", "max-age=0x3600", "max-age=+3600", "max-age=1e6", "max-age=3600;foo=bar", "max-age=\"\"",
        "max-age=\" 3600\"", "max-age=0, max-age=3600", "max-age=3600, max-age=x", "max-age=x, max-age=3600",
        "xmax-age=3600", "max-agex=3600", "foo=\"max-age=3600\"", "foo=\"a, max-age=3600, b\"", "max_age=3600",
        "max-age:3600", "s-maxage=3600", "foo=max-age=3600", "no-cache, max-age=3600", "max-age=3600, no-cache",
        "NO-CACHE, max-age=3600", "no-cache=\"\", max-age=3600", "no-store, max-age=3600", "No-Store, max-age=3600",
        "no-store=x, max-age=3600", "max-age=3600, foo=\"", "max-age=3600, foo=\"no-cache, no-store",
    ].map { FreshnessRow(.sent, (.cacheControl, $0)) }

    /// RFC 9111 §4.2.1: the lifetime comes from the first of max-age and Expires.
    static let precedenceRows: [FreshnessRow] = [
        FreshnessRow(.stored, (.cacheControl, "max-age=3600"), ("Expires", past)),
        FreshnessRow(.stored, (.cacheControl, "max-age=3600"), ("Expires", "0")),
        FreshnessRow(.sent, (.cacheControl, "max-age=1"), ("Expires", future)),
        FreshnessRow(.sent, (.cacheControl, "max-age=x"), ("Expires", future)),
        FreshnessRow(.stored, (.cacheControl, "s-maxage=0"), ("Expires", future)),
        FreshnessRow(.stored, ("CDN-Cache-Control", "max-age=1"), (.cacheControl, "max-age=3600")),
        FreshnessRow(.sent, ("CDN-Cache-Control", "max-age=3600"), (.cacheControl, "max-age=1")),
        FreshnessRow(.stored, ("Pragma", "no-cache"), (.cacheControl, "max-age=3600")),
        FreshnessRow(.stored, ("Pragma", "no-cache"), ("Expires", future)),
        FreshnessRow(.stored, (.cacheControl, "max-age=3600"), (.cacheControl, "foo")),
        FreshnessRow(.stored, (.cacheControl, "foo"), (.cacheControl, "max-age=3600")),
        FreshnessRow(.sent, (.cacheControl, "no-store"), (.cacheControl, "max-age=3600")),
    ]

    /// RFC 9111 §5.3: Expires counts from Date, and a malformed one is past.
    static let expiresRows: [FreshnessRow] =
        [
            FreshnessRow(.stored, ("Expires", future)), FreshnessRow(.stored, ("Expires", future), ("Date", now)),
            FreshnessRow(.stored, ("Expires", "Thu, 18 Aug 2050 02:01:18 GMT")),
            FreshnessRow(.stored, ("Expires", "Thursday, 18-Aug-50 02:01:18 GMT")),
            FreshnessRow(.stored, ("Expires", "Thu Aug 18 02:01:18 2050")),
            FreshnessRow(.stored, ("Expires", "thu, 18 Aug 2050 02:01:18 GMT")),
            FreshnessRow(.stored, ("Expires", "Thu, 18 AUG 2050 02:01:18 GMT")),
            FreshnessRow(.stored, ("Expires", "Thu, 18 Aug 2050 02:01:18 gmt")),
            FreshnessRow(.stored, ("Expires", "thursday, 18-aug-50 02:01:18 gmt")),
            FreshnessRow(.stored, ("Expires", "Mon Aug  1 02:01:18 2050")),
            FreshnessRow(.sent, ("Expires", past)), FreshnessRow(.sent, ("Expires", now)),
            FreshnessRow(.sent, ("Expires", future), ("Expires", past)),
            FreshnessRow(.sent, ("Expires", past), ("Expires", future)),
            FreshnessRow(.stored, ("Expires", future), ("Expires", future)),
            FreshnessRow(.stored, ("Expires", "\(future), \(future)")),
            FreshnessRow(.sent, ("Expires", CacheBench.date(-100)), ("Date", CacheBench.date(-120)), ("Age", "0")),
            FreshnessRow(.sent, ("Expires", future), ("Date", CacheBench.date(3600))),
        ]
        + [
            "0", "-1", "", "never", "Foo, 18 Aug 2050 02:01:18 GMT", "Thurs, 18 Aug 2050 02:01:18 GMT",
            "Thursday, 18 Aug 2050 02:01:18 GMT", "Thu, 18-Aug-50 02:01:18 GMT", "Thu, 18 Aug 2050 02:01:18 UTC",
            "Thu, 18 Aug 2050 02:01:18", "18 Aug 2050 02:01:18 GMT", "Thu, 18 Aug 50 02:01:18 GMT",
            "Thu, 18-Aug-2050 02:01:18 GMT",
            "Thu,18 Aug 2050 02:01:18 GMT", "Thu, 18 Aug 2050 2:01:18 GMT", "Thu, 18 Aug 2050 02:01:18 AEST",
            "Thu, 18 Aug 2050 02.01.18 GMT", "Thu, 18 Aug  2050 02:01:18 GMT", "Thu, 18 Aug 2050  02:01:18 GMT",
            "Thu 18 Aug 2050 02:01:18 GMT", "2050-08-18T02:01:18Z", "Thu, 32 Aug 2050 02:01:18 GMT",
            "Thu, 18 Aug 2050 25:01:18 GMT", "Thu, 18 Aug 2050 02:01:18 GMT, Thu, 18 Aug 2050 02:01:19 GMT",
        ].map { FreshnessRow(.sent, ("Expires", $0)) }

    /// RFC 9111 §4.2.3, §5.1: the age is the larger of Age and the time since Date.
    static let agesRows: [FreshnessRow] =
        [
            "0", "3000", "-7200", "7200.0", "7200a", "a7200", "", "0, 7200", "7200;foo=bar", "+7200", "'7200'",
            "\"7200\"",
        ]
        .map { FreshnessRow(.stored, (.cacheControl, "max-age=3600"), ("Age", $0)) }
        + ["3590", "7200", "0007200", "7200, 0", "99999999999999999999999", " 7200 ", "7200,"]
        .map { FreshnessRow(.sent, (.cacheControl, "max-age=3600"), ("Age", $0)) }
        + [
            FreshnessRow(.sent, (.cacheControl, "max-age=3600"), ("Age", "7200"), ("Age", "0")),
            FreshnessRow(.stored, (.cacheControl, "max-age=3600"), ("Age", "0"), ("Age", "7200")),
            FreshnessRow(.sent, (.cacheControl, "max-age=3600"), ("Date", CacheBench.date(-3600))),
            FreshnessRow(.stored, (.cacheControl, "max-age=3600"), ("Date", CacheBench.date(-3000))),
            FreshnessRow(.stored, (.cacheControl, "max-age=3600"), ("Date", future)),
            FreshnessRow(.stored, (.cacheControl, "max-age=3600"), ("Date", "malformed")),
        ]

    @Test(
        "RFC 9111 §4.2, §5: max-age or Expires, counted from the age of a response, decides whether it is fresh",
        arguments: maxAgeRows + staleMaxAgeRows + precedenceRows + expiresRows + agesRows
    )
    func rows(_ row: FreshnessRow) async throws {
        #expect(try await CacheBench.second(after: row.header) == row.expected)
    }

    static let heuristicStatuses: Set<Int> = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]
    static let statuses = Array(200...209) + Array(300...310) + Array(400...430) + [499] + Array(500...511) + [599]

    @Test("RFC 9111 §4.2.2: only some statuses are fresh without a lifetime", arguments: statuses)
    func heuristics(status: Int) async throws {
        // A 204 has no body that tells the responses apart.
        guard status != 304, status != 206, status != 416, status != 412, status != 204 else { return }
        let header: Header = ["Date": Self.now, .lastModified: CacheBench.date(-86_400)]
        let second = try await CacheBench.second(after: header, status: status, after: 3600)
        #expect(second == (Self.heuristicStatuses.contains(status) ? .stored : .sent))
    }

    @Test(
        "RFC 9111 §3: every final status but a challenge or a failed condition is stored with a lifetime",
        arguments: statuses
    )
    func explicit(status: Int) async throws {
        guard status != 304, status != 206, status != 416, status != 412 else { return }
        let header: Header = [.cacheControl: "max-age=3600"]
        let bench = CacheBench()
        bench.respond(.reply(status, header: header))
        let client = bench.client { $0.redirects = .never }
        for _ in 0..<2 {
            let response = try await client.response(for: CacheBench.request())
            #expect(response.head.statusCode == status)
        }
        #expect(bench.requests.count == ([401, 407].contains(status) ? 2 : 1))
    }

    @Test("RFC 9111 §4.2.2: a tenth of the time since Last-Modified is fresh, also for a public response")
    func heuristicFraction() async throws {
        let header: Header = ["Date": Self.now, .lastModified: CacheBench.date(-1000)]
        #expect(try await CacheBench.second(after: header, after: 99) == .stored)
        #expect(try await CacheBench.second(after: header, after: 101) == .validated)
        #expect(
            try await CacheBench.second(after: header.adding(.cacheControl, "public"), status: 599, after: 99)
                == .stored
        )
        #expect(try await CacheBench.second(after: [.lastModified: "malformed"], after: 1) == .validated)
        // At most a week, and nothing if the clock was wrong.
        let old: Header = ["Date": Self.now, .lastModified: CacheBench.date(-1000 * 86_400)]
        #expect(try await CacheBench.second(after: old, after: 7 * 86_400 - 1) == .stored)
        #expect(try await CacheBench.second(after: old, after: 7 * 86_400 + 1) == .validated)
        for header in [old, [.cacheControl: "max-age=60", "ETag": "\"a\""]] {
            #expect(try await CacheBench.second(after: header, after: -1) == .validated)
        }
        #expect(try await CacheBench.second(after: [:], after: 1) == .sent)
    }

    @Test(
        "RFC 9111 §3: a response that mustn't be understood isn't stored",
        arguments: [
            (200, "max-age=60, must-understand", true), (200, "max-age=60, no-store, must-understand", true),
            (299, "max-age=60, must-understand", false), (299, "max-age=60", true),
            (200, "max-age=60, no-store", false),
        ]
    )
    func mustUnderstand(status: Int, control: String, isStored: Bool) async throws {
        let second = try await CacheBench.second(after: [.cacheControl: control], status: status)
        #expect(second == (isStored ? .stored : .sent))
    }
}

extension Header {
    func adding(_ name: Field.Name, _ value: String) -> Header {
        Header(Array(self) + [Field(name: name, value: value)])
    }
}
