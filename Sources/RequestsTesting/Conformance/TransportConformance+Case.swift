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
            deadline: Duration = .seconds(120),
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

        /// Returns a copy with another deadline. Default: two minutes.
        ///
        /// The deadline only turns a hang into a failure. It is no measure of speed: leave room for a loaded machine.
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
}
