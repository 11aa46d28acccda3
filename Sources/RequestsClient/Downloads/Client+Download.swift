import Foundation
import Requests

extension Client {
    /// Sends a request and writes the body to a file, which appears when it is complete.
    ///
    /// Until then the bytes are in a hidden file next to it, whose name ends in `.partial`. With `resume`, a failed
    /// download leaves this file, and the next download of the same URL continues it if the server still has the same
    /// version. If the body breaks off, the request is repeated under the retry policy; with `resume` only the missing
    /// part is requested. The whole download is one call with one total timeout.
    ///
    /// Requests with `resume` ask for no content encoding. If the server uses one anyway, the download restarts without
    /// `resume`.
    ///
    /// If several downloads to the same file run at the same time, the last one to finish wins. With `resume`, only one
    /// is possible; the others fail before anything is sent.
    ///
    /// - Parameters:
    ///   - request: The request. Its decoder only reads failures (`Request.errors(as:)`).
    ///   - file: The file, which is replaced if it exists. Its directory must exist.
    ///   - resume: Whether a partial file is kept and continued. Default: `false`.
    ///   - progress: Receives the number of bytes so far, including those of earlier downloads, and the total if it is
    ///     known.
    /// - Returns: The response, with the file.
    /// - Throws: The errors of ``send(_:)-(R)``, and `ClientError.Code.downloadFailed` if the file can't be written,
    ///   the server sends a wrong part, another download with `resume` is running, or the request has a `Range` field.
    ///
    /// Specification: RFC 9110 §13.1.5, §14.
    @discardableResult
    public func download<R: RequestConvertible>(
        _ request: R,
        to file: URL,
        resume: Bool = false,
        progress: (@Sendable (_ received: Int64, _ total: Int64?) -> Void)? = nil
    ) async throws -> Response<URL> {
        try await download(Definition(request), Download(to: file, isResumable: resume, progress: progress))
    }

    /// Sends a built request and writes the body to a file, as ``download(_:to:resume:progress:)-(R,_,_,_)``.
    @discardableResult
    public func download(
        _ request: PreparedRequest,
        to file: URL,
        resume: Bool = false,
        progress: (@Sendable (_ received: Int64, _ total: Int64?) -> Void)? = nil
    ) async throws -> Response<URL> {
        try await download(request, Download(to: file, isResumable: resume, progress: progress))
    }

    private func download(_ input: some CallInput, _ start: Download) async throws -> Response<URL> {
        try await perform(input) { outgoing, logger in
            var download = start
            do {
                let response = try await complete(
                    &download,
                    outgoing,
                    validation(of: outgoing, input.decoder.rules),
                    logger
                )
                let metrics = response.content.metrics ?? response.metrics
                logger?.succeeded(response.head, receivedBytes: download.receivedBytes, metrics: metrics)
                return Response(
                    head: response.head,
                    content: download.file,
                    history: response.history,
                    metrics: metrics
                )
            } catch {
                download.fail()
                throw error
            }
        }
    }

    /// Requests the file, and the rest of it, until it is complete.
    ///
    /// - Returns: The last response.
    private func complete(
        _ download: inout Download,
        _ outgoing: Outgoing,
        _ validation: ResponseValidation,
        _ logger: CallLogger?
    ) async throws -> Response<ResponseBody> {
        let attempts = AttemptHistory()
        var call = Call(outgoing, configuration, logger: logger, collectsBody: false, attempts: attempts)
        while true {
            var request = outgoing.request
            try download.prepare(&request)
            let response = try await exchange(request, call)
            call.hasBegun = true
            do {
                if download.cannotContinue(with: response) {
                    response.content.cancel()
                    download.restart()
                } else if try await write(response, of: request.url, &download, validation) {
                    return response
                }
            } catch {
                response.content.cancel()
                // Only a body that breaks off is a reason to repeat the request.
                guard download.isReceiving, error is TransportError,
                    let delay = delay(before: request, after: error, attempts.value.retries, call)
                else { throw error }
                logger?.retries(after: delay, .failure(error))
                try await configuration.clock.sleep(for: delay)
                attempts.value = AttemptHistory.Value(retries: attempts.value.retries + 1, mayHaveBeenProcessed: true)
            }
        }
    }

    /// Returns the time to wait before a body that broke off is requested again. `nil` if it isn't.
    private func delay(
        before request: PreparedRequest,
        after error: any Error,
        _ retries: Int,
        _ call: Call
    ) -> Duration? {
        let step = call.retries.step(
            after: .failure(error),
            to: request,
            retries: retries,
            random: configuration.random,
            now: configuration.date
        )
        guard case .retry(let delay) = step, call.deadline?.allows(delay) ?? true else { return nil }
        return delay
    }

    /// Writes the body, away from the caller's actor because writing blocks.
    ///
    /// - Returns: Whether the file is complete.
    @concurrent
    private func write(
        _ response: Response<ResponseBody>,
        of url: RequestURL,
        _ download: inout Download,
        _ validation: ResponseValidation
    ) async throws -> Bool {
        if download.isComplete(after: response.head) {
            response.content.cancel()
        } else {
            guard try configuration.validation(download.validated(response.head)) else {
                throw try await response.rejection(by: validation)
            }
            guard try await download.write(response, of: url) else { return false }
        }
        try download.finish(response.head)
        return true
    }
}
