import Foundation
import Requests
import RequestsCurl
import RequestsTesting
import Usage

/// Makes exchanges of every kind over libcurl for a while, with random cancellations, resets and pauses, and says what
/// they leave behind.
///
///     soak SECONDS [SEED]
///
/// It fails when descriptors or threads are left, when memory grows after the first quarter, or when an exchange hangs.
@main
struct Soak {
    private static let workers = 32
    private static let allowedGrowth = 8 << 20

    static func main() async throws {
        let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
        guard let seconds = numbers.first, seconds > 0 else {
            print("usage: soak SECONDS [SEED]")
            exit(2)
        }
        let seed = numbers.dropFirst().first ?? 1
        _ = try await run(for: .seconds(2), seed)
        let before = Usage.now
        let (counts, grown) = try await run(for: .seconds(seconds), seed)
        let after = await Usage.settled(before)

        print("\(counts.values.reduce(0, +)) exchanges in \(seconds) s, seed \(seed)")
        for (outcome, count) in counts.sorted(by: { $0.key < $1.key }) { print("  \(count) \(outcome)") }
        print("  descriptors \(before.descriptors) before, \(after.descriptors) after")
        print("  threads     \(before.threads) before, \(after.threads) after")
        print("  memory      \(grown / 1024) KiB more at the end than after a quarter")
        let hung = counts["timedOut"] ?? 0
        let passed =
            after.descriptors <= before.descriptors && after.threads <= before.threads
            && grown <= allowedGrowth && hung == 0
        exit(passed ? 0 : 1)
    }

    /// - Returns: How often each outcome came, and by how much memory grew.
    private static func run(for duration: Duration, _ seed: Int) async throws -> ([String: Int], Int) {
        let server = try LoopbackServer.misbehaving()
        defer { server.stop() }
        let transport = try CurlTransport()
        let start = ContinuousClock.now
        var counts: [String: Int] = [:]
        var quarter: Int?
        try await withThrowingTaskGroup(of: [String: Int].self) { group in
            for worker in 0..<workers {
                let visitor = Visitor(transport: transport, baseURL: server.baseURL, seed: UInt64(seed * 1000 + worker))
                group.addTask { await visitor.visit(until: start + duration) }
            }
            try await Task.sleep(for: duration / 4)
            quarter = Usage.now.residentBytes
            for try await outcomes in group { counts.merge(outcomes, uniquingKeysWith: +) }
        }
        let end = Usage.now.residentBytes
        await transport.shutdown()
        return (counts, end - (quarter ?? end))
    }
}
