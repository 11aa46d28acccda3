import Requests

/// Sends one request and receives its response.
///
/// A transport doesn't follow redirects, retry, respond to challenges or store cookies. A ``Client`` does that the same
/// way over every transport. A status below 300 means that the whole request was sent: the response may begin before
/// that, and ends after it or fails. A transport rejects an unsupported option before it sends anything, with
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
    ///   - context: The data of this attempt: the call's deadline, its number, and its observer.
    /// - Returns: The response, as soon as its head has arrived. The body arrives while it is read.
    func send(_ request: PreparedRequest, context: SendContext) async throws -> Response<ResponseBody>

    /// Ends all requests with `TransportError.Code.shutdown`, and rejects later ones. May be called more than once.
    ///
    /// Optional, because dropping the last copy of the transport frees its resources, too.
    func shutdown() async
}

extension Transport {
    /// Sends a request that belongs to no call. Its own total timeout limits it, and its observer receives the events.
    public func send(_ request: PreparedRequest) async throws -> Response<ResponseBody> {
        try await send(request, context: SendContext(request.options))
    }

    /// Counts nothing.
    public var statistics: TransportStatistics? { get async { nil } }

    /// Does nothing.
    public func shutdown() async {}
}

extension Transport {
    /// Whether ``send(_:context:)`` ends when its call is canceled, so that it needs no separate task.
    var endsWithCall: Bool { self is any EndsWithCall || self is any ExchangeTransport }

    /// Sends a request. Returns when its call ends, even if the transport doesn't.
    package func sendWithCall(_ request: PreparedRequest, context: SendContext) async throws -> Response<ResponseBody> {
        if endsWithCall { return try await send(request, context: context) }
        return try await CallState.isolating { try await self.send(request, context: context) }
    }
}

/// The data of one attempt that isn't part of the message.
public struct SendContext: Sendable {
    /// When the exchange must end. A transport ignores `Timeouts.total`, from which the call has made this.
    public var deadline: Deadline

    /// The number of the attempt, starting at 1. Every retry adds one.
    public var attempt: Int

    /// Receives the events of the exchange, on the transport's thread. A transport ignores `CallOptions.observer`.
    public var observer: (@Sendable (PreparedRequest.Event) -> Void)?

    /// Whether the call reads the whole body into memory, which is rarely large, and not chunk by chunk.
    package var collectsBody = false

    /// Creates a context for a request that belongs to no call.
    package init(_ options: CallOptions) {
        self.init(deadline: Deadline(after: options.timeouts.total), observer: options.observer)
    }

    /// Creates a context. Without arguments, nothing but the request's other timeouts limits the exchange.
    public init(
        deadline: Deadline = .none,
        attempt: Int = 1,
        observer: (@Sendable (PreparedRequest.Event) -> Void)? = nil
    ) {
        self.deadline = deadline
        self.attempt = attempt
        self.observer = observer
    }
}

/// How much of a response has arrived, compared to its head.
package struct ResponseProgress: Sendable {
    package private(set) var hasHead = false

    /// Whether the status is 300 or above, so that the server doesn't need the rest of the request.
    package private(set) var isRefusal = false

    /// Whether the library decodes the body's content encoding.
    package private(set) var isDecoded = false

    /// The length of the body. `nil` if it is known only at the end.
    package private(set) var expectedBytes: Int64?

    /// The length of an encoded body before the library decoded it. `nil` if the body isn't decoded or has no length.
    package private(set) var codedBytes: Int64?

    package private(set) var receivedBytes: Int64 = 0

    package init() {}

    /// The number of missing bytes. `nil` if the length is known only at the end.
    package var missingBytes: Int64? { expectedBytes.map { $0 - receivedBytes } }

    /// The code of an error that has none: a complete response isn't truncated.
    package var codeOfClosure: TransportError.Code { hasHead && missingBytes != 0 ? .truncated : .closed }

    /// The number of received bytes before decoding, or after it if the length is unknown.
    package var receivedCodedBytes: Int64 { codedBytes ?? receivedBytes }

    /// Notes the final head. If the library decodes the body, removes the content encoding and the length, which don't
    /// describe the decoded body.
    package mutating func note(_ head: inout ResponseHead, to method: HTTPMethod, isDecoded: Bool) {
        let length = head.expectedBytes(to: method)
        hasHead = true
        isRefusal = head.statusCode >= 300
        self.isDecoded = isDecoded && length != 0
        expectedBytes = self.isDecoded ? nil : length
        codedBytes = self.isDecoded ? length : nil
        guard self.isDecoded else { return }
        head.header.remove(.contentEncoding)
        head.header.remove(.contentLength)
    }

    package mutating func noteReceived(_ count: Int) { receivedBytes += Int64(count) }
}
