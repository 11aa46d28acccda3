import Foundation

/// What came of the trials.
struct Report {
    private struct Cell: Hashable {
        let exchange: Exchange
        let function: String
    }

    /// How often each outcome occurred. An error counts by its code.
    private var outcomes: [Cell: [String: Int]] = [:]
    private var messages: [String: Int] = [:]
    private var faults: [String] = []

    var isClean: Bool { faults.isEmpty && !outcomes.isEmpty }

    /// - Parameter outcome: `succeeded`, `not reached`, or `failed: CODE: MESSAGE`.
    mutating func note(_ outcome: String, _ exchange: Exchange, _ function: String) {
        let parts = outcome.split(separator: ": ", maxSplits: 2)
        let key = parts.first == "failed" && parts.count > 1 ? String(parts[1]) : outcome
        outcomes[Cell(exchange: exchange, function: function), default: [:]][key, default: 0] += 1
        messages["\(function): \(outcome)", default: 0] += 1
    }

    mutating func noteFault(_ reason: String, _ exchange: Exchange, _ function: String, _ position: Int) {
        faults.append("\(exchange), call \(position) of \(function): \(reason)")
        print("error: \(faults.last ?? "")")
    }

    func printSummary(_ functions: [String]) {
        print("| function | exchange | failing calls | outcomes |\n|---|---|---|---|")
        for function in functions {
            for exchange in Exchange.allCases {
                guard let counts = outcomes[Cell(exchange: exchange, function: function)] else { continue }
                let list = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
                print("| \(function) | \(exchange) | \(counts.values.reduce(0, +)) | \(list.joined(separator: ", ")) |")
            }
        }
        if ProcessInfo.processInfo.environment["TORTURE_MESSAGES"] != nil {
            for (message, count) in messages.sorted(by: { $0.key < $1.key }) { print("\(count) \(message)") }
        }
        let count = outcomes.values.reduce(0) { $0 + $1.values.reduce(0, +) }
        print(faults.isEmpty ? "\(count) failing calls: no crash, hang, leak or wrong body" : "\(faults.count) faults:")
        for fault in faults { print("error: \(fault)") }
    }
}
