/// Sees each request of a client on its way out, and its response on the way back.
///
/// ```swift
/// struct Tracing: Middleware {
///     func intercept(_ request: PreparedRequest, next: @escaping Next) async throws -> Response<ResponseBody> {
///         var request = request
///         request.header.set(Field(name: "X-Trace", value: "1"))
///         return try await next(request)
///     }
/// }
/// ```
///
/// A member of ``Client/Configuration/middleware`` sees a request once, before redirects, retries, cookies and
/// authentication; one of ``Client/Configuration/exchangeMiddleware`` sees each exchange as the transport does,
/// credentials included. The first of several is the outermost.
public protocol Middleware: Sendable {
    /// Sends a request on, off any actor.
    ///
    /// Use the name. Written out as `@Sendable (PreparedRequest) async throws -> Response<ResponseBody>`, the type is
    /// this one only in modules that do not enable `NonisolatedNonsendingByDefault`.
    typealias Next = @Sendable @concurrent (PreparedRequest) async throws -> Response<ResponseBody>

    /// Handles a request: changes it, answers it, or sends it on, as often as it wants.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - next: Sends a request on.
    /// - Returns: The response: what `next` gave, or another.
    func intercept(_ request: PreparedRequest, next: @escaping Next) async throws -> Response<ResponseBody>
}
