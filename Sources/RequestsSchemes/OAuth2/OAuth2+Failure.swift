import Requests

extension OAuth2 {
    /// The server's reason for not returning a token, found in `ResponseError.underlying`.
    ///
    /// Specification: RFC 6749 §5.2.
    public struct Failure: Error, Hashable, Decodable, Sendable {
        /// The error code, such as `invalid_grant`.
        public let code: String

        /// The server's explanation for developers. Omitted from ``description`` because it may quote credentials.
        public let explanation: String?

        /// Creates a failure, for example for a test.
        public init(code: String, explanation: String? = nil) {
            self.code = code
            self.explanation = explanation
        }

        /// Decodes a failure. An explanation that isn't a string is ignored.
        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            code = try members.decode(String.self, forKey: .code)
            explanation = members.readable(String.self, forKey: .explanation)
        }

        private enum CodingKeys: String, CodingKey {
            case code = "error"
            case explanation = "error_description"
        }
    }
}

extension OAuth2.Failure: RedactedError {
    /// The error code.
    public var description: String { Redaction.escaped(code) }
}
