import Foundation
import RequestsTesting
import Usage

/// Sends requests of every kind over libcurl for a while, with random cancellations, resets and pauses.
///
///     soak SECONDS [SEED [plain] [tls] [http2] [executor] [shortLived]]
///
/// Prints the outcomes of each ``Scenario``. Fails if an exchange hangs or gets a wrong response, or if descriptors,
/// threads or memory leak.
@main
struct Soak {
    private static let visitors = 12
    private static let allowedGrowth = 1 << 20

    static func main() async throws {
        let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
        guard let seconds = numbers.first, seconds > 0 else {
            print("usage: soak SECONDS [SEED [SCENARIO...]]")
            exit(2)
        }
        let seed = numbers.dropFirst().first ?? 1
        watch(seconds)
        let names = CommandLine.arguments.dropFirst(3)
        let scenarios = Scenario.allCases.filter { $0.isAvailable && (names.isEmpty || names.contains("\($0)")) }
        // Fills caches of the process and its libraries.
        _ = try await run(scenarios, for: .seconds(max(2, seconds / 10)), seed)
        let before = await Usage.atRest()
        let first = try await run(scenarios, for: .seconds(seconds) / 4, seed + 1)
        let quarter = await Usage.settled(before)
        let second = try await run(scenarios, for: .seconds(seconds) * 3 / 4, seed + 2)
        let after = await Usage.settled(before)

        print("\(seconds) s, seed \(seed)")
        var failures: [String] = []
        for scenario in scenarios {
            let counts = (first[scenario] ?? [:]).merging(second[scenario] ?? [:], uniquingKeysWith: +)
            print("\(scenario.rawValue): \(counts.values.reduce(0, +)) exchanges")
            for (outcome, count) in counts.sorted(by: { $0.key < $1.key }) {
                print("  \(count) \(outcome)")
                if outcome == Visitor.hung || outcome.hasPrefix(Visitor.wrong) {
                    failures.append("\(scenario.rawValue): \(count) \(outcome)")
                }
            }
        }
        print("descriptors: \(before.descriptors) before, \(after.descriptors) after")
        print("threads: \(before.threads) before, \(after.threads) after")
        print("allocated: \(kib(before)) before, \(kib(quarter)) after a quarter, \(kib(after)) after")
        if after.descriptors > before.descriptors { failures.append("descriptors leak") }
        if after.threads > before.threads { failures.append("threads leak") }
        if after.allocatedBytes - quarter.allocatedBytes > allowedGrowth { failures.append("memory leaks") }
        for failure in failures { print("error: \(failure)") }
        exit(failures.isEmpty ? 0 : 1)
    }

    private static func run(
        _ scenarios: [Scenario],
        for duration: Duration,
        _ seed: Int
    ) async throws -> [Scenario: [String: Int]] {
        let server = try LoopbackServer.misbehaving()
        defer { server.stop() }
        let end = ContinuousClock.now + duration
        let baseURL = server.baseURL
        return try await withThrowingTaskGroup(of: (Scenario, [String: Int]).self) { group in
            for (index, scenario) in scenarios.enumerated() {
                let start = (seed * scenarios.count + index) * visitors
                group.addTask { (scenario, try await scenario.run(start..<(start + visitors), until: end, baseURL)) }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    /// Ends the process if the exchanges don't end, because a loop that hangs has no timeouts.
    private static func watch(_ seconds: Int) {
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: Double(seconds) * 1.2 + 180)
            print("error: exchanges don't end")
            exit(1)
        }
    }

    private static func kib(_ usage: Usage) -> String {
        usage.allocatedBytes > 0 ? "\(usage.allocatedBytes / 1024) KiB" : "not measured"
    }
}
