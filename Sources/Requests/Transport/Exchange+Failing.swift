extension Exchange {
    /// - Returns: When to look again.
    func checkDeadlines(at now: UInt64) -> UInt64? {
        let deadlines = state.withLock { $0.deadlines }
        guard let limit = deadlines.reached(at: now) else { return deadlines.next }
        end(.failure(failed(.timedOut(limit), TransportError.reason(limit, of: request.options.timeouts))))
        return nil
    }

    func endForShutDown() {
        end(.failure(TransportError.shutDown(phase: phase(of: .shutDown))))
    }

    /// What the sender or the reader is to learn of an error of the operation's.
    func failure(for error: any Error, code: TransportError.Code?) -> any Error {
        let (sourceFailure, hasHead) = state.withLock { ($0.sourceFailure, $0.progress.hasHead) }
        if let sourceFailure { return sourceFailure }
        if error is TransportError || error is RequestError || error is CancellationError { return error }
        let code = code ?? (hasHead ? .truncated : .closed)
        let type = String(describing: type(of: error))
        return failed(code, code.words.map { "\($0) (\(type))" } ?? type, underlying: error)
    }

    func failed(
        _ code: TransportError.Code,
        _ reason: String,
        underlying: (any Error)? = nil
    ) -> TransportError {
        TransportError(code, of: request, reason, phase: phase(of: code), underlying: underlying)
    }

    /// When in doubt, the server may have acted on the request.
    func phase(of code: TransportError.Code) -> TransportError.Phase {
        switch code {
        case .nameNotResolved, .cannotConnect, .tlsUntrusted, .tlsFailed, .pinMismatch, .timedOut(.connect):
            .connecting
        default: hasHead ? .receiving : .sending
        }
    }
}

extension TransportError.Code {
    /// What a library's error of this code is in words; its own may hold secrets.
    fileprivate var words: String? {
        switch self {
        case .nameNotResolved: "the host's name has no address"
        case .cannotConnect: "no connection could be made"
        case .timedOut(.connect): "no connection stood in time"
        case .tlsUntrusted: "the server's certificate is not trusted"
        case .tlsFailed: "TLS failed for another reason than trust"
        case .pinMismatch: "the server's public key is not one of the pinned ones"
        case .closed: "the connection was closed before the response began"
        case .truncated: "the response was cut short"
        case .malformed: "the response is not HTTP"
        case .decoding: "the body could not be decoded from its content coding"
        case .tooLarge: "a part of the response is larger than the limit for it"
        case .proxy: "the proxy could not be used"
        default: nil
        }
    }
}
