import Foundation

extension Client {
    /// Sends a request and writes the body to a file, which appears there when all of it has come.
    ///
    /// Until then it is beside its place, in a hidden file of the same name that ends in `.partial`. With `resume` that
    /// stays when the download fails, and the next one goes on from there, if the server still has the same version.
    ///
    /// - Parameters:
    ///   - request: The request. Its decoder is not used.
    ///   - file: Where the file is to be. One that is there is replaced. The directory has to exist.
    ///   - resume: Whether a part of the file is kept for the next time, and used; `false` by default.
    ///   - progress: Is told, as the body comes, how many bytes there are, those of an earlier time included, and how
    ///     many there will be, where the server says so.
    /// - Returns: The response, with the file.
    /// - Throws: As ``send(_:)``; ``ClientError/Code/downloadFailed`` where the file cannot be written, or a part does
    ///   not fit to what is there.
    ///
    /// Specification: RFC 9110 §13.1.5, §14.
    @discardableResult
    public func download<R: RequestConvertible>(
        _ request: R,
        to file: URL,
        resume: Bool = false,
        progress: (@Sendable (_ received: Int64, _ total: Int64?) -> Void)? = nil
    ) async throws -> Response<URL> {
        let download = Download(to: file, isResumable: resume, progress: progress)
        let response = try await stream(request, changing: download.prepare)
        // All of it came the last time, or it has become another file.
        if download.start != nil, response.head.statusCode == 416, !download.isWhole(after: response.head) {
            response.content.cancel()
            download.partial.remove()
            return try await self.download(request, to: file, resume: resume, progress: progress)
        }
        do {
            try await write(response, download)
        } catch {
            response.content.cancel()
            if !resume { download.partial.remove() }
            throw error
        }
        return Response(
            head: response.head,
            content: file,
            history: response.history,
            metrics: response.content.metrics ?? response.metrics
        )
    }

    /// Writing blocks: it runs beside the caller's actor, not on it.
    @concurrent
    private func write(_ response: Response<ResponseBody>, _ download: Download) async throws {
        if download.isWhole(after: response.head) {
            response.content.cancel()
        } else {
            guard configuration.validation(response.head) else {
                let data = try await response.content.collect(upTo: configuration.maximumBodyBytes)
                throw ResponseError.status(response.head, data)
            }
            try await download.write(response)
        }
        try download.writing(response.head) { try download.partial.finish() }
    }
}
