import Foundation
import Requests

extension TransportConformance {
    /// What came out of a run.
    public struct Report: Error, Sendable, CustomStringConvertible {
        /// What came out of a case.
        public enum Outcome: Sendable, Equatable {
            /// It held.
            case passed
            /// It did not, and why.
            case failed(String)
            /// It was left out, and why.
            case excluded(String)
            /// It cannot be run with this transport, or on this machine, and why.
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

        mutating func add(_ aCase: Case, _ outcome: Outcome) {
            outcomes.append((aCase, outcome))
        }

        /// How many cases held, and each that did not with its reason.
        public var description: String {
            let passed = outcomes.count { $0.outcome == .passed }
            let lines = failures.map { "\n  \($0.case)\n      \($0.reason)" }
            return "\(passed) of \(outcomes.count) cases passed\(lines.joined())"
        }

        /// Appends the outcomes to a file, so that those of several transports make a table.
        ///
        /// A line has the transport, the case, `passed`, `failed`, `excluded` or `inapplicable`, and the reason, with tabs
        /// between them.
        ///
        /// - Parameters:
        ///   - file: The file; it is made where there is none.
        ///   - transport: What the transport is called in it.
        /// - Throws: The error of Foundation where the file cannot be written.
        public func append(to file: URL, as transport: String) throws {
            let lines = outcomes.map { "\(transport)\t\($0.case.name)\t\($0.outcome.line)\n" }.joined()
            if !FileManager.default.fileExists(atPath: file.path) { try Data().write(to: file) }
            let handle = try FileHandle(forWritingTo: file)
            try handle.seekToEnd()
            try handle.write(contentsOf: Data(lines.utf8))
            try handle.close()
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
