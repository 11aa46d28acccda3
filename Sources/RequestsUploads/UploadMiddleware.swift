import Requests
import RequestsClient

/// Turns the request of a call into the requests of an upload.
struct UploadMiddleware: Middleware {
    let configuration: Client.Configuration
    let state: URL?
    let progress: UploadProgress?

    func intercept(
        _ request: PreparedRequest,
        context: CallContext,
        next: @escaping Next
    ) async throws -> Response<ResponseBody> {
        let requests = UploadRequests(request, context.options, progress)
        guard state == nil || request.body.fingerprint != nil else {
            let advice = "Use a body in memory or from one file, without trailers, or no state"
            throw requests.failure("can't be continued by a later program. \(advice)")
        }
        guard let length = request.body.divisibleLength, length > 0 else {
            return try await next(requests.observed(request))
        }
        var upload = try Upload(requests, length: length, self, context, next)
        do {
            let response = try await upload.run()
            upload.state?.leave(isOver: true)
            return response
        } catch {
            upload.state?.leave(isOver: upload.isOver)
            throw error
        }
    }
}

/// One upload in a call.
private struct Upload {
    /// What became of a request.
    private enum Outcome {
        case response(Response<ResponseBody>)
        case failure(TransportError)
        /// An informational response ended the request.
        case stopped(UploadResumption.Step, ResponseHead)
    }

    private let requests: UploadRequests
    private let configuration: Client.Configuration
    private let context: CallContext
    private let next: Middleware.Next
    private let stamp: String?
    private var resumption: UploadResumption
    private(set) var state: UploadState?
    /// Whether no later program can continue the upload.
    private(set) var isOver = false

    init(
        _ requests: UploadRequests,
        length: Int64,
        _ middleware: UploadMiddleware,
        _ context: CallContext,
        _ next: @escaping Middleware.Next
    ) throws {
        (self.requests, self.context, self.next) = (requests, context, next)
        configuration = middleware.configuration
        stamp = requests.original.body.stamp
        if let file = middleware.state {
            do throws(UploadFault) {
                state = try UploadState(file, for: requests.original, length: length)
            } catch {
                throw requests.failure("can't use the state \(Redaction.quoted(file.path)), which \(error.reason)")
            }
        }
        resumption = UploadResumption(
            requests.original,
            length: length,
            resource: state?.resource,
            // An upload that was reserved survives from its first byte on, at the cost of two round trips.
            first: state == nil ? .creating : .asking
        )
    }

    /// Sends requests until there is the final response.
    mutating func run() async throws -> Response<ResponseBody> {
        while true {
            let stage = resumption.stage
            if stage == .sending { return try await next(requests.observed(requests.original)) }
            let outcome = try await exchange()
            let step = judge(outcome)
            try save()
            switch (step, outcome) {
            case (.deliver, .response(let response)): return requests.naming(response, of: resumption)
            case (.fail(let reason, let ending), _): throw await failure(reason, ending, after: outcome)
            case (.retry, _):
                guard try await waitToRetry(after: outcome) else { return try await giveUp(stage, after: outcome) }
            default: break
            }
        }
    }

    // MARK: Requests

    /// Sends the request of the current stage, and watches its informational responses.
    private mutating func exchange() async throws -> Outcome {
        guard requests.original.body.stamp == stamp else {
            throw requests.failure("can't be continued, because a file of the body has changed")
        }
        let (heads, feed) = AsyncStream.makeStream(of: ResponseHead.self)
        let request = requests.observed(try requests.request(for: resumption), from: resumption.offset) {
            feed.yield($0)
        }
        async let outcome = Upload.send(request, next, feed)
        for await head in heads {
            let step = resumption.receive(head)
            try save()
            // Leaving the function cancels the request.
            if let step { return .stopped(step, head) }
        }
        return try await outcome
    }

    private static func send(
        _ request: PreparedRequest,
        _ next: Middleware.Next,
        _ feed: AsyncStream<ResponseHead>.Continuation
    ) async throws -> Outcome {
        defer { feed.finish() }
        do {
            return .response(try await next(request))
        } catch let error as TransportError {
            return .failure(error)
        }
    }

    private mutating func judge(_ outcome: Outcome) -> UploadResumption.Step {
        switch outcome {
        case .response(let response): resumption.judge(response.head, redirects: response.history)
        case .failure: resumption.fail()
        case .stopped(let step, _): step
        }
    }

    private mutating func save() throws {
        guard let state, state.resource != resumption.resource else { return }
        do throws(UploadFault) {
            try self.state?.write(resumption.resource)
        } catch {
            throw requests.failure("has a state that \(error.reason)")
        }
    }

    // MARK: Failures

    /// Waits before the next request. Returns `false` if the retry policy allows none.
    private mutating func waitToRetry(after outcome: Outcome) async throws -> Bool {
        let (result, reason): (RetryPolicy.Outcome, String)
        switch outcome {
        case .response(let response): (result, reason) = (.response(response.head), "status \(response.statusCode)")
        case .failure(let error): (result, reason) = (.failure(error), error.code.rawValue)
        case .stopped: return false
        }
        let next = try requests.request(for: resumption)
        // Sending the rest repeats nothing, so it needs no policy.
        let policy = context.options.retries ?? (resumption.resource == nil ? .never : .exponential())
        let step = policy.step(
            after: result,
            to: next,
            retries: resumption.retries,
            date: configuration.date,
            random: configuration.random
        )
        guard case .retry(let delay) = step, configuration.mayRepeat(next, after: delay, remaining: context.remaining)
        else { return false }
        context.log(.retrying(after: delay, because: reason))
        try await context.clock.sleep(for: delay)
        resumption.countRetry()
        return true
    }

    /// Returns a response of the target, which is the user's. Throws for a failure, or a response about the upload.
    private func giveUp(
        _ stage: UploadResumption.Stage,
        after outcome: Outcome
    ) async throws -> Response<ResponseBody> {
        switch outcome {
        case .response(let response) where stage == .creating || stage == .reserving: return response
        case .response(let response):
            let error = ResponseError.status(response.head, try await response.content.collect(upTo: .max))
            let reason = "can't be continued, because the server responded with status \(response.statusCode)"
            throw requests.failure(reason, history: [response.head], error)
        case .failure(let error): throw error
        case .stopped(_, let head): throw requests.failure("was stopped", history: [head])
        }
    }

    /// Ends an upload that failed.
    private mutating func failure(
        _ reason: String,
        _ ending: UploadResumption.Ending,
        after outcome: Outcome
    ) async -> any Error {
        isOver = ending != .kept
        if ending == .canceled, let request = try? requests.cancellation(of: resumption) {
            _ = try? await next(request)
        }
        switch outcome {
        case .response(let response): return requests.failure(reason, history: [response.head])
        case .stopped(_, let head): return requests.failure(reason, history: [head])
        case .failure(let error): return requests.failure(reason, error)
        }
    }
}
