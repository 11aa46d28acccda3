import Requests
import RequestsClient

/// The arguments of an upload.
struct UploadSettings: Sendable {
    /// The URL that a backend has created.
    var resource: RequestURL?
    var form: UploadProtocol
    var metadata: UploadMetadata
    var partSize: Int64?
    var state: UploadState?
    var progress: UploadProgress?
}

/// Turns the request of a call into the requests of an upload.
struct UploadMiddleware: Middleware {
    let settings: UploadSettings

    func intercept(
        _ request: PreparedRequest,
        context: CallContext,
        next: @escaping Next
    ) async throws -> Response<ResponseBody> {
        let requests = UploadRequests(request, context.options, settings)
        try validate(requests)
        let stored = try settings.state?.open(requests)
        defer { settings.state?.close(isOver: false) }
        let length = request.body.divisibleLength
        let isDivided = settings.partSize != nil && !request.body.isNone && request.body.trailers == nil
        let resource = stored?.resource ?? settings.resource
        var form = stored?.form.with(settingsOf: settings.form) ?? settings.form
        // Backends create URLs of tus.
        if resource != nil, form.form == .automatic { form = .tus.with(settingsOf: form) }
        guard length ?? 0 > 0 || isDivided || length == 0 && form.accepts(.tus) || form.isTus else {
            settings.state?.close(isOver: true)
            return try await next(requests.observed(request))
        }
        guard length != nil || isDivided else {
            throw requests.failure("has a body that can't be sent in parts. Set a part size")
        }
        // An upload that was reserved survives from its first byte on, at the cost of two round trips.
        let isReserved = settings.state != nil || isDivided
        var plan = UploadResumption.Plan(length: length ?? request.body.length, first: .asking)
        (plan.partSize, plan.isDivisible, plan.isReserved) = (settings.partSize, length != nil, isReserved)
        if settings.resource != nil {
            plan.first = nil
        } else if !form.isTus, form.form != .automatic, !isReserved {
            plan.first = .creating
        }
        let resumption = UploadResumption(request, plan, form: form, resource: resource)
        var upload = Upload(requests, resumption, stored: stored?.resource, settings.state, context, next)
        defer { settings.state?.close(isOver: upload.isOver) }
        return try await upload.run()
    }

    private func validate(_ requests: UploadRequests) throws(ClientError) {
        if !settings.form.isKnown { throw requests.failure("can't use \(settings.form). Use version 3, 5, 6 or 8") }
        if let size = settings.partSize, size <= 0 { throw requests.failure("can't have parts of \(size) bytes") }
        if let key = settings.metadata.invalidKey {
            let advice = "Use each key once, in ASCII, without spaces and commas"
            throw requests.failure("can't have the metadata key \(Redaction.quoted(key)). \(advice)")
        }
    }
}

/// One upload in a call.
private struct Upload {
    private let requests: UploadRequests
    private var resumption: UploadResumption
    private let state: UploadState?
    private let context: CallContext
    private let next: Middleware.Next
    private let stamp: String?
    private var parts: UploadParts
    /// The upload resource in the state.
    private var stored: RequestURL?
    /// Whether no later program can continue the upload.
    private(set) var isOver = false

    init(
        _ requests: UploadRequests,
        _ resumption: UploadResumption,
        stored: RequestURL?,
        _ state: UploadState?,
        _ context: CallContext,
        _ next: @escaping Middleware.Next
    ) {
        (self.requests, self.resumption, self.stored, self.state) = (requests, resumption, stored, state)
        (self.context, self.next) = (context, next)
        (stamp, parts) = (requests.original.body.stamp, UploadParts(requests.original.body))
    }

    /// Sends requests until there is the final response.
    mutating func run() async throws -> Response<ResponseBody> {
        let target = requests.original.url
        if resumption.stage == .asking, let known = context.fact(about: target) as? UploadSupport {
            if case .fail(let reason, _) = resumption.begin(known) { throw requests.failure(reason) }
        }
        var logged: UploadProtocol?
        while true {
            let stage = resumption.stage
            if stage != .asking, stage != .sending, logged != resumption.form {
                logged = resumption.form
                context.log(.message("the upload uses the protocol \(resumption.form)"))
            }
            let (step, outcome, response) = try await exchange()
            try save()
            switch (step, outcome) {
            case (.proceed, _): continue
            case (.retry(let hasCause), _) where try await waitToRetry(after: outcome, hasCause): continue
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
        let part = try await part()
        let (heads, feed) = AsyncStream.makeStream(of: ResponseHead.self)
        let (offset, next, stage) = (resumption.offset, next, resumption.stage)
        let plain = try requests.request(for: resumption, part: part)
        let request = requests.observed(plain, from: offset) { feed.yield($0) }
        async let result = Upload.send(request, next, feed)
        for await head in heads {
            let step = resumption.receive(head)
            try save()
            // Leaving the function cancels the request.
            if let step { return (step, .response(head), nil) }
        }
        switch try await result {
        case .success(let response):
            if stage == .asking { remember(UploadSupport(response.head, to: resumption.form), response.head) }
            return (resumption.judge(response.head, redirects: response.history), .response(response.head), response)
        case .failure(let error): return (resumption.fail(), .failure(error), nil)
        }
    }

    /// Returns the bytes that the current stage appends.
    private mutating func part() async throws -> RequestBody {
        guard case .appending(let range) = resumption.stage else { return .none }
        guard let (body, end) = try await parts.part(range) else {
            throw requests.failure("can't be continued, because the server lacks bytes that can't be read again")
        }
        if let end, end < range.lowerBound {
            throw requests.failure("has \(end) bytes, but the server says that it has \(range.lowerBound)")
        }
        if let end, resumption.length == nil { resumption.end(at: end) }
        guard requests.checksum(for: resumption) != nil else { return body }
        return .data(try await body.collect(upTo: Int(clamping: range.upperBound - range.lowerBound)))
    }

    /// Remembers what a server says about its support, for later uploads to the same URL.
    private func remember(_ support: UploadSupport, _ head: ResponseHead) {
        let target = requests.original.url
        guard support.isLasting, head.url.hasOrigin(of: target) else { return }
        context.remember(support, about: target)
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
        try state?.write(resumption.resource.map { ($0, resumption.form) }, requests)
        stored = resumption.resource
    }

    // MARK: Failures

    /// Waits before the next request. Returns `false` if the retry policy allows none.
    private mutating func waitToRetry(after outcome: RetryPolicy.Outcome, _ hasCause: Bool) async throws -> Bool {
        // Sending the rest repeats nothing, so it needs no policy.
        var policy = context.options.retries ?? (resumption.resource == nil ? .never : .exponential())
        if case .response(let head) = outcome {
            if hasCause { policy.statuses.insert(head.statusCode) }
            if !policy.mayRetry(head.statusCode) { return false }
        }
        let request = try requests.request(for: resumption, part: .none)
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
