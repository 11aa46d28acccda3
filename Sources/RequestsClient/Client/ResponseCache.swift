import Requests

/// Answers requests from stored responses, for ``Client/Configuration/cache``.
///
/// It sees a request after cookies and before authentication, so that it needs no credentials for a stored response.
public protocol ResponseCache: Sendable {
    /// Responds with a stored response, or sends the request on and stores the response.
    ///
    /// - Parameters:
    ///   - request: The request, without the credentials of its authentication provider.
    ///   - context: The call that the request belongs to.
    ///   - next: Authenticates a request and sends it.
    func response(
        to request: PreparedRequest,
        context: CallContext,
        next: @escaping Middleware.Next
    ) async throws -> Response<ResponseBody>

    /// Returns a stored response that may be used because no retry is left. `nil` if there is none.
    ///
    /// - Parameters:
    ///   - request: The request, as for ``response(to:context:next:)``.
    ///   - failure: The last response or error.
    ///   - context: The call that the request belongs to.
    func response(
        to request: PreparedRequest,
        after failure: RetryPolicy.Outcome,
        context: CallContext
    ) async -> Response<ResponseBody>?
}

/// What was sent in an attempt, for its cache.
package final class SentRequest: Sendable {
    /// The last request after authentication, and whose credentials it has.
    package let authenticated = Locked<(request: PreparedRequest, identity: String?)?>(nil)
    /// The requests that the transport got for it. Middleware may have changed them, or have sent several or none.
    package let transmitted = Locked<[PreparedRequest]>([])
    /// The attempt after its last request.
    let attempt = Locked<Attempt?>(nil)
}

extension TransportError.Code {
    /// A stored body was damaged and has been removed. A call that hasn't returned it sends its request again.
    public static let damaged = TransportError.Code(rawValue: "damaged")
}
