import Requests
import RequestsSystem

extension TransportConformance {
    /// The outcomes of a run. Also the error if a case fails.
    public struct Report: Error, Sendable, CustomStringConvertible {
        /// The outcome of a case.
        public enum Outcome: Sendable, Equatable {
            /// The transport met the requirement.
            case passed
            /// The transport didn't meet the requirement, for this reason.
            case failed(String)
            /// The case was excluded, for this reason.
            case excluded(String)
            /// The case doesn't apply to this transport or machine, for this reason.
            case inapplicable(String)
        }

        /// The outcomes, in the order of the cases.
        public private(set) var outcomes: [(case: Case, outcome: Outcome)] = []

        /// The cases that failed.
        public var failures: [(case: Case, reason: String)] {
            outcomes.compactMap { entry in
                if case .failed(let reason) = entry.outcome { (entry.case, reason) } else { nil }
            }
        }

        var hasFailures: Bool { !failures.isEmpty }

        /// One line for each reason why cases were excluded or don't apply, with the cases' names, or their number if
        /// there are over 20.
        var exceptions: [String] {
            var names: [String: [String]] = [:]
            var lines: [(start: String, reason: String)] = []
            for (aCase, outcome) in outcomes {
                let line: (start: String, reason: String)
                switch outcome {
                case .excluded(let reason): line = ("excluded: ", reason)
                case .inapplicable(let reason): line = ("not applicable: ", reason)
                case .passed, .failed: continue
                }
                if names[line.start + line.reason] == nil { lines.append(line) }
                names[line.start + line.reason, default: []].append(aCase.name)
            }
            return lines.map { line in
                let names = names[line.start + line.reason] ?? []
                return line.start + (names.count > 20 ? "\(names.count) cases" : names.joined(separator: ", "))
                    + ": " + line.reason
            }
        }

        mutating func add(_ aCase: Case, _ outcome: Outcome) {
            outcomes.append((aCase, outcome))
        }

        /// The number of passed cases, followed by each failed case with its reason.
        public var description: String {
            let passed = outcomes.count { $0.outcome == .passed }
            let lines = failures.map { "\n  \($0.case)\n      \($0.reason)" }
            return "\(passed) of \(outcomes.count) cases passed\(lines.joined())"
        }

        /// Appends the results to a file, which can collect the results of several transports.
        ///
        /// Each line has four parts, separated by tabs: the transport, the case, the outcome (`passed`, `failed`,
        /// `excluded` or `inapplicable`), and the reason.
        ///
        /// - Parameters:
        ///   - file: The file. It is created if it doesn't exist.
        ///   - transport: The name of the transport in the file.
        /// - Throws: `POSIXError` if the file can't be written.
        public func append(to file: URL, as transport: String) throws {
            let lines = outcomes.map { "\(transport)\t\($0.case.name)\t\($0.outcome.line)\n" }.joined()
            try OpenFile(file.path, O_WRONLY | O_CREAT | O_APPEND, mode: 0o644).write(Data(lines.utf8))
        }
    }
}

extension TransportConformance.Report.Outcome {
    fileprivate var line: String {
        let (word, reason) =
            switch self {
            case .passed: ("passed", "")
            case .failed(let reason): ("failed", reason)
            case .excluded(let reason): ("excluded", reason)
            case .inapplicable(let reason): ("inapplicable", reason)
            }
        return "\(word)\t\(reason.replacing(/[\t\r\n]+/, with: " "))"
    }
}
