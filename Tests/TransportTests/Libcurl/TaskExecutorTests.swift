#if os(Linux)
import Foundation
import RequestsCurl
import RequestsTesting
import Testing

@Suite("Tasks on the transport's thread", .timeLimit(.minutes(5)))
struct TaskExecutorTests {
    @Test("Several tasks on the transport's thread make exchanges at the same time")
    func exchanges() async throws {
        let server = try LoopbackServer.http { .init(200, .plainText, $0.target) }
        let transport = try CurlTransport()
        let client = Client(transport: transport)
        let api = BaseURL(baseURL: server.baseURL)
        let answers = try await withTaskExecutorPreference(transport.taskExecutor) {
            try await withThrowingTaskGroup(of: (String, String).self) { group in
                for number in 0..<20 {
                    group.addTask {
                        let answer = try await client.send(api.get(.text, from: "/\(number)"))
                        return (answer, threadName())
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }
        #expect(Set(answers.map(\.0)) == Set((0..<20).map { "/\($0)" }))
        #expect(Set(answers.map(\.1)) == ["Requests.Curl"])
    }

    @Test("Tasks on the transport's thread get the signals of their faults, and no others")
    func signals() async throws {
        let transport = try CurlTransport()
        let blocked = await withTaskExecutorPreference(transport.taskExecutor) {
            await Task.yield()
            // Without an initializer, which some builds find in a module that can't be imported.
            let signals = UnsafeMutablePointer<sigset_t>.allocate(capacity: 1)
            defer { signals.deallocate() }
            pthread_sigmask(SIG_BLOCK, nil, signals)
            return [SIGPIPE, SIGTERM, SIGSEGV, SIGILL, SIGTRAP].map { sigismember(signals, $0) == 1 }
        }
        #expect(blocked == [true, true, false, false, false])
    }

    @Test("Tasks continue on another thread after the transport is shut down")
    func shutdown() async throws {
        let transport = try CurlTransport()
        let executor = transport.taskExecutor
        await transport.shutdown()
        let value = await withTaskExecutorPreference(executor) {
            await Task.yield()
            return 7
        }
        #expect(value == 7)
    }
}

/// As the system has it.
private func threadName() -> String {
    let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
    return name.map { String($0.dropLast()) } ?? ""
}
#endif
