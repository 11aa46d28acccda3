/// A download: a file that arrives in one response or in several parts.
extension CallMachine {
    /// The response is the final one, or one of several parts.
    mutating func receiveFile(
        _ head: ResponseHead,
        isAccepted: Bool,
        _ environment: some CallEnvironment
    ) -> Action {
        var file = resumption ?? Resumption(canResume: false)
        let verdict = file.judge(head, isDecoded: isDecoded, isAccepted: isAccepted, now: { environment.date })
        resumption = file
        switch verdict {
        case .receive: return receive(.file)
        case .refuse: return receive(.end(maximumBytes: settings.maximumBodyBytes))
        case .fault(let reason): return end(with: ClientError.brokenFile(head.url, reason, history: [head]))
        case .restart(let canResume, let reason):
            // The server may have acted on the request.
            guard mayBeRepeated else {
                let advice = "\(reason). Download it without resume"
                return end(with: ClientError.brokenFile(head.url, advice, history: [head]))
            }
            resumption?.restart(canResume: canResume)
            mayHaveBeenProcessed = true
            state = .discarding(.attempt)
            return discard(before: .zero, environment)
        }
    }

    /// A response has ended as it had announced.
    mutating func receivedPart(_ bytes: Int64, _ environment: inout some CallEnvironment) -> Action {
        switch resumption?.finish(bytes) {
        case nil, .complete?: return deliver()
        case .fault(let reason)?: return end(with: ClientError.brokenFile(outgoing.url, reason))
        case .part(let isSmall)?:
            guard mayBeRepeated else {
                return end(
                    with: ClientError.brokenFile(outgoing.url, "is a part, and the request can't be repeated")
                )
            }
            mayHaveBeenProcessed = true
            // A part of any size that ends too late isn't the reason why the file is incomplete.
            if let late = late(settings.remaining(in: environment)) { return end(with: late) }
            guard isSmall else { return begin(&environment) }
            let error = TransportError(
                code: .truncated,
                message: "\(outgoing.url) sends parts of less than 64 KiB; download the file without resume",
                phase: .receiving
            )
            return retry(after: .failure(error), &environment) ?? end(with: error)
        }
    }

    private var mayBeRepeated: Bool { request.isRepeatable && request.body.isReplayable }
}

extension ClientError {
    /// - Parameter reason: The rest of a sentence about the file, without its period.
    fileprivate static func brokenFile(
        _ url: RequestURL,
        _ reason: String,
        history: [ResponseHead] = []
    ) -> ClientError {
        ClientError(code: .downloadFailed, message: "The file of \(url) \(reason).", history: history)
    }
}
