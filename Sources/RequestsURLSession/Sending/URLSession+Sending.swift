#if FullFoundation
import Foundation
import Requests
import RequestsClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLSession {
    /// Creates a session that sends all of its requests over a client, for code that takes a `URLSession`.
    ///
    /// ```swift
    /// let session = URLSession.sending(over: Client(transport: CurlTransport.shared))
    /// defer { session.finishTasksAndInvalidate() }
    /// let (data, response) = try await session.data(from: url)
    /// ```
    ///
    /// The client's header, authentication, redirects, retries and cookies apply, and its
    /// `Client.Configuration.validation` doesn't: every status is a response. The session has no cache, cookies or
    /// credentials, and reports neither redirects nor challenges.
    ///
    /// A data or upload task with a delegate gets the body chunk by chunk, and on Linux the next chunk is read after
    /// the delegate has returned. A task with a completion handler and `data(for:)` get the body at once. On Linux they
    /// fail with `URLError.dataLengthExceedsMaximum` beyond `CallOptions.maximumBodyBytes` (default: 64 MiB).
    ///
    /// Errors are `URLError`s, with the client's error in `NSUnderlyingErrorKey`.
    ///
    /// The client stays in memory as long as the session, which ends like every other one, with
    /// `finishTasksAndInvalidate()` or `invalidateAndCancel()`.
    ///
    /// Foundation joins and reorders header fields, and delivers no trailers. On Linux, these tasks fail with
    /// `URLError.unsupportedURL`: download tasks, WebSocket tasks, and uploads of a stream that a delegate provides.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - delegate: The session's delegate. Default: `nil`.
    ///   - delegateQueue: The queue that calls the delegate and completion handlers. Default: `nil`, a serial queue of
    ///     the session. On Linux, the session's `delegateQueue` is another queue that passes everything on to it.
    public static func sending(
        over client: Client,
        delegate: (any URLSessionDelegate)? = nil,
        delegateQueue: OperationQueue? = nil
    ) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [ClientProtocol.self]
        // The client has all of these, and Foundation would apply its own before the client sees the request.
        configuration.httpCookieStorage = nil
        configuration.urlCredentialStorage = nil
        configuration.urlCache = nil
        return session(configuration, over: client, delegate, delegateQueue)
    }
}
#endif
