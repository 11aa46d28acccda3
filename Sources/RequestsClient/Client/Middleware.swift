import Requests

/// Sees the requests of a client on their way out and the responses on their way back.
///
/// ```swift
/// struct Tracing: Middleware {
///     func intercept(
///         _ request: PreparedRequest,
///         context: CallContext,
///         next: @escaping Next
///     ) async throws -> Response<ResponseBody> {
///         var request = request
///         request.header.set(Field(name: "X-Trace", value: "\(context.attempt)"))
///         return try await next(request)
///     }
/// }
/// ```
///
/// A member of ``Client/Configuration/middleware`` sees a request once, before redirects, retries, cookies and
/// authentication. A member of ``Client/Configuration/attemptMiddleware`` sees every attempt like the transport,
/// including credentials. The first of several is the outermost.
public protocol Middleware: Sendable {
    /// Sends a request on, off any actor.
    ///
    /// Write this name instead of the closure's type, which without `@concurrent` is another one in modules that
    /// enable `NonisolatedNonsendingByDefault`.
    typealias Next = @Sendable @concurrent (PreparedRequest) async throws -> Response<ResponseBody>

    /// Handles a request: changes it, sends it on any number of times, or creates a response itself.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: The call that the request belongs to.
    ///   - next: Sends a request on.
    /// - Returns: The response of `next`, or another one.
    func intercept(
        _ request: PreparedRequest,
        context: CallContext,
        next: @escaping Next
    ) async throws -> Response<ResponseBody>
}

/// Middleware that ends when the scope of its call is canceled, so that it needs no separate task.
package protocol ScopedMiddleware: Middleware {}
