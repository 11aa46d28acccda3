import Requests

extension TransportError.Code {
    /// A stub or a cassette has no reply to the request. It is a mistake of the test, and is never tried again.
    public static let unmatched = TransportError.Code(rawValue: "unmatched")
}

extension TransportError {
    static func unmatched(_ message: String) -> TransportError {
        TransportError(code: .unmatched, message: message, phase: .preparing)
    }
}
