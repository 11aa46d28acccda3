#if FullFoundation
import Foundation
import Requests
import RequestsClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLSession {
    /// Creates a session that sends all of its requests over a client, for code that requires a `URLSession`.
    ///
    /// ```swift
    /// let session = URLSession.sending(
    ///     over: Client(transport: CurlTransport.shared)
    /// )
    /// defer { session.finishTasksAndInvalidate() }
    /// let (data, response) = try await session.data(from: url)
    /// ```
    ///
    /// The client's header, authentication, redirects, retries and cookies apply. Its `Client.Configuration.validation`
    /// doesn't, so every status is returned as a response. The session itself has no cache, cookies or credentials,
    /// and reports neither redirects nor challenges.
    ///
    /// A delegate of a data or upload task gets the body chunk by chunk. On Linux, the next chunk is read after the
    /// delegate has returned. Completion handlers and `data(for:)` get the whole body. On Linux they fail with
    /// `URLError.dataLengthExceedsMaximum` if it exceeds `CallOptions.maximumBodyBytes` (default: 64 MiB). So do the
    /// delegates of sessions that other code creates from this session's `configuration`, which get the whole body.
    ///
    /// Errors are `URLError`s, with the client's error in `NSUnderlyingErrorKey`.
    ///
    /// The session retains the client until it ends with `finishTasksAndInvalidate()` or `invalidateAndCancel()`.
    ///
    /// On Apple platforms, Foundation provides each request body as a stream, so it isn't sent again by a retry or a
    /// redirect. Foundation joins and reorders header fields and drops trailers. On Linux, these tasks fail with
    /// `URLError.unsupportedURL`: download tasks, WebSocket tasks, and uploads of a stream that a delegate provides.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - delegate: The session's delegate. Default: `nil`.
    ///   - delegateQueue: The queue that calls the delegate and completion handlers. Default: `nil`, which creates a
    ///     serial queue. On Linux, the session's `delegateQueue` property is another queue that forwards operations to
    ///     this one.
    public static func sending(
        over client: Client,
        delegate: (any URLSessionDelegate)? = nil,
        delegateQueue: OperationQueue? = nil
    ) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [ClientProtocol.self]
        // Removed, because Foundation would apply them before the client gets the request.
        configuration.httpCookieStorage = nil
        configuration.urlCredentialStorage = nil
        configuration.urlCache = nil
        return session(configuration, over: client, delegate, delegateQueue)
    }
}
#endif
