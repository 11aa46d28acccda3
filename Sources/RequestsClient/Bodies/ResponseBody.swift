import Requests

/// The body of a response, which can be read once, as it arrives.
///
/// ```swift
/// for try await chunk in response.content { file.write(chunk) }
/// ```
///
/// While the body isn't read, a transport with back-pressure stops receiving. Canceling the reading task, dropping the
/// last copy, or calling ``cancel()`` frees the connection at once.
public struct ResponseBody: Sendable {
    let source: any ResponseBodySource

    package init(source: any ResponseBodySource) {
        self.source = source
    }

    /// Whether a content encoding was decoded, so that positions in the body differ from the server's.
    package var isDecoded: Bool { source.isDecoded }

    /// Whether the whole body has arrived, so that reading it doesn't wait and no connection is in use.
    package var isComplete: Bool { source.isComplete }

    /// Whether collecting the body can't fail.
    func isInMemory(upTo maximumBytes: Int) -> Bool {
        (source as? DataSource)?.canBeCollected(upTo: maximumBytes) ?? false
    }

    /// Creates a body from bytes in memory.
    public init(_ data: Data) {
        self.source = DataSource(data)
    }

    /// Creates a body from a sequence of chunks.
    ///
    /// - Parameters:
    ///   - chunks: The bytes. Errors of the sequence are rethrown to the reader.
    ///   - trailers: Returns the trailers. Called after the end of the sequence. Default: no trailers.
    ///   - onCancel: Called once if the body is canceled or dropped before its end.
    public init<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks,
        trailers: @escaping @Sendable () -> Header? = { nil },
        onCancel: @escaping @Sendable () -> Void = {}
    ) where Chunks.Element == Data {
        self.source = SequenceSource(chunks, trailers: trailers, onCancel: onCancel)
    }

    /// Reads the rest of the body into memory.
    ///
    /// - Parameter maximumBytes: The maximum size of the rest.
    /// - Throws: `TransportError.Code.tooLarge` as soon as more than `maximumBytes` have arrived, which also frees the
    ///   connection, and `.unsupported` if the body was already read.
    public func collect(upTo maximumBytes: Int) async throws -> Data {
        guard !source.isRead else { throw TransportError.alreadyRead }
        return try await source.collect(upTo: maximumBytes)
    }

    /// Reads the next chunk for a body that wraps this one.
    package func nextChunk() async throws -> Data? { try await source.next() }

    /// Whether bytes were read up to the end.
    package var isRead: Bool { source.isRead }

    /// Discards the rest of the body and frees the connection. Reading afterwards throws `CancellationError`.
    public func cancel() {
        source.cancel()
    }

    /// The fields after the body (RFC 9110 §6.5). `nil` before the end of the body, and if there are none.
    ///
    /// Over HTTP/2, a body of known length has trailers only if the request contains `TE: trailers`.
    public var trailers: Header? { source.trailers }

    /// The measurements so far, complete after the end of the body. `nil` if the transport doesn't measure.
    public var metrics: TransferMetrics? { boxedMetrics?.value }

    package var boxedMetrics: TransferMetrics.Boxed? { source.boxedMetrics }
}

extension ResponseBody: AsyncSequence {
    /// Reads the body chunk by chunk. All iterators of a body share one position.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let source: any ResponseBodySource
        fileprivate let wasRead: Bool

        /// Waits for the next bytes.
        ///
        /// - Returns: The next bytes, never empty. `nil` at the end.
        /// - Throws: `TransportError.Code.unsupported` if the body was read before the iterator was created.
        public func next() async throws -> Data? {
            guard !wasRead else { throw TransportError.alreadyRead }
            return try await source.next()
        }
    }

    /// Returns an iterator that continues at the current position.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(source: source, wasRead: source.isRead)
    }
}

/// The source of a response body. Dropping it cancels the body.
package protocol ResponseBodySource: AnyObject, Sendable {
    func next() async throws -> Data?
    func collect(upTo maximumBytes: Int) async throws -> Data
    func cancel()
    var trailers: Header? { get }
    var boxedMetrics: TransferMetrics.Boxed? { get }
    /// Whether a content encoding was decoded, so that the bytes differ from the server's.
    var isDecoded: Bool { get }
    /// Whether no more bytes will arrive, because of the end or a failure.
    var isComplete: Bool { get }
    /// Whether a reader got bytes and the end, so that another one would get nothing.
    var isRead: Bool { get }
}

extension ResponseBodySource {
    package var isDecoded: Bool { false }
    package var isComplete: Bool { false }
    package var boxedMetrics: TransferMetrics.Boxed? { nil }

    /// Collects the chunks of ``next()``.
    ///
    /// - Parameter url: The URL of the body, for the error's message.
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
