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
    ///   - request: The request. Its decoder only reads failures (`Request.decodingErrors(as:)`).
    ///   - file: The file, which is replaced if it exists. Its directory must exist.
    ///   - resume: Whether a partial file is kept and continued. Default: `false`.
    ///   - progress: Receives the number of bytes so far, including the bytes of earlier downloads, and the total if it
    ///     is known, at most every ``Configuration/progressInterval``.
    /// - Returns: The response, with the file.
    /// - Throws: The errors of ``send(_:progress:)``, and `ClientError.Code.downloadFailed` if the file can't be
    ///   written, the server sends a wrong part, another download with `resume` is running, or the request has a
    ///   `Range` field.
    ///
    /// Specification: RFC 9110 §13.1.5, §14.
    @discardableResult
    public func download(
        _ request: some PreparableRequest,
        to file: URL,
        resume: Bool = false,
        progress: (@Sendable (_ received: Int64, _ total: Int64?) -> Void)? = nil
    ) async throws -> Response<URL> {
        var plan = try runner.plan(request)
        let validation = runner.validation(of: plan, request.responseDecoder.rules)
        let progress = progress.map { ProgressReporter($0, runner.configuration) }
        let download: Download
        do {
            download = try Download(plan.request, to: file, canResume: resume, progress: progress)
        } catch {
            runner.report(error, of: plan)
            throw error
        }
        plan = plan.aiming(at: .file(download) { validation.accepts($0) })
        do {
            let response = try await runner.run(plan) { response in
                guard response.content.isFinishedFile || validation.accepts(response.head) else {
                    throw try await response.rejection(by: validation)
                }
                try await download.save(response)
                return response.replacingReadBody(with: download.file)
            }
            plan.logger?.succeeded(response.head, receivedBytes: download.receivedBytes, metrics: response.metrics)
            return response
        } catch {
            download.leave()
            throw error
        }
    }
}
