extension TransportError {
    /// An error of an exchange, which names method and URL, secrets hidden.
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

    /// The error for a request whose body cannot be read.
    package static func sourceFailed(
        _ error: any Error,
        of request: PreparedRequest,
        phase: Phase
    ) -> TransportError {
        let reason = "the source of the body failed (\(Redaction.reason(error)))"
        return TransportError(.sourceFailed, of: request, reason, phase: phase, underlying: error)
    }
}
