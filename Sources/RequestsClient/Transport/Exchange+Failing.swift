import Requests

extension Exchange {
    /// Ends the exchange if its time is up.
    ///
    /// - Returns: When to check again.
    func checkDeadlines(at now: UInt64) -> UInt64? {
        let deadlines = state.withLock { $0.deadlines }
        guard let limit = deadlines.reached(at: now) else { return deadlines.next }
        let reason = TransportError.reason(limit, of: request.options.timeouts, total: context.deadline.total)
        end(.failure(failed(.timedOut(limit), reason)))
        return nil
    }

    /// Ends the exchange after the last byte of the response, or fails it if the response isn't complete.
    package func complete() {
        do {
            end(.success(try completeTrailers()))
        } catch {
            fail(error)
        }
    }

    private func completeTrailers() throws(TransportError) -> Header? {
        let (progress, trailers, isSent) = state.withLock { ($0.progress, $0.trailers, $0.isSent(request.body)) }
        guard progress.hasHead else { throw failed(.closed, "there was no response") }
        let missing = progress.missingBytes ?? 0
        guard missing == 0 else { throw failed(.truncated, "the response ended \(missing) bytes early") }
        // A library without a reader sends the body itself.
        guard reader == nil || isSent else {
            throw failed(.closed, "the server responded, but may not have received the whole request body")
        }
        guard trailers?.isWithinLimits != false else { throw failed(.tooLarge, Header.tooLarge) }
        return trailers
    }

    /// Ends the exchange with an error of the operation or the library.
    package func fail(_ error: any Error) { end(.failure(failure(for: error))) }

    func endForShutdown() { end(.failure(TransportError.shutdown(phase: phase(of: .shutdown)))) }

    /// Returns the error for the sender or the reader.
    private func failure(for error: any Error) -> any Error {
        let (sourceFailure, progress) = state.withLock { ($0.sourceFailure, $0.progress) }
        if let sourceFailure { return sourceFailure }
        if error is TransportError || error is RequestError || error is CancellationError { return error }
        let code = runner.code(error) ?? progress.codeOfClosure
        let type = String(describing: type(of: error))
        return failed(code, code.words.map { "\($0) (\(type))" } ?? type, underlying: error)
    }

    package func failed(
        _ code: TransportError.Code,
        _ reason: String,
        underlying: (any Error)? = nil
    ) -> TransportError {
        TransportError(code, of: request, reason, phase: phase(of: code), underlying: underlying)
    }

    /// Returns how far the exchange had come. If it isn't certain, the server may have acted on the request.
    func phase(of code: TransportError.Code) -> TransportError.Phase {
        switch code {
        case .nameNotResolved, .addressNotAllowed, .cannotConnect, .tlsUntrusted, .tlsFailed, .pinMismatch,
            .timedOut(.connect):
            .connecting
        case .truncated, .malformed, .decoding, .tooLarge: .receiving
        default: hasHead ? .receiving : .sending
        }
    }
}

extension TransportError.Code {
    /// The description of a library's error with this code. The library's own may contain secrets.
    fileprivate var words: String? {
        switch self {
        case .nameNotResolved: "the host's name has no address"
        case .cannotConnect: "no connection could be made"
        case .timedOut(.connect): "the connection was not made in time"
        case .tlsUntrusted: "the server's certificate isn't trusted"
        case .tlsFailed: "the TLS handshake failed"
        case .pinMismatch: "the server's public key isn't pinned"
        case .closed: "the connection was closed before the response began"
        case .truncated: "the response is incomplete"
        case .malformed: "the response isn't HTTP"
        case .decoding: "the body couldn't be decoded"
        case .tooLarge: "a part of the response is larger than its limit"
        case .proxy: "the proxy couldn't be used"
        default: nil
        }
    }
}

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
    package static func sourceFailed(_ error: any Error, of request: PreparedRequest, phase: Phase) -> TransportError {
        let reason = "the source of the body failed (\(Redaction.reason(error)))"
        return TransportError(.sourceFailed, of: request, reason, phase: phase, underlying: error)
    }
}
