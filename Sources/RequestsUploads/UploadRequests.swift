import Requests
import RequestsClient

/// Makes the requests of an upload from the user's request.
struct UploadRequests {
    let original: PreparedRequest
    private let options: CallOptions
    private let settings: UploadSettings
    /// The URL that a backend has created.
    var resource: RequestURL? { settings.resource }

    init(_ original: PreparedRequest, _ options: CallOptions, _ settings: UploadSettings) {
        (self.original, self.options, self.settings) = (original, options, settings)
    }

    /// - Parameter part: The bytes of the part to append.
    /// - Throws: `ClientError` if the upload resource is at an origin that may not get the body.
    func request(for resumption: UploadResumption, part: RequestBody) throws(ClientError) -> PreparedRequest {
        switch resumption.stage {
        case .sending: return withoutRetries(original)
        case .asking: return question(resumption.form)
        case .creating: return creation(resumption, isComplete: true)
        case .reserving: return creation(resumption, isComplete: false)
        case .retrieving: return following(.head, try moved(to: resumption), resumption.form)
        case .appending(let range):
            return try append(part, from: range.lowerBound, isLast: range.upperBound == resumption.length, resumption)
        case .replaying: return try append(.data(Data()), from: resumption.offset, isLast: true, resumption)
        }
    }

    func cancellation(of resumption: UploadResumption) throws(ClientError) -> PreparedRequest {
        following(.delete, try moved(to: resumption), resumption.form)
    }

    /// Returns a request that isn't repeated by its call, because what follows depends on the upload resource.
    private func withoutRetries(_ request: PreparedRequest) -> PreparedRequest {
        var request = request
        request.options.retries = .never
        return request
    }

    // MARK: The target

    /// Asks for the protocol. A server of tus demands no version here.
    private func question(_ form: UploadProtocol) -> PreparedRequest {
        following(.options, original, form.isTus ? .automatic : form.form == .automatic ? .newestDraft : form)
    }

    private func creation(_ resumption: UploadResumption, isComplete: Bool) -> PreparedRequest {
        var request = withoutRetries(original)
        let form = resumption.form
        form.create(&request.header, isComplete: isComplete, length: resumption.length)
        if form.isTus {
            request.header.remove(.contentType)
            if isComplete { request.header.set(form.partType) }
            if !settings.metadata.isEmpty {
                request.header.set(Field(name: "Upload-Metadata", value: settings.metadata.fieldValue))
            }
        }
        if !isComplete {
            request.body = .data(Data())
            for name in [Field.Name.contentLength, "Content-Digest", "Content-MD5", "Expect"] {
                request.header.remove(name)
            }
        }
        return request
    }

    // MARK: The upload resource

    /// Returns the request at the upload resource, without credentials if that is another origin.
    private func moved(to resumption: UploadResumption) throws(ClientError) -> PreparedRequest {
        guard var resource = resumption.resource else { throw failure("has no upload resource") }
        // The URL allows anyone to change the upload, so it isn't shown.
        resource.hideValues(of: [RequestURL.wholeTarget])
        let policy = options.redirects ?? .follow()
        var request = original
        let isNamed = resource == settings.resource
        let mayBeSent = request.move(to: resource, sendsBody: isNamed || policy.sendsBodyToOtherOrigins)
        guard policy.allowsDowngrade || resource.isSecure || !original.url.isSecure else {
            let message = "continues at \(resource.origin), which isn't encrypted"
            throw failure(message + ". Allow it with .follow(allowsDowngrade: true)", code: .refusedDowngrade)
        }
        guard mayBeSent else {
            let message = "continues at another origin, \(resource.origin), which doesn't get the request's body"
            throw failure(message + ". Allow it with .follow(sendsBodyToOtherOrigins: true)", code: .crossOriginBody)
        }
        return request
    }

    private func append(
        _ part: RequestBody,
        from offset: Int64,
        isLast: Bool,
        _ resumption: UploadResumption
    ) throws(ClientError) -> PreparedRequest {
        let form = resumption.form
        var request = following(.patch, try moved(to: resumption), form)
        request.body = part.made(from: original.body)
        form.append(&request.header, from: offset, isLast: isLast)
        if form.isTus, isLast, original.body.length == nil, let length = resumption.length {
            request.header.set(Field(name: .uploadLength, value: "\(length)"))
        }
        if let checksum = checksum(for: resumption), case .data(let data) = part.source, !data.isEmpty {
            request.header.set(Field(name: "Upload-Checksum", value: checksum.fieldValue(for: data)))
        }
        return request
    }

    /// The algorithm for the parts. `nil` without a part size, because the server would discard the whole body if its
    /// connection broke.
    func checksum(for resumption: UploadResumption) -> UploadSupport.Checksum? {
        settings.partSize == nil ? nil : resumption.checksum
    }

    /// Returns a request about the upload, which has neither the body nor the fields that belong to the creation, and
    /// which no cache answers.
    private func following(
        _ method: HTTPMethod,
        _ request: PreparedRequest,
        _ form: UploadProtocol
    ) -> PreparedRequest {
        var request = withoutRetries(request)
        (request.method, request.body) = (method, .none)
        request.header = Header(request.header.filter { !$0.name.belongsToCreation })
        form.identify(&request.header)
        if form.overridesMethod, method == .patch || method == .delete {
            request.header.set(Field(name: "X-HTTP-Method-Override", value: method.rawValue))
            request.method = .post
        }
        request.header.set(.cacheControl(.noStore))
        request.options.cachePolicy = .reloadIgnoringLocalAndRemoteCacheData
        request.options.isIdempotent = false
        return request
    }

    // MARK: Events and results

    /// Returns the request with an observer that reports progress and informational responses.
    ///
    /// - Parameter offset: The number of bytes before the request's body.
    func observed(
        _ request: PreparedRequest,
        from offset: Int64 = 0,
        informational: (@Sendable (ResponseHead) -> Void)? = nil
    ) -> PreparedRequest {
        let (own, length) = (original.options.observer ?? options.observer, original.body.length)
        let progress = settings.progress
        var request = request
        request.options.observer = { event in
            switch event {
            case .sent(let bytes, _): progress?.update(offset + bytes, of: length)
            case .requestSent, .ended: progress?.finish()
            case .informational(let head): informational?(head)
            default: break
            }
            own?(event)
        }
        return request
    }

    /// Returns a response that the upload resource sent for the target, under the target's URL if it is of that origin.
    /// With tus, the URL of the response is what the upload has created.
    func naming(_ response: Response<ResponseBody>, of resumption: UploadResumption) -> Response<ResponseBody> {
        guard var url = resumption.resource else { return response }
        var response = response
        if resumption.form.isTus {
            url.hideValues(of: [RequestURL.wholeTarget])
            response.head.url = url
        } else if response.head.url == url, url.hasOrigin(of: original.url) {
            response.head.url = original.url
        }
        return response
    }

    /// - Parameter reason: The rest of a sentence about the file, without its period.
    func failure(ofState path: String, _ reason: String) -> ClientError {
        failure("can't use the state \(Redaction.quoted(path)), which \(reason)")
    }

    /// The error for a response to the upload resource's requests, which isn't the target's.
    func refusal(_ head: ResponseHead, _ data: Data) -> ClientError {
        let reason = "can't be continued, because the server responded with status \(head.statusCode)"
        return failure(reason, history: [head], ResponseError.status(head, data))
    }

    /// - Parameter reason: The rest of a sentence about the upload, without its period.
    func failure(
        _ reason: String,
        code: ClientError.Code = .uploadFailed,
        history: [ResponseHead] = [],
        _ underlying: (any Error)? = nil
    ) -> ClientError {
        let message = "The upload to \(original.url) \(reason)."
        return ClientError(code: code, message: message, history: history, underlying: underlying)
    }
}

/// The progress of an upload, which only grows, although bytes may be sent again.
final class UploadProgress: Sendable {
    private let reporter: ProgressReporter
    private let most = Locked<Int64>(0)

    init(_ reporter: ProgressReporter) { self.reporter = reporter }

    func update(_ bytes: Int64, of total: Int64?) {
        let hasGrown = most.withLock { most in
            defer { most = max(most, bytes) }
            return bytes > most
        }
        if hasGrown { reporter.update(bytes, of: total) }
    }

    func finish() { reporter.finish() }
}
