import Requests

extension Client {
    /// Sends a request and returns the response with any status and the body as it arrives.
    ///
    /// The request's decoder and the client's ``Configuration/validation`` aren't used, except by
    /// `Response.validated()`.
    ///
    /// - Throws: The same errors as ``send(_:progress:)``.
    public func stream(_ request: some PreparableRequest) async throws -> Response<ResponseBody> {
        try await runner.stream(request)
    }
}

extension Response<ResponseBody> {
    /// Returns the response if its status is accepted, with the body still unread.
    ///
    /// ```swift
    /// let log = try await client.stream(api.get(.none, from: "/log")).validated()
    /// ```
    ///
    /// Accepts the same responses as ``Client/send(_:progress:)``. A response that doesn't come from a client is
    /// accepted if its status is 200 to 299. Errors thrown here don't reach ``Client/Configuration/onFailure``.
    ///
    /// - Throws: `ResponseError.Code.status`, or an error of collecting the body.
    public func validated() async throws -> Response {
        let validation = validation?.value ?? ResponseValidation()
        guard !validation.accepts(head) else { return self }
        throw try await rejection(by: validation)
    }

    /// Collects the body of a response that isn't accepted, and reads the description of the failure.
    @concurrent
    func rejection(by validation: ResponseValidation) async throws -> ResponseError {
        validation.rejection(of: head, try await content.collect(upTo: validation.maximumBodyBytes))
    }
}
