import Requests
import RequestsTesting

extension TransportConformance {
    /// A requirement for transports, with a function that checks it.
    public struct Case: Sendable, CustomStringConvertible {
        /// The name of the case.
        public let name: String

        /// The requirement as a sentence.
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

        /// Returns the case with a reason for excluding it from a run: `.trailers("reason")`.
        public func callAsFunction(_ reason: String) -> Case {
            var copy = self
            copy.exclusionReason = reason
            return copy
        }

        /// Returns a copy with another deadline for the whole case. Without this method, it is two minutes.
        ///
        /// The deadline only turns a hang into a failure and doesn't measure speed, so leave room for a loaded machine.
        public func ending(within deadline: Duration) -> Case {
            var copy = self
            copy.deadline = deadline
            return copy
        }

        /// The name and the requirement.
        public var description: String { "\(name): \(claim)" }

        /// All cases, in the order in which they run.
        public static let all: [Case] =
            framing + heads + bodies + encodings + uploads + earlyResponses + sources + cancellation + timeouts
            + connections + isolation + options + capabilities + observation + tls + http2 + hostileHTTP2
    }
}
