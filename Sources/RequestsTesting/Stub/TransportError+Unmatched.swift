import Requests

extension TransportError.Code {
    /// A stub or a cassette has no response to the request. This is a mistake in the test, so the client never retries.
    public static let unmatched = TransportError.Code(rawValue: "unmatched")
}

extension TransportError {
    static func unmatched(_ message: String) -> TransportError {
        TransportError(code: .unmatched, message: message, phase: .preparing)
    }
}
