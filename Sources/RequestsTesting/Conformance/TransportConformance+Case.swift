import Foundation
import Requests

extension TransportConformance {
    /// One thing that a transport must do.
    public struct Case: Sendable, CustomStringConvertible {
        /// The case's name.
        public let name: String

        /// What the transport must do, as a sentence.
        public let claim: String

        private(set) var deadline: Duration
        let body: @Sendable (Context) async throws -> Void
        private(set) var exclusionReason: String?

        init(
            _ name: String,
            _ claim: String,
            deadline: Duration = .seconds(10),
            body: @escaping @Sendable (Context) async throws -> Void
        ) {
            self.name = name
            self.claim = claim
            self.deadline = deadline
            self.body = body
        }

        /// The case with the reason why it is left out: `.trailers("reason")`.
        public func callAsFunction(_ reason: String) -> Case {
            var copy = self
            copy.exclusionReason = reason
            return copy
        }

        /// The case with another limit for its time.
        public func ending(within deadline: Duration) -> Case {
            var copy = self
            copy.deadline = deadline
            return copy
        }

        /// Name and claim.
        public var description: String { "\(name): \(claim)" }

        /// All cases.
        public static let all: [Case] =
            framing + heads + bodies + codings + uploads + sources + cancellation + timeouts + connections + isolation
            + options
            + tls
    }

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
    }
}
