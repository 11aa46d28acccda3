import Requests
import Testing

@Suite("Rate limiter", .timeLimit(.minutes(5)))
struct RateLimiterTests {
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

    @Test("Invalid arguments are limited instead of trapping")
    func arguments() {
        var none = RateLimiter(0, per: .seconds(-1), burst: .max)
        #expect(none.admit(at: .zero) == .zero)
        var slow = RateLimiter(.max, per: .seconds(Int64.max), burst: .min)
        #expect(slow.admit(at: .zero) == .zero)
    }
}
