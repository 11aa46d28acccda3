import Requests

/// Sends one request and receives its response.
///
/// A transport doesn't follow redirects, retry, respond to challenges or store cookies. A ``Client`` does that the same
/// way over every transport. A transport rejects an unsupported option before it sends anything, with
/// `TransportError.Code.unsupported`. Its errors are `TransportError`, `RequestError` if the request isn't valid, or
/// `CancellationError`.
public protocol Transport: Sendable {
    /// The capabilities of the transport.
    var capabilities: TransportCapabilities { get }

    /// The connections and requests at this moment. Default: `nil`, for a transport that doesn't count.
    var statistics: TransportStatistics? { get async }

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - request: The message and its options.
    ///   - context: The data of this attempt: the time that is left, its number, and its observer.
    /// - Returns: The response, as soon as its head has arrived. The body arrives while it is read.
    func send(_ request: PreparedRequest, context: SendContext) async throws -> Response<ResponseBody>

    /// Ends all requests with `TransportError.Code.shutdown`, and rejects later ones. May be called more than once.
    ///
    /// Optional, because dropping the last copy of the transport frees its resources, too.
    func shutdown() async
}

extension Transport {
    /// Sends a request that belongs to no call. Its observer receives the events.
    public func send(_ request: PreparedRequest) async throws -> Response<ResponseBody> {
        try await send(request, context: SendContext(observer: request.options.observer))
    }

    /// Counts nothing.
    public var statistics: TransportStatistics? { get async { nil } }

    /// Does nothing.
    public func shutdown() async {}
}
