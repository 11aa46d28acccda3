import Requests

/// What a call is for. Until the call has that, a failure may be retried. Afterwards the caller gets it.
enum Goal: Sendable {
    /// The head. The caller reads the body.
    case head
    /// The body in memory.
    case body
    /// The first element of the body of a successful response. The body that the caller reads starts with it.
    case firstElement(StreamElements)
    /// The body in a file, if the head is accepted.
    case file(any CallFile, accepts: @Sendable (ResponseHead) -> Bool)
}

/// The file of a call that downloads one.
protocol CallFile: AnyObject, Sendable {
    /// The number of bytes of the current response.
    var partBytes: Int64 { get }

    /// The finished file as a body, for middleware.
    var body: ResponseBody { get }

    /// The part that a request continues. `nil` if it starts at the beginning.
    func resumption() -> DownloadResumption?

    /// Writes the body of a response, away from the caller's actor because writing blocks.
    ///
    /// - Returns: The number of bytes.
    @concurrent
    func receive(_ body: ResponseBody, _ head: ResponseHead, _ resumption: DownloadResumption) async throws -> Int64
}

/// The way to a call's ``Goal``: what its requests ask for, and how far their responses are read.
struct Delivery {
    /// What the call does next.
    enum Step {
        /// Sends the request again.
        case again
        case deliver(Response<ResponseBody>)
    }

    private let plan: CallPlan
    /// The received part of a file. `nil` for other goals.
    private var part: DownloadResumption?

    init(_ plan: CallPlan) {
        self.plan = plan
        if case .file(let file, _) = plan.goal { part = file.resumption() ?? DownloadResumption(canResume: false) }
    }

    /// Sets the fields that ask for the missing part of a file.
    func prepare(_ request: inout PreparedRequest) { part?.prepare(&request) }

    /// Whether an outdated response is better than a failure. A file needs the current one.
    var acceptsStaleResponses: Bool { part == nil }

    /// Whether another attempt can help. If a file can't be written now, a retry can't write it either.
    func mayRetry(after error: any Error) -> Bool { part == nil || error is TransportError }

    /// Reads a final response as far as the goal needs it.
    ///
    /// - Parameters:
    ///   - request: The request that is sent again if something is missing.
    ///   - history: The responses before this one.
    mutating func receive(
        _ response: Response<ResponseBody>,
        to request: PreparedRequest,
        after history: [ResponseHead]
    ) async throws -> Step {
        switch plan.goal {
        case .head: return .deliver(response)
        case .firstElement(let elements) where response.head.status.isSuccess:
            // Without elements, only the caller knows what to do with the body.
            guard elements.applies(to: response.head) else { return .deliver(response) }
            var peeked = response
            peeked.content = try await PeekedSource.peek(response.content, until: elements, response.head)
            return .deliver(peeked)
        case .body, .firstElement: return try await collect(response, to: request)
        case .file(let file, let accepts):
            return try await receive(response, in: file, accepts, to: request, after: history)
        }
    }

    private func collect(_ response: Response<ResponseBody>, to request: PreparedRequest) async throws -> Step {
        let maximumBytes = plan.policies.maximumBodyBytes
        if response.content.isInMemory(upTo: maximumBytes) { return .deliver(response) }
        let data = try await response.collect(upTo: maximumBytes, of: request.method)
        return .deliver(response.replacingBody(with: ResponseBody(data)))
    }

    // MARK: Files

    private mutating func receive(
        _ response: Response<ResponseBody>,
        in file: any CallFile,
        _ accepts: (ResponseHead) -> Bool,
        to request: PreparedRequest,
        after history: [ResponseHead]
    ) async throws -> Step {
        guard var part else { return .deliver(response) }
        defer { self.part = part }
        let head = response.head
        func broken(_ reason: String, _ history: [ResponseHead]) -> ClientError {
            ClientError(code: .downloadFailed, message: "The file of \(head.url) \(reason).", history: history)
        }
        /// The server may have acted on the request.
        func checkRepeatable(_ reason: String, _ history: [ResponseHead]) throws {
            guard request.isRepeatable, request.body.isReplayable else { throw broken(reason, history) }
        }
        let isAccepted = accepts(part.whole(head))
        let now = plan.runner.configuration.date
        switch part.judge(
            head,
            to: request.method,
            isDecoded: response.content.isDecoded,
            isAccepted: isAccepted,
            now: now
        ) {
        case .receive: break
        case .refuse: return try await collect(response, to: request)
        case .fault(let reason): throw broken(reason, history + [head])
        case .restart(let canResume, let reason):
            try checkRepeatable("\(reason). Download it without resume", history + [head])
            part.restart(canResume: canResume)
            return .again
        }
        let bytes: Int64
        do {
            bytes = try await file.receive(response.content, head, part)
        } catch {
            part.append(file.partBytes)
            throw error
        }
        switch part.finish(bytes) {
        case .complete: return .deliver(response.replacingBody(with: file.body))
        case .fault(let reason): throw broken(reason, history)
        case .part(let isSmall):
            try checkRepeatable("arrived only in part, and its request can't be repeated", history)
            // If the time is over, the error says so, whatever the size of the part.
            try plan.state.deadline.check(before: request)
            guard isSmall else { return .again }
            throw TransportError(
                code: .truncated,
                message: "\(head.url) sends parts of less than 64 KiB; download the file without resume",
                phase: .receiving
            )
        }
    }
}

extension Response<ResponseBody> {
    /// Returns the response with a body that was made from its own, and the measurements of both.
    fileprivate func replacingBody(with body: ResponseBody) -> Response {
        var replaced = self
        replaced.boxedMetrics = finalMetrics
        replaced.content = body
        return replaced
    }
}
