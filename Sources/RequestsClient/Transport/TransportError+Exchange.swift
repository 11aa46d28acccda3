import Requests

extension TransportError {
    /// Creates an error whose message starts with the method and the URL, with secrets redacted.
    package init(
        _ code: Code,
        of request: PreparedRequest,
        _ reason: String,
        phase: Phase,
        underlying: (any Error)? = nil
    ) {
        let message = "\(request.method) \(request.url): \(reason)"
        self.init(code: code, message: message, phase: phase, underlying: underlying)
    }

    /// Returns the error for a request body whose source failed.
    package static func sourceFailed(
        _ error: any Error,
        of request: PreparedRequest,
        phase: Phase
    ) -> TransportError {
        let reason = "the source of the body failed (\(Redaction.reason(error)))"
        return TransportError(.sourceFailed, of: request, reason, phase: phase, underlying: error)
    }
}
