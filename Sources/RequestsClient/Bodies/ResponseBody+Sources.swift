import Requests

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
    package let boxedMetrics: TransferMetrics.Boxed?

    /// - Parameter url: The URL of the body, for error messages.
    package init(
        _ data: Data,
        from url: RequestURL? = nil,
        trailers: Header? = nil,
        metrics: TransferMetrics.Boxed? = nil
    ) {
        self.state = Locked(data.isEmpty ? .empty : .unread(data))
        self.url = url
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

    package func cancel() {
        state.withLock { if case .unread = $0 { $0 = .canceled } }
    }

    package var isComplete: Bool { true }

    package var isRead: Bool {
        state.withLock { if case .read = $0 { true } else { false } }
    }

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

    nonisolated var trailers: Header? {
        state.withLock { $0 } == .ended ? finalTrailers() : nil
    }
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
