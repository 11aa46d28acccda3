import Requests

extension Client {
    /// Decides which responses a client accepts.
    ///
    /// ```swift
    /// configuration.validation = .status(200..<400)
    /// configuration.validation = Client.Validation { $0.header.contains("X-Version") }
    /// ```
    ///
    /// For a response that isn't accepted, a call throws `ResponseError.Code.status`.
    public struct Validation: Sendable {
        let accepts: @Sendable (ResponseHead) -> Bool

        /// Accepts the responses that satisfy a condition.
        public init(_ accepts: @escaping @Sendable (ResponseHead) -> Bool) {
            self.accepts = accepts
        }

        /// Accepts every response.
        public static let none = Validation { _ in true }

        /// Accepts the statuses 200 to 299.
        public static let success = Validation { $0.status.isSuccess }

        /// Accepts these statuses.
        public static func status(_ statuses: some Sequence<Int>) -> Validation {
            let statuses = Set(statuses)
            return Validation { statuses.contains($0.statusCode) }
        }
    }
}
