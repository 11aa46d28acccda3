import CFaults
import Foundation

/// Runs the trials of one exchange in a process that may crash, and prints each result in a line.
///
///     torture run EXCHANGE SAMPLE FIRST FUNCTION...
///
/// FIRST is the first position of the first function. The lines are `try FUNCTION POSITION` and then `ok OUTCOME` or
/// `fault REASON`.
struct Runner {
    private let exchange: Exchange
    private let sample: Int
    private let first: Int
    private let functions: [Int]

    init(_ arguments: ArraySlice<String>) {
        let arguments = Array(arguments)
        guard arguments.count > 3, let exchange = Exchange(rawValue: arguments[0]), let sample = Int(arguments[1]),
            let first = Int(arguments[2])
        else { exit(2) }
        self.exchange = exchange
        self.sample = sample
        self.first = first
        functions = (0..<Int(faults_count())).filter { function in
            arguments.dropFirst(3).contains(String(cString: faults_name(Int32(function))))
        }
    }

    func run() async {
        guard faults_initialize() else { exit(2) }
        for library in exchange.sparedLibraries { faults_spare(library) }
        Watchdog.start()
        // Fills caches of the process and its libraries.
        for _ in 0..<2 { await perform(Trial.Call(function: 0, position: 0), nil) }
        try? await Task.sleep(for: .milliseconds(100))
        let resources = Resources()
        for function in functions {
            let isFirst = function == functions.first
            await perform(Trial.Call(function: function, position: 0), resources)
            for position in positions(upTo: faults_disarm()) where !isFirst || position >= first {
                await perform(Trial.Call(function: function, position: position), resources)
            }
        }
        // Without the handlers of libraries, which count on their memory.
        _exit(0)
    }

    private func perform(_ call: Trial.Call, _ resources: Resources?) async {
        Runner.say("try \(String(cString: faults_name(Int32(call.function)))) \(call.position)")
        Watchdog.reset()
        do {
            Runner.say("ok \(try await Trial(exchange: exchange, call: call).run(resources))")
        } catch {
            Runner.say("fault \(error)")
            // What is left behind would count for the next trial, too.
            _exit(1)
        }
    }

    /// The positions to try: all, or the same sample each time.
    private func positions(upTo count: Int) -> [Int] {
        guard count > sample else { return count > 0 ? Array(1...count) : [] }
        return (0..<sample).map { 1 + $0 * count / sample }
    }

    static func say(_ line: String) {
        // Nothing may be lost in a buffer when the process crashes.
        FileHandle.standardOutput.write(Data("\(line.replacing("\n", with: " "))\n".utf8))
    }
}
