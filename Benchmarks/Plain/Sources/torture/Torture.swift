import CFaults
import Foundation

/// Has each call of a C function that libcurl or the transport makes fail once, in every kind of exchange.
///
///     torture [SAMPLE [FUNCTION | EXCHANGE]...]
///
/// SAMPLE is how many calls of each function fail in each exchange, at most (default: all). Prints what came of it.
/// Fails if an exchange crashes, hangs, gets a wrong response, ends with an error of another type, leaves descriptors,
/// threads or memory of libcurl behind, or breaks the next exchange.
@main
struct Torture {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == "run" { return await Runner(arguments.dropFirst()).run() }
        let sample = arguments.first.flatMap { Int($0) }
        let names = Set(sample == nil ? arguments[...] : arguments.dropFirst())
        let functions = (0..<Int(faults_count())).map { String(cString: faults_name(Int32($0))) }
        let exchanges = Exchange.allCases.filter { $0.baseURL != nil }
        let unknown = names.subtracting(functions).subtracting(exchanges.map(\.rawValue))
        guard unknown.isEmpty else {
            print("error: there is no function or exchange \(unknown.sorted().joined(separator: ", "))")
            exit(2)
        }
        var report = Report()
        for exchange in names.chosen(from: exchanges, \.rawValue) {
            let chosen = names.chosen(from: functions, \.self).filter { !exchange.sparedFunctions.contains($0) }
            try Supervisor(exchange: exchange, sample: sample ?? .max).run(chosen, &report)
        }
        report.printSummary(functions)
        exit(report.isClean ? 0 : 1)
    }
}

extension Set<String> {
    /// Returns the items that are named here, or all if none is.
    fileprivate func chosen<Item>(from items: [Item], _ name: (Item) -> String) -> [Item] {
        let chosen = items.filter { contains(name($0)) }
        return chosen.isEmpty ? items : chosen
    }
}
