import CAllocations
import Foundation
import Requests

/// Compares building a request by hand and with this library, in one run, interleaved.
///
///     building [ROUNDS]
///     building GET|POST WAY COUNT
///
/// The second form runs only one of the listed ways, counted from 0, for a profiler.
@main
struct Building {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 3 else { return compare(rounds: arguments.first.flatMap { Int($0) } ?? 15) }
        let numbers = arguments.compactMap { Int($0) }
        guard let ways = Ways.all.first(where: { $0.title == arguments.first })?.ways, numbers.count == 2,
            ways.indices.contains(numbers[0])
        else { return print("building [ROUNDS] | building GET|POST WAY COUNT") }
        for _ in 0..<numbers[1] { ways[numbers[0]].run() }
    }

    private static func compare(rounds: Int) {
        for (title, ways) in Ways.all {
            var times = ways.map { _ in [Double]() }
            for _ in 0..<rounds {
                for (index, way) in ways.enumerated() { times[index].append(nanoseconds(of: way)) }
            }
            let medians = times.map { $0.sorted()[$0.count / 2] }
            print("\(title), median of \(rounds) rounds")
            for (index, way) in ways.enumerated() {
                let ratio = String(format: "%.3f", medians[index] / medians[0])
                let time = String(format: "%8.0f ns", medians[index])
                print("  \(time)  \(ratio) × by hand  \(allocations(of: way)) allocations  \(way.name)")
            }
        }
    }

    private static func nanoseconds(of way: Way) -> Double {
        let count = 20_000
        let start = ContinuousClock.now
        for _ in 0..<count { way.run() }
        return (ContinuousClock.now - start) / .nanoseconds(count)
    }

    private static func allocations(of way: Way) -> Int {
        way.run()
        let before = allocations_of_thread()
        for _ in 0..<100 { way.run() }
        return Int(allocations_of_thread() - before) / 100
    }
}

/// One way to build a request.
struct Way: Sendable {
    let name: String
    let run: @Sendable () -> Void

    init(_ name: String, _ body: @escaping @Sendable () throws -> some Any) {
        self.name = name
        // A way that throws would be fast, but meaningless.
        run = { do { blackHole(try body()) } catch { fatalError("\(name): \(error)") } }
    }
}

/// Keeps the optimizer from removing unused results.
@inline(never)
private func blackHole(_ value: borrowing some Any) {}
