import Foundation

/// Runs the trials of an exchange in other processes. After a fault, another process continues behind it.
struct Supervisor {
    let exchange: Exchange
    let sample: Int

    func run(_ functions: [String], _ report: inout Report) throws {
        var rest = functions[...]
        var first = 1
        while !rest.isEmpty {
            guard let end = try runProcess(rest, from: first, &report) else { return }
            rest = rest.drop { $0 != end.function }
            first = end.position + 1
        }
    }

    /// - Returns: The trial that ended the process. `nil` if all were run.
    private func runProcess(
        _ functions: ArraySlice<String>,
        from first: Int,
        _ report: inout Report
    ) throws -> (function: String, position: Int)? {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["run", exchange.rawValue, "\(sample)", "\(first)"] + functions
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let lines = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            .split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1).map(String.init) }
        process.waitUntilExit()
        var trial: (function: String, position: Int)?
        for line in lines where line.count == 2 {
            switch line[0] {
            case "try":
                let words = line[1].split(separator: " ")
                trial = words.count == 2 ? (String(words[0]), Int(words[1]) ?? 0) : nil
            case "ok":
                if let trial, trial.position > 0 { report.note(line[1], exchange, trial.function) }
                trial = nil
            default:
                guard let trial else { break }
                report.noteFault(line[1], exchange, trial.function, trial.position)
                return trial.position > 0 ? trial : nil
            }
        }
        guard process.terminationStatus != 0, let trial else { return nil }
        report.noteFault("crashed (\(process.terminationStatus))", exchange, trial.function, trial.position)
        return trial.position > 0 ? trial : nil
    }
}
