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
    package let source: any ResponseBodySource

    package init(source: any ResponseBodySource) { self.source = source }

    /// Whether a content encoding was decoded, so that positions in the body differ from the server's.
    package var isDecoded: Bool { source.isDecoded }

    /// Whether the whole body has arrived, so that reading it doesn't wait and no connection is in use.
    package var isComplete: Bool { source.isComplete }

    /// Whether collecting the body can't fail.
    func isInMemory(upTo maximumBytes: Int) -> Bool {
        (source as? DataSource)?.canBeCollected(upTo: maximumBytes) ?? false
    }

    /// Creates a body from bytes in memory.
    public init(_ data: Data) { self.source = DataSource(data) }

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

    /// Whether the body was read to its end.
    package var isRead: Bool { source.isRead }

    /// Discards the rest of the body and frees the connection. Reading afterwards throws `CancellationError`.
    public func cancel() { source.cancel() }

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

    package func collect(upTo maximumBytes: Int) async throws -> Data { try await collectChunks(upTo: maximumBytes) }

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

/// A source that reads another one, and differs from it only in what it defines.
package protocol ForwardingSource: ResponseBodySource {
    var base: any ResponseBodySource { get }
}

extension ForwardingSource {
    package func cancel() { base.cancel() }
    package var trailers: Header? { base.trailers }
    package var boxedMetrics: TransferMetrics.Boxed? { base.boxedMetrics }
    package var isDecoded: Bool { base.isDecoded }
    package var isComplete: Bool { base.isComplete }
    package var isRead: Bool { base.isRead }
}

extension TransportError {
    package static func bodyTooLarge(_ maximumBytes: Int, from url: RequestURL? = nil) -> TransportError {
        TransportError(
            code: .tooLarge,
            message: "the response body\(url.map { " from \($0)" } ?? "") is larger than \(maximumBytes) bytes; "
                + "read it as a stream, or raise maximumBodyBytes or collect(upTo:)",
            phase: .receiving
        )
    }
}

/// A body in memory.
package final class DataSource: ResponseBodySource {
    private enum State {
        case unread(Data)
        case read
        case empty
        case canceled
    }

    private let state: Locked<State>
    private let url: RequestURL?
    private let finalTrailers: Header?
    package let isDecoded: Bool
    package let boxedMetrics: TransferMetrics.Boxed?

    /// - Parameters:
    ///   - url: The URL of the body, for error messages.
    ///   - isDecoded: Whether a content encoding was decoded.
    package init(
        _ data: Data,
        from url: RequestURL? = nil,
        isDecoded: Bool = false,
        trailers: Header? = nil,
        metrics: TransferMetrics.Boxed? = nil
    ) {
        self.state = Locked(data.isEmpty ? .empty : .unread(data))
        self.url = url
        self.isDecoded = isDecoded
        self.finalTrailers = trailers
        self.boxedMetrics = metrics
    }

    package func next() async throws -> Data? { try take() }

    /// Whether the bytes are unread and not too many.
    func canBeCollected(upTo maximumBytes: Int) -> Bool {
        state.withLock { state in
            switch state {
            case .unread(let data): data.count <= maximumBytes
            case .empty: true
            case .read, .canceled: false
            }
        }
    }

    private func take() throws -> Data? {
        try state.withLock { state in
            switch state {
            case .canceled: throw CancellationError()
            case .read, .empty: return nil
            case .unread(let data):
                state = .read
                return data
            }
        }
    }

    package func collect(upTo maximumBytes: Int) async throws -> Data {
        let data = try take() ?? Data()
        guard data.count <= maximumBytes else { throw TransportError.bodyTooLarge(maximumBytes, from: url) }
        return data
    }

    package func cancel() { state.withLock { if case .unread = $0 { $0 = .canceled } } }

    package var isComplete: Bool { true }

    package var isRead: Bool { state.withLock { if case .read = $0 { true } else { false } } }

    package var trailers: Header? {
        state.withLock { state in
            switch state {
            case .read, .empty: finalTrailers
            case .unread, .canceled: nil
            }
        }
    }
}

/// A body from a sequence of chunks.
actor SequenceSource<Chunks: AsyncSequence & Sendable>: ResponseBodySource where Chunks.Element == Data {
    private enum State {
        case open
        case ended
        case failed
        case canceled
    }

    private var iterator: Chunks.AsyncIterator?
    private let state = Locked(State.open)
    private let hasBytes = Locked(false)
    private let finalTrailers: @Sendable () -> Header?
    private let onCancel: @Sendable () -> Void

    init(_ chunks: Chunks, trailers: @escaping @Sendable () -> Header?, onCancel: @escaping @Sendable () -> Void) {
        self.iterator = chunks.makeAsyncIterator()
        self.finalTrailers = trailers
        self.onCancel = onCancel
    }

    deinit { cancel() }

    func next() async throws -> Data? {
        try await CallState.isolating { try await self.read() }
    }

    private func read() async throws -> Data? {
        guard try isOpen else { return nil }
        // Taken out while it is in use, so that two readers can't share it.
        guard var reading = iterator else { throw TransportError.readTwice }
        iterator = nil
        defer { iterator = reading }
        while true {
            let chunk: Data?
            do {
                // Sequences may end without an error when their task is canceled. A canceled body must throw.
                chunk = try await withTaskCancellationHandler {
                    try await reading.next(isolation: self)
                } onCancel: {
                    cancel()
                }
            } catch {
                guard try isOpen else { throw error }
                state.withLock { $0 = .failed }
                throw error
            }
            guard try isOpen else { return nil }
            guard let chunk else {
                state.withLock { $0 = .ended }
                return nil
            }
            guard !chunk.isEmpty else { continue }
            hasBytes.withLock { $0 = true }
            return chunk
        }
    }

    nonisolated var isRead: Bool { state.withLock { $0 } == .ended && hasBytes.withLock { $0 } }

    /// - Throws: `CancellationError` if the body was canceled.
    private nonisolated var isOpen: Bool {
        get throws {
            let state = state.withLock { $0 }
            if state == .canceled { throw CancellationError() }
            return state == .open
        }
    }

    func collect(upTo maximumBytes: Int) async throws -> Data {
        try await CallState.isolating { try await self.collectChunks(upTo: maximumBytes) }
    }

    nonisolated func cancel() {
        let wasOpen = state.withLock { state in
            defer { if state == .open { state = .canceled } }
            return state == .open
        }
        if wasOpen { onCancel() }
    }

    nonisolated var trailers: Header? { state.withLock { $0 } == .ended ? finalTrailers() : nil }
}

extension TransportError {
    package static let alreadyRead = TransportError(
        code: .unsupported,
        message: "the response body was already read, for example by middleware; keep its bytes, and pass on a "
            + "response with ResponseBody(bytes) as its content",
        phase: .receiving
    )

    package static let readTwice = TransportError(
        code: .unsupported,
        message: "the response body is read by two tasks at once; read it from one task",
        phase: .receiving
    )
}
