import RequestsTesting
import Testing

@Suite("Test clocks", .timeLimit(.minutes(5)))
struct TestClockTests {
    private let clock = TestClock()

    private func sleeper(_ seconds: Int, _ events: Recorder<Int>) -> Task<Void, any Error> {
        Task { [clock] in
            try await clock.sleep(for: .seconds(seconds))
            events.record(seconds)
        }
    }

    @Test("advancing the clock wakes only the sleepers whose time has come")
    func advance() async throws {
        let events = Recorder<Int>()
        let tasks = [sleeper(2, events), sleeper(1, events), sleeper(3, events)]
        try await clock.waitForSleepers(3)
        clock.advance(by: .seconds(2))
        try await tasks[0].value
        try await tasks[1].value
        #expect(events.recorded.sorted() == [1, 2])
        #expect(clock.sleeperCount == 1)
        #expect(clock.sleeps.sorted() == [.seconds(1), .seconds(2), .seconds(3)])
        clock.advance(by: .seconds(1))
        try await tasks[2].value
        #expect(clock.sleeperCount == 0)
    }

    @Test("cancellation ends sleeping and waiting for sleepers, and prevents later sleeps")
    func cancellation() async throws {
        let events = Recorder<Int>()
        let asleep = sleeper(1, events)
        try await clock.waitForSleepers()
        let waiting = Task { [clock] in try await clock.waitForSleepers(2) }
        for task in [asleep, waiting] {
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(clock.sleeperCount == 0)
        #expect(events.recorded.isEmpty)
        let late = Task { [clock] in
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(1))
        }
        await #expect(throws: CancellationError.self) { try await late.value }
        #expect(clock.sleeps == [.seconds(1)])
    }

    @Test("sleeping advances an immediate clock at once")
    func immediate() async throws {
        let clock = TestClock(isImmediate: true)
        let start = clock.now
        try await clock.sleep(for: .seconds(60))
        #expect(start.duration(to: clock.now) == .seconds(60))
    }
}
