#if os(Linux)
import Foundation
import RequestsCurl
import RequestsTesting
import Testing

/// Some tests run in a separate process, so that no other test opens descriptors or starts threads.
@Suite("Lifetime of transports", .timeLimit(.minutes(5)))
struct LifetimeTests {
    @Test("A thousand transports leak no descriptors or threads")
    func manyTransports() async {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer.http { _ in .init(200, body: Data("ok".utf8)) }
            let request = BaseURL(baseURL: server.baseURL).get(.text, from: "/")
            _ = try await Client(transport: CurlTransport()).send(request)
            let before = try await HeldResources.settled()
            for round in 0..<1000 {
                let client = Client(transport: try CurlTransport())
                // Some are never used.
                if round.isMultiple(of: 10) { _ = try await client.send(request) }
            }
            let after = try await HeldResources.settled(atMost: before)
            #expect(after.descriptors <= before.descriptors)
            #expect(after.threads <= before.threads)
        }
    }

    @Test("The shared transport recovers from a lack of descriptors at its first use")
    func sharedAfterShortage() async {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer.http { _ in .init(200, body: Data("ok".utf8)) }
            let request = BaseURL(baseURL: server.baseURL).get(.text, from: "/")
            // Dispatch opens descriptors for its timers when they are first used, and crashes if it can't.
            _ = try await Client(transport: try CurlTransport()).send(request)
            let client = Client(transport: CurlTransport.shared)
            try await withoutDescriptors {
                await #expect(throws: TransportError.self) { try await client.send(request) }
            }
            #expect(try await client.send(request) == "ok")
        }
    }

    @Test("A body can be read after its transport is released", arguments: TransportKind.allCases)
    func bodyOutlivesTransport(kind: TransportKind) async throws {
        let server = try LoopbackServer.http { _ in .init(200, body: Data(count: 4 << 20)) }
        let request = try BaseURL(baseURL: server.baseURL).get(.data, from: "/").prepared()
        let body = try await kind.makeTransport().send(request).content
        #expect(try await body.collect(upTo: .max).count == 4 << 20)
    }
}

/// Calls a closure while the process can't open any descriptor.
private func withoutDescriptors(_ body: () async throws -> Void) async throws {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    getrlimit(resource, &limit)
    var none = rlimit(rlim_cur: 0, rlim_max: limit.rlim_max)
    setrlimit(resource, &none)
    defer { setrlimit(resource, &limit) }
    try await body()
}

/// The open descriptors and the threads of the process.
private struct HeldResources: Equatable {
    let descriptors: Int
    let threads: Int

    static func now() throws -> HeldResources {
        HeldResources(
            descriptors: try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count,
            threads: try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
        )
    }

    /// Waits until the process holds at most `limit`, or until the counts stop changing.
    ///
    /// With a limit, the counts must not change for a minute, because a loaded machine is slow.
    static func settled(atMost limit: HeldResources? = nil) async throws -> HeldResources {
        var last = try now()
        var unchanged = 0
        while unchanged < (limit == nil ? 5 : 600) {
            try await Task.sleep(for: .milliseconds(100))
            let held = try now()
            if let limit, held.descriptors <= limit.descriptors, held.threads <= limit.threads { return held }
            unchanged = held == last ? unchanged + 1 : 0
            last = held
        }
        return last
    }
}
#endif
