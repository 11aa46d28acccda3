import Requests
import RequestsClient

extension Client {
    /// Sends a request whose body continues after a broken connection, if the server supports it, and decodes the
    /// response.
    ///
    /// ```swift
    /// let response = try await client.upload(api.post(.file(photo), to: "/photos"))
    /// ```
    ///
    /// The body must be in memory or come from files, and have no trailers. A body of another kind needs a part size,
    /// and each part is kept in memory until the server has it. With any other body, and with a server that supports
    /// none of the protocols, this is the same as `response(for:progress:)`.
    ///
    /// After a broken connection, the client asks for the number of bytes that the server has, and sends the rest. The
    /// request's `retries` limit how often that happens without progress. Default: `.exponential()`, because nothing is
    /// repeated. The whole upload is one call with one total timeout.
    ///
    /// The server chooses the URL that receives the rest. If it is at another origin, it gets neither the client's
    /// credentials nor the request's sensitive fields, and the body only if the request's `redirects` allow that.
    ///
    /// With `state`, the upload survives the program: if the call fails, a later call with the same request continues
    /// it. The file contains the URL that receives the rest, which is a secret, and no credentials. It is removed when
    /// the upload ends.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - resource: The URL of an upload that a backend has created, which gets the body. Nothing is sent to the
    ///     request's URL then, but another origin than its own gets no credentials. Default: `nil`, which creates an
    ///     upload.
    ///   - protocol: The protocol. Default: the one that the server announces, or tus for an upload that a backend has
    ///     created.
    ///   - metadata: Describes the file, for a tus server. Default: none.
    ///   - partSize: The number of bytes of each part but the last. Some servers demand a certain size. Default: `nil`,
    ///     for one part, unless the server limits its size.
    ///   - state: A file for the state of the upload, whose folder must exist. Only one upload at a time can use it.
    ///     Default: `nil`, so that the upload ends with the call.
    ///   - progress: Receives the number of bytes so far, which only grows, and the total, at most every
    ///     `Client.Configuration.progressInterval`. Default: `nil`.
    /// - Throws: The errors of `send(_:progress:)`, and `ClientError.Code.uploadFailed` if the upload can't be
    ///   continued, or the state can't be used or belongs to another request or body.
    ///
    /// Specification: tus 1.0.0, and draft-ietf-httpbis-resumable-upload, interop versions 3, 5, 6 and 8.
    public func upload<R: PreparableRequest>(
        _ request: R,
        continuing resource: URL? = nil,
        protocol: UploadProtocol = .automatic,
        metadata: UploadMetadata = [:],
        partSize: Int64? = nil,
        state: URL? = nil,
        progress: (@Sendable (_ sent: Int64, _ total: Int64?) -> Void)? = nil
    ) async throws -> Response<R.Resource> {
        let state = state.map { UploadState($0) }
        defer { state?.end() }
        var settings = UploadSettings(form: `protocol`, metadata: metadata, partSize: partSize, state: state)
        settings.resource = try resource.map { try RequestURL($0.absoluteString) }
        settings.progress = progress.map { UploadProgress(ProgressReporter($0, configuration)) }
        return try await response(for: request, through: UploadMiddleware(settings: settings))
    }
}

extension ClientError.Code {
    /// An upload can't be continued, or its state can't be used.
    public static let uploadFailed = Self(rawValue: "uploadFailed")
}
