import Foundation

extension Client {
    /// Sends a request and writes the body to a file, which appears there when all of it has come.
    ///
    /// Until then it is beside its place, in a hidden file of the same name that ends in `.partial`. With `resume` that
    /// stays when the download fails, and the next one of the same URL goes on from there, if the server still has the
    /// same version. A server that sends a part of what is missing is asked for the rest.
    ///
    /// Of several downloads to the same place at the same time, the last to end is there. With `resume` there is one at
    /// a time: the others fail before anything is sent.
    ///
    /// - Parameters:
    ///   - request: The request. Its decoder is not used.
    ///   - file: Where the file is to be. One that is there is replaced. The directory has to exist.
    ///   - resume: Whether a part of the file is kept for the next time, and used; `false` by default.
    ///   - progress: Is told, as the body comes, how many bytes there are, those of an earlier time included, and how
    ///     many there will be, where the server says so.
    /// - Returns: The response, with the file.
    /// - Throws: As ``send(_:)``; ``ClientError/Code/downloadFailed`` where the file cannot be written, or a part does
    ///   not fit to what is there, or another download with `resume` is writing it.
    ///
    /// Specification: RFC 9110 §13.1.5, §14.
    @discardableResult
    public func download<R: RequestConvertible>(
        _ request: R,
        to file: URL,
        resume: Bool = false,
        progress: (@Sendable (_ received: Int64, _ total: Int64?) -> Void)? = nil
    ) async throws -> Response<URL> {
        var download = Download(to: file, isResumable: resume, progress: progress)
        while true {
            var url: RequestURL?
            let response: Response<ResponseBody>
            do {
                response = try await stream(request) { url = try download.prepare(&$0) }
            } catch {
                download.fail()
                throw error
            }
            do {
                if download.cannotContinue(with: response) {
                    response.content.cancel()
                    download.startAnew()
                } else if try await write(response, of: url ?? response.head.url, download) {
                    return Response(
                        head: response.head,
                        content: file,
                        history: response.history,
                        metrics: response.content.metrics ?? response.metrics
                    )
                }
            } catch {
                response.content.cancel()
                download.fail()
                throw error
            }
        }
    }

    /// Writing blocks: it runs beside the caller's actor, not on it.
    ///
    /// - Returns: Whether the file is in its place; otherwise there may be more of it.
    @concurrent
    private func write(
        _ response: Response<ResponseBody>,
        of url: RequestURL,
        _ download: Download
    ) async throws -> Bool {
        if download.isWhole(after: response.head) {
            response.content.cancel()
        } else {
            guard configuration.validation(response.head) else {
                let data = try await response.content.collect(upTo: configuration.maximumBodyBytes)
                throw ResponseError.status(response.head, data)
            }
            guard try await download.write(response, of: url) else { return false }
        }
        try download.finish(response.head)
        return true
    }
}
