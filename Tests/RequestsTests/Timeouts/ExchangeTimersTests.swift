import RequestsTesting
import Testing

@Suite("Deadlines of an exchange", .timeLimit(.minutes(5)))
struct ExchangeTimersTests {
    private let second: UInt64 = 1_000_000_000

    private func timers(idle: Duration? = nil, total: Duration? = nil, start: UInt64 = 0) -> ExchangeTimers {
        ExchangeTimers(Timeouts(idle: idle), Deadline(after: total, on: TestClock()), start: start)
    }

    @Test("The call's deadline limits an exchange, and not the total timeout of its request")
    func deadline() {
        let clock = TestClock()
        let deadline = Deadline(after: .seconds(5), on: clock)
        clock.advance(by: .seconds(2))
        let timeouts = Timeouts(total: .seconds(1))
        #expect(ExchangeTimers(timeouts, deadline, start: 0).next == 3 * second)
        #expect(ExchangeTimers(timeouts, .none, start: 0).next == 60 * second)
        let reason = TransportError.reason(.total, of: timeouts, total: deadline.total)
        #expect(reason.contains(" of 5.0 seconds was reached"))
    }

    @Test("Without limits, the idle timeout of 60 seconds ends a stall")
    func defaults() {
        let timers = timers(start: 5 * second)
        #expect(timers.next == 65 * second)
        #expect(timers.reached(at: 65 * second - 1) == nil)
        #expect(timers.reached(at: 65 * second) == .idle)
    }

    @Test("Activity postpones the idle deadline but not the total one")
    func activity() {
        var timers = timers(idle: .seconds(2), total: .seconds(5))
        #expect(timers.next == 2 * second)
        timers.noteActivity(at: 1 * second)
        #expect(timers.next == 3 * second)
        #expect(timers.reached(at: 3 * second - 1) == nil)
        timers.noteActivity(at: 4 * second)
        #expect(timers.next == 5 * second)
        #expect(timers.reached(at: 5 * second) == .total)
    }

    @Test("The connect timeout applies until the connection is established")
    func connecting() {
        let timeouts = Timeouts(connect: .seconds(1), idle: .seconds(2))
        #expect(ExchangeTimers(timeouts, .none, start: 0).next == 2 * second)
        var timers = ExchangeTimers(timeouts, .none, start: 0, isConnecting: true)
        #expect(timers.next == second)
        #expect(timers.reached(at: second - 1) == nil)
        #expect(timers.reached(at: second) == .connect)
        timers.noteConnected(at: second)
        #expect(timers.next == 3 * second)
        #expect(timers.reached(at: 2 * second) == nil)
    }

    @Test("The idle timeout starts when the wait for a free connection ends")
    func waiting() {
        let timeouts = Timeouts(idle: .seconds(2))
        let deadline = Deadline(after: .seconds(100), on: TestClock())
        var timers = ExchangeTimers(timeouts, deadline, start: 0, isConnecting: true)
        #expect(timers.next == 100 * second)
        #expect(timers.reached(at: 99 * second) == nil)
        timers.noteConnecting(at: 10 * second)
        #expect(timers.next == 12 * second)
        #expect(timers.reached(at: 12 * second) == .idle)
    }

    @Test("The total timeout is reported if both are reached")
    func both() {
        #expect(timers(idle: .seconds(1), total: .seconds(1)).reached(at: second) == .total)
    }

    @Test("The idle timeout is suspended while the reader is slow, and then restarts")
    func suspension() {
        var timers = timers(idle: .seconds(2), total: .seconds(100))
        timers.suspendIdle(true, at: second)
        #expect(timers.next == 100 * second)
        #expect(timers.reached(at: 99 * second) == nil)
        timers.suspendIdle(true, at: 50 * second)
        timers.suspendIdle(false, at: 60 * second)
        #expect(timers.next == 62 * second)
        #expect(timers.reached(at: 62 * second) == .idle)
        timers.suspendIdle(false, at: 61 * second)
        #expect(timers.next == 62 * second, "a deadline that isn't suspended keeps running")
    }

    @Test("There is no next check while no deadline can be reached")
    func nothing() {
        var timers = timers(idle: .seconds(2))
        timers.suspendIdle(true, at: 0)
        #expect(timers.next == nil)
        #expect(timers.reached(at: .max) == nil)
    }

    @Test(
        "Extreme durations don't trap",
        arguments: [.seconds(Int64.max), .seconds(Int64.min), .zero, .nanoseconds(1)] as [Duration]
    )
    func extremes(limit: Duration) {
        let timers = timers(idle: limit, total: limit, start: 1_000 * second)
        #expect((timers.reached(at: 1_000 * second + 1) == nil) == (limit > .nanoseconds(1)))
    }

    @Test("The reason names the timeout and its duration")
    func reason() {
        let timeouts = Timeouts(idle: .seconds(2))
        #expect(
            TransportError.reason(.idle, of: timeouts) == "the idle timeout of 2.0 seconds was reached (timeouts.idle)"
        )
        #expect(
            TransportError.reason(.total, of: timeouts, total: .seconds(5))
                == "the total timeout of 5.0 seconds was reached (timeouts.total)"
        )
        #expect(
            TransportError.reason(.idle, of: Timeouts())
                == "the idle timeout of 60.0 seconds was reached (timeouts.idle)"
        )
    }
}
