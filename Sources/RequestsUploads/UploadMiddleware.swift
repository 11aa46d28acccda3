import Requests
import RequestsClient

/// Turns the request of a call into the requests of an upload.
struct UploadMiddleware: Middleware {
    let state: UploadState?
    let progress: UploadProgress?

    func intercept(
        _ request: PreparedRequest,
        context: CallContext,
        next: @escaping Next
    ) async throws -> Response<ResponseBody> {
        let requests = UploadRequests(request, context.options, progress)
        let resource = try state?.open(requests)
        guard let length = request.body.divisibleLength, length > 0 else {
            state?.close(isOver: true)
            return try await next(requests.observed(request))
        }
        // An upload that was reserved survives from its first byte on, at the cost of two round trips.
        let first: UploadResumption.Stage = state == nil ? .creating : .asking
        let resumption = UploadResumption(request, length: length, resource: resource, first: first)
        var upload = Upload(requests, resumption, self, context, next)
        defer { state?.close(isOver: upload.isOver) }
        return try await upload.run()
    }
}

/// One upload in a call.
private struct Upload {
    private let requests: UploadRequests
    private var resumption: UploadResumption
    private let middleware: UploadMiddleware
    private let context: CallContext
    private let next: Middleware.Next
    private let stamp: String?
    /// The upload resource in the state.
    private var stored: RequestURL?
    /// Whether no later program can continue the upload.
    private(set) var isOver = false

    init(
        _ requests: UploadRequests,
        _ resumption: UploadResumption,
        _ middleware: UploadMiddleware,
        _ context: CallContext,
        _ next: @escaping Middleware.Next
    ) {
        (self.requests, self.resumption, self.middleware) = (requests, resumption, middleware)
        (self.context, self.next) = (context, next)
        (stamp, stored) = (requests.original.body.stamp, resumption.resource)
    }

    /// Sends requests until there is the final response.
    mutating func run() async throws -> Response<ResponseBody> {
        while true {
            let stage = resumption.stage
            let (step, outcome, response) = try await exchange()
            try save()
            switch (step, outcome) {
            case (.proceed, _): continue
            case (.retry, _) where try await waitToRetry(after: outcome): continue
            case (.fail(let reason, let ending), .response(let head)):
                throw await failure(reason, ending, after: head)
            case (_, .failure(let error)): throw error
            case (_, .response(let head)):
                guard let response else { continue }
                guard step == .deliver || stage.isCreation else {
                    throw requests.refusal(head, try await response.content.collect(upTo: .max))
                }
                isOver = true
                return requests.naming(response, of: resumption)
            }
        }
    }

    // MARK: Requests

    /// Sends the request of the current stage, and watches its informational responses.
    ///
    /// - Returns: The next step, and what it follows. There is no response if an informational one ended the request.
    private mutating func exchange() async throws -> (
        UploadResumption.Step, RetryPolicy.Outcome, Response<ResponseBody>?
    ) {
        guard requests.original.body.stamp == stamp else {
            throw requests.failure("can't be continued, because a file of the body has changed")
        }
        let (heads, feed) = AsyncStream.makeStream(of: ResponseHead.self)
        let (offset, next) = (resumption.offset, next)
        let request = requests.observed(try requests.request(for: resumption), from: offset) { feed.yield($0) }
        async let result = Upload.send(request, next, feed)
        for await head in heads {
            let step = resumption.receive(head)
            try save()
            // Leaving the function cancels the request.
            if let step { return (step, .response(head), nil) }
        }
        switch try await result {
        case .success(let response):
            return (resumption.judge(response.head, redirects: response.history), .response(response.head), response)
        case .failure(let error): return (resumption.fail(), .failure(error), nil)
        }
    }

    private static func send(
        _ request: PreparedRequest,
        _ next: Middleware.Next,
        _ feed: AsyncStream<ResponseHead>.Continuation
    ) async throws -> Result<Response<ResponseBody>, TransportError> {
        defer { feed.finish() }
        do {
            return .success(try await next(request))
        } catch let error as TransportError {
            return .failure(error)
        }
    }

    private mutating func save() throws {
        guard stored != resumption.resource else { return }
        try middleware.state?.write(resumption.resource, requests)
        stored = resumption.resource
    }

    // MARK: Failures

    /// Waits before the next request. Returns `false` if the retry policy allows none.
    private mutating func waitToRetry(after outcome: RetryPolicy.Outcome) async throws -> Bool {
        // Sending the rest repeats nothing, so it needs no policy.
        let policy = context.options.retries ?? (resumption.resource == nil ? .never : .exponential())
        if case .response(let head) = outcome, !policy.mayRetry(head.statusCode) { return false }
        let request = try requests.request(for: resumption)
        let isRetried = try await context.retry(request, after: outcome, policy, retries: resumption.retries)
        if isRetried { resumption.countRetry() }
        return isRetried
    }

    /// Ends an upload that failed.
    private mutating func failure(
        _ reason: String,
        _ ending: UploadResumption.Ending,
        after head: ResponseHead
    ) async -> any Error {
        isOver = ending != .kept
        if ending == .canceled, let request = try? requests.cancellation(of: resumption) {
            _ = try? await next(request)
        }
        return requests.failure(reason, history: [head])
    }
}
