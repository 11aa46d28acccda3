import RequestsClient
import Testing

/// Runs on the main actor: after a yield, a waiting task is suspended.
@Suite("Promises", .timeLimit(.minutes(5)))
@MainActor
struct PromiseTests {
    private struct Broken: Error, Equatable {}
    private final class Payload: Sendable {}

    @Test("A result is kept for a task that takes it later")
    func early() async throws {
        let promise = Promise<Int>()
        promise.give(.success(1))
        #expect(try await promise.take() == 1)
    }

    @Test("A result resumes the waiting task", arguments: [true, false])
    func waiting(isKept: Bool) async {
        let promise = Promise<Int>()
        let task = Task { try await promise.take() }
        for _ in 0..<3 { await Task.yield() }
        promise.give(isKept ? .success(1) : .failure(Broken()))
        switch await task.result {
        case .success(let value): #expect(isKept && value == 1)
        case .failure(let error): #expect(!isKept && error is Broken)
        }
    }

    @Test("Only the first result counts")
    func once() async throws {
        let promise = Promise<Int>()
        for number in 1...3 { promise.give(.success(number)) }
        #expect(try await promise.take() == 1)
        promise.give(.success(4))
    }

    @Test("A taken result is released")
    func letGo() async throws {
        let promise = Promise<Payload>()
        weak var weakPayload: Payload?
        do {
            let payload = Payload()
            weakPayload = payload
            promise.give(.success(payload))
            _ = try await promise.take()
        }
        #expect(weakPayload == nil)
        promise.give(.failure(Broken()))
    }

    @Test("Taking a result twice throws instead of waiting forever")
    func twice() async throws {
        let promise = Promise<Int>()
        promise.give(.success(1))
        #expect(try await promise.take() == 1)
        await #expect(throws: Promise<Int>.AlreadyTaken.self) { try await promise.take() }
    }

    @Test("Only one of two waiting tasks gets the result, and the other one an error")
    func twoTakers() async {
        let promise = Promise<Int>()
        let tasks = (0..<2).map { _ in Task { try await promise.take() } }
        for _ in 0..<3 { await Task.yield() }
        promise.give(.success(1))
        var values: [Int] = []
        for task in tasks { if let value = try? await task.value { values.append(value) } }
        #expect(values == [1])
    }
}
