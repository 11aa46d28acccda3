import Foundation

/// The body of a response: bytes as they arrive, read once.
///
/// ```swift
/// for try await chunk in response.content { file.write(chunk) }
/// ```
///
/// While nobody reads, a transport with back-pressure stops receiving. Cancelling the task that reads, dropping the
/// last copy, or ``cancel()`` frees the connection at once.
public struct ResponseBody: Sendable {
    private let source: any ResponseBodySource

    /// What the client that gave the body away would say to its response; `nil` for one of somebody else.
    var judge: ResponseJudge?

    package init(source: any ResponseBodySource) {
        self.source = source
    }

    /// Whether a content coding was undone: positions in the body are not those of the server's.
    var isDecoded: Bool { source.isDecoded }

    /// Whether all of it has come: reading on waits for nothing, and no connection is in use.
    var isComplete: Bool { source.isComplete }

    /// Creates a body of bytes in memory.
    public init(_ data: Data) {
        self.source = DataSource(data)
    }

    /// Creates a body of a sequence of chunks.
    ///
    /// - Parameters:
    ///   - chunks: The bytes. Its error is the body's.
    ///   - trailers: What follows the body, asked for after its end; nothing by default.
    ///   - onCancel: Runs once, when the body is cancelled or dropped before its end.
    public init<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks,
        trailers: @escaping @Sendable () -> Header? = { nil },
        onCancel: @escaping @Sendable () -> Void = {}
    ) where Chunks.Element == Data {
        self.source = SequenceSource(chunks, trailers: trailers, onCancel: onCancel)
    }

    /// Reads what is left into memory.
    ///
    /// - Parameter maximumBytes: How much may be left.
    /// - Throws: ``TransportError/Code/tooLarge`` as soon as more than `maximumBytes` have arrived; the connection is
    ///   then freed.
    public func collect(upTo maximumBytes: Int) async throws -> Data {
        try await source.collect(upTo: maximumBytes)
    }

    /// Gives up the rest of the body and frees the connection. Reading on throws `CancellationError`.
    public func cancel() {
        source.cancel()
    }

    /// The fields that came after the body (RFC 9110 §6.5); `nil` before its end, and where there were none.
    ///
    /// Over HTTP/2 a body of known length has them only where the request asks for them, with `TE: trailers`.
    public var trailers: Header? { source.trailers }

    /// What the exchange has taken so far, all of it once the body has ended; `nil` where the transport does not
    /// measure.
    public var metrics: TransferMetrics? { source.metrics }
}

extension ResponseBody: AsyncSequence {
    /// Reads chunk by chunk. All iterators of a body share one position.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let source: any ResponseBodySource

        /// Waits for the next bytes.
        ///
        /// - Returns: The next bytes, never empty; `nil` at the end.
        public func next() async throws -> Data? {
            try await source.next()
        }
    }

    /// Starts or goes on reading.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(source: source)
    }
}

/// Where a response body comes from. A source that is dropped cancels itself.
package protocol ResponseBodySource: AnyObject, Sendable {
    func next() async throws -> Data?
    func collect(upTo maximumBytes: Int) async throws -> Data
    func cancel()
    var trailers: Header? { get }
    var metrics: TransferMetrics? { get }
    /// Whether the bytes are others than those that the server sent: a content coding was undone.
    var isDecoded: Bool { get }
    /// Whether all of the body is known to have come, or is not to come any more.
    var isComplete: Bool { get }
}

extension ResponseBodySource {
    package var isDecoded: Bool { false }
    package var isComplete: Bool { false }
    package var metrics: TransferMetrics? { nil }

    /// Joins what ``next()`` gives.
    ///
    /// - Parameter url: Where the body comes from, for the words of the error.
    package func collectChunks(upTo maximumBytes: Int, from url: RequestURL? = nil) async throws -> Data {
        var data = Data()
        while let chunk = try await next() {
            guard data.count + chunk.count <= maximumBytes else {
                cancel()
                throw TransportError.bodyTooLarge(maximumBytes, from: url)
            }
            data.append(chunk)
        }
        return data
    }
}

extension TransportError {
    package static func bodyTooLarge(_ maximumBytes: Int, from url: RequestURL? = nil) -> TransportError {
        TransportError(
            code: .tooLarge,
            message: "the response body\(url.map { " from \($0)" } ?? "") is larger than \(maximumBytes) bytes; "
                + "read it as a stream, or raise the limit",
            phase: .receiving
        )
    }
}
