import Foundation
import Requests
import RequestsTesting
import Testing

@Suite("Rate limits", .timeLimit(.minutes(5)))
struct RateLimitTests {
    private static let now = Date(timeIntervalSince1970: 1_000_000_000)

    private func limit(_ header: Header, now: Date? = nil) throws -> RateLimit? {
        RateLimit(try ResponseHead(statusCode: 200, header: header, url: URL("https://a.example/")), now: now)
    }

    @Test("The current fields name the quota with the fewest remaining requests, and its policy")
    func current() throws {
        let limit = try #require(
            try limit([
                "RateLimit": #""day";r=900;t=3600, "burst";r=50;t=30"#,
                "RateLimit-Policy": #""burst";q=100;w=60,"day";q=1000;w=86400"#,
            ])
        )
        #expect(limit.remaining == 50)
        #expect(limit.limit == 100)
        #expect(limit.reset == .seconds(30))
        #expect(limit.window == .seconds(60))
    }

    @Test("The older dictionary and the separate fields are read")
    func older() throws {
        let dictionary = try limit(["RateLimit": "limit=100, remaining=0, reset=5"])
        #expect(dictionary?.remaining == 0)
        #expect(dictionary?.limit == 100)
        #expect(dictionary?.reset == .seconds(5))
        for prefix in ["RateLimit-", "X-RateLimit-", "x-rate-limit-"] {
            let separate = try limit(
                Header([prefix + "Limit": "100, 100;w=60", prefix + "Remaining": "7", prefix + "Reset": "5"])
            )
            #expect(separate?.remaining == 7)
            #expect(separate?.limit == 100)
            #expect(separate?.reset == .seconds(5))
        }
    }

    @Test("A reset as a date is relative to the response, or to the current date")
    func dates() throws {
        let reset = Field(name: "X-RateLimit-Reset", value: "1000000060")
        let remaining = Field(name: "X-RateLimit-Remaining", value: "0")
        #expect(try limit([remaining, reset])?.reset == nil)
        #expect(try limit([remaining, reset], now: Self.now)?.reset == .seconds(60))
        let date = Field(name: "Date", value: "Sun, 09 Sep 2001 01:46:50 GMT")
        #expect(try limit([remaining, reset, date], now: .distantPast)?.reset == .seconds(50))
        let milliseconds = Field(name: "X-RateLimit-Reset", value: "1000000060000")
        #expect(try limit([remaining, milliseconds], now: Self.now)?.reset == .seconds(60))
        let past = Field(name: "X-RateLimit-Reset", value: "1000000000")
        #expect(try limit([remaining, past], now: Self.now + 5)?.reset == .zero)
    }

    @Test(
        "A malformed quota is no quota",
        arguments: [
            ["RateLimit": "a;r=-1"], ["RateLimit": "\"a\""], ["RateLimit": "remaining=1.5"], ["X-RateLimit-Limit": "5"],
            ["X-RateLimit-Remaining": "-1"], ["X-RateLimit-Remaining": "1e300"], ["X-RateLimit-Remaining": "nan"],
        ] as [Header]
    )
    func malformed(header: Header) throws {
        #expect(try limit(header) == nil)
    }

    @Test("A limiter admits a burst and then spaces requests evenly")
    func limiter() {
        var limiter = RateLimiter(10, per: .seconds(1), burst: 3)
        let waits = (0..<5).map { _ in limiter.admit(at: .zero) }
        #expect(waits == [.zero, .zero, .zero, .milliseconds(100), .milliseconds(200)])
        #expect(limiter.admit(at: .milliseconds(250)) == .milliseconds(50))
        #expect(limiter.admit(at: .seconds(10)) == .zero)
        var steady = RateLimiter(2, per: .seconds(1), burst: 1)
        #expect([steady.admit(at: .zero), steady.admit(at: .zero)] == [.zero, .milliseconds(500)])
    }

    @Test("In any window, a limiter admits at most the burst and the rate")
    func bound() {
        var generator = SystemRandomNumberGenerator()
        var limiter = RateLimiter(20, per: .seconds(1), burst: 5)
        var now = Duration.zero
        var admitted: [Duration] = []
        for _ in 0..<2000 {
            now += .milliseconds(Int.random(in: 0...80, using: &generator))
            admitted.append(now + limiter.admit(at: now))
        }
        for start in stride(from: 0, to: admitted.count, by: 7) {
            let window = admitted[start...].prefix { $0 < admitted[start] + .seconds(1) }
            #expect(window.count <= 25)
        }
    }

    @Test("A used-up quota holds all requests until it is renewed")
    func observing() throws {
        var limiter = RateLimiter(10, per: .seconds(1))
        let used = try #require(try limit(["RateLimit": "\"a\";r=0;t=30"]))
        limiter.observe(used, at: .seconds(1))
        #expect(limiter.admit(at: .seconds(2)) == .seconds(29))
        var other = RateLimiter(10, per: .seconds(1))
        other.observe(try #require(try limit(["RateLimit": "\"a\";r=1;t=30"])), at: .seconds(1))
        #expect(other.admit(at: .seconds(2)) == .zero)
    }

    @Test("Invalid arguments are limited instead of trapping")
    func arguments() {
        var none = RateLimiter(0, per: .seconds(-1), burst: .max)
        #expect(none.admit(at: .zero) == .zero)
        var slow = RateLimiter(.max, per: .seconds(Int64.max), burst: .min)
        #expect(slow.admit(at: .zero) == .zero)
    }
}
