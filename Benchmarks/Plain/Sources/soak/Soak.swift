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
/// It fails when descriptors, threads or memory are left, when a transport at rest holds more at the end than after a
/// quarter, or when an exchange hangs.
@main
struct Soak {
    private static let workers = 32
    private static let allowedGrowth = 1 << 20
    /// At rest a connection can be kept for each worker, or none.
    private static let allowedGrowthAtRest = workers * (64 << 10)

    static func main() async throws {
        let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
        guard let seconds = numbers.first, seconds > 0 else {
            print("usage: soak SECONDS [SEED]")
            exit(2)
        }
        let seed = numbers.dropFirst().first ?? 1
        _ = try await run(for: .seconds(2), seed)
        let before = await Usage.atRest()
        let (counts, quarter, end) = try await run(for: .seconds(seconds), seed)
        let after = await Usage.settled(before)

        print("\(counts.values.reduce(0, +)) exchanges in \(seconds) s, seed \(seed)")
        for (outcome, count) in counts.sorted(by: { $0.key < $1.key }) { print("  \(count) \(outcome)") }
        print("  descriptors \(before.descriptors) before, \(after.descriptors) after")
        print("  threads     \(before.threads) before, \(after.threads) after")
        print("  allocated   \(kibibytes(before)) before, \(kibibytes(after)) after")
        print("              \(kibibytes(quarter)) at rest after a quarter, \(kibibytes(end)) at the end")
        let hung = counts["timedOut"] ?? 0
        let passed =
            after.descriptors <= before.descriptors && after.threads <= before.threads
            && after.allocatedBytes - before.allocatedBytes <= allowedGrowth
            && end.allocatedBytes - quarter.allocatedBytes <= allowedGrowthAtRest && hung == 0
        exit(passed ? 0 : 1)
    }

    /// - Returns: How often each outcome came, and what was held at rest after a quarter and at the end.
    private static func run(for duration: Duration, _ seed: Int) async throws -> ([String: Int], Usage, Usage) {
        let server = try LoopbackServer.misbehaving()
        defer { server.stop() }
        let transport = try CurlTransport()
        let visitors = (0..<workers * 2).map { number in
            Visitor(transport: transport, baseURL: server.baseURL, seed: UInt64(seed * 1000 + number))
        }
        var counts = await visit(visitors.prefix(workers), for: duration / 4)
        let quarter = await Usage.atRest()
        counts.merge(await visit(visitors.suffix(workers), for: duration * 3 / 4), uniquingKeysWith: +)
        let end = await Usage.atRest()
        await transport.shutdown()
        return (counts, quarter, end)
    }

    private static func visit(_ visitors: ArraySlice<Visitor>, for duration: Duration) async -> [String: Int] {
        let end = ContinuousClock.now + duration
        return await withTaskGroup(of: [String: Int].self) { group in
            for visitor in visitors { group.addTask { await visitor.visit(until: end) } }
            return await group.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
        }
    }

    private static func kibibytes(_ usage: Usage) -> String {
        usage.allocatedBytes > 0 ? "\(usage.allocatedBytes / 1024) KiB" : "not measured"
    }
}
