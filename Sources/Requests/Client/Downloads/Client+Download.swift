import Foundation

extension Client {
    /// Sends a request and writes the body to a file, which appears there when all of it has come.
    ///
    /// Until then it is beside its place, in a hidden file of that name, or one made of it, that ends in `.partial`. With `resume` that
    /// stays when the download fails, and the next one of the same URL goes on from there, if the server still has the
    /// same version. A server that sends a part of what is missing is asked for the rest. So that a part can be
    /// continued, no content coding is asked for with `resume`; a file that comes in one all the same is asked for once
    /// more as without it: it is the same then, and no part of it stays.
    /// Where the body breaks off it is asked for again as the policy for retries says; with `resume`, for the rest of it.
    /// All of it is one call: with one total timeout, and over when the file is in its place.
    ///
    /// Of several downloads to the same place at the same time, the last to end is there. With `resume` there is one at
    /// a time: the others fail before anything is sent.
    ///
    /// - Parameters:
    ///   - request: The request. Its decoder is not used, but for what it reads of failures (``Request/errors(as:)``).
    ///   - file: Where the file is to be. One that is there is replaced. The directory has to exist.
    ///   - resume: Whether a part of the file is kept for the next time, and used; `false` by default.
    ///   - progress: Is told, as the body comes, how many bytes there are, those of an earlier time included, and how
    ///     many there will be, where the server says so.
    /// - Returns: The response, with the file.
    /// - Throws: As ``send(_:)``; ``ClientError/Code/downloadFailed`` where the file cannot be written, or a part was not
    ///   asked for or is longer or shorter than it says, or another download with `resume` is writing it, or the request
    ///   asks for a part, or the file came in a coding that was not asked for, of a request that cannot be made twice.
    ///
    /// Specification: RFC 9110 §13.1.5, §14.
    @discardableResult
    public func download<R: RequestConvertible>(
        _ request: R,
        to file: URL,
        resume: Bool = false,
        progress: (@Sendable (_ received: Int64, _ total: Int64?) -> Void)? = nil
    ) async throws -> Response<URL> {
        let place = state.enter()
        defer { state.leave(place) }
        var download = Download(to: file, isResumable: resume, progress: progress)
        var journal: CallJournal?
        do {
            let response = try await complete(&download, of: request, &journal)
            let metrics = response.content.metrics ?? response.metrics
            journal?.succeeded(response.head, receivedBytes: download.receivedBytes, metrics: metrics)
            return Response(head: response.head, content: file, history: response.history, metrics: metrics)
        } catch {
            download.fail()
            report(error, of: request, journal)
            throw error
        }
    }

    /// Asks for the file, and for the rest of it, until it is in its place: all of that is one call.
    ///
    /// - Returns: The last response.
    private func complete(
        _ download: inout Download,
        of request: some RequestConvertible,
        _ journal: inout CallJournal?
    ) async throws -> Response<ResponseBody> {
        var deadline: CallDeadline?
        let attempts = EarlierAttempts()
        while true {
            var asked: PreparedRequest?
            let response = try await open(
                request,
                within: deadline,
                after: attempts,
                changing: { prepared in
                    try download.prepare(&prepared)
                    asked = prepared
                    if deadline == nil, let total = prepared.options.timeouts.total {
                        deadline = CallDeadline(total, on: configuration.clock)
                    }
                },
                &journal
            )
            do {
                if download.cannotContinue(with: response) {
                    response.content.cancel()
                    download.startAnew()
                } else if try await write(
                    response,
                    of: asked?.url ?? response.head.url,
                    &download,
                    readingFailuresBy: request.responseDecoder.rules
                ) {
                    return response
                }
            } catch {
                response.content.cancel()
                // What else goes wrong with a response is no reason to ask for it again.
                guard download.isReceiving, error is TransportError, let asked,
                    let delay = delay(before: asked, after: error, attempts.value.retries, deadline)
                else { throw error }
                journal?.retries(after: delay, .failure(error))
                try await configuration.clock.sleep(for: delay)
                attempts.value = EarlierAttempts.Value(retries: attempts.value.retries + 1, mayHaveActed: true)
            }
        }
    }

    /// How long to wait before a body that broke off is asked for again; `nil` where it is not.
    private func delay(
        before request: PreparedRequest,
        after error: any Error,
        _ retries: Int,
        _ deadline: CallDeadline?
    ) -> Duration? {
        let policy = request.options.retries ?? configuration.retries
        let step = policy.step(
            after: .failure(error),
            to: request,
            retries: retries,
            random: configuration.random,
            now: configuration.date
        )
        guard case .retry(let delay) = step, deadline?.allows(delay) ?? true else { return nil }
        return delay
    }

    /// Writing blocks: it runs beside the caller's actor, not on it.
    ///
    /// - Returns: Whether the file is in its place; otherwise there may be more of it.
    @concurrent
    private func write(
        _ response: Response<ResponseBody>,
        of url: RequestURL,
        _ download: inout Download,
        readingFailuresBy rules: DecodingRules?
    ) async throws -> Bool {
        if download.isWhole(after: response.head) {
            response.content.cancel()
        } else {
            guard try configuration.validation(download.judged(response.head)) else {
                throw try await response.refusal(upTo: configuration.maximumBodyBytes, readBy: rules)
            }
            guard try await download.write(response, of: url) else { return false }
        }
        try download.finish(response.head)
        return true
    }
}
