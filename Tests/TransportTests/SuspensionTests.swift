import Foundation
import Requests
import Testing

@testable import RequestsURLSession

@Suite("The suspension of a task whose reader is behind", .timeLimit(.minutes(5)))
struct SuspensionTests {
    private final class Task: BodyChannel.Writer {
        let channel: BodyChannel
        private let suspension = Suspension()
        private let calls = Guarded<[String]>([])

        init() throws {
            channel = BodyChannel(from: try RequestURL("https://h/"), highWater: 10)
            channel.attach(self)
        }

        var log: [String] { calls.withLock { $0 } }

        func push() -> BodyChannel.Demand { channel.push(Data(count: 5)) }

        func resumeWriting() { followReader() }
        func cancelWriting() {}

        func followReader() {
            suspension.update(to: { channel.isPaused }) { suspend in
                calls.withLock { $0.append(suspend ? "suspend" : "resume") }
            }
        }
    }

    @Test("what was on its way after the pause suspends no second time, and one resume undoes it")
    func balance() async throws {
        let task = try Task()
        for _ in 0..<4 where task.push() == .pause { task.followReader() }
        #expect(task.log == ["suspend"])
        for _ in 0..<4 { _ = try await task.channel.next() }
        #expect(task.log == ["suspend", "resume"])
    }

    @Test("a pause that comes later than the resume that undoes it suspends nothing")
    func latePause() async throws {
        let task = try Task()
        _ = task.push()
        #expect(task.push() == .pause)
        for _ in 0..<2 { _ = try await task.channel.next() }
        task.followReader()
        #expect(task.log.isEmpty)
    }
}
