import Foundation
import Requests

/// A body in memory.
final class DataSource: ResponseBodySource {
    private let rest: Locked<Result<Data?, any Error>>

    init(_ data: Data) {
        rest = Locked(.success(data.isEmpty ? nil : data))
    }

    func next() async throws -> Data? {
        try rest.withLock { rest in
            let data = try rest.get()
            rest = .success(nil)
            return data
        }
    }

    func collect(upTo maximumBytes: Int) async throws -> Data {
        let data = try await next() ?? Data()
        guard data.count <= maximumBytes else { throw TransportError.bodyTooLarge(maximumBytes) }
        return data
    }

    func cancel() {
        rest.withLock { $0 = .failure(CancellationError()) }
    }

    var isComplete: Bool { true }

    var trailers: Header? { nil }
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
    private let finalTrailers: @Sendable () -> Header?
    private let onCancel: @Sendable () -> Void

    init(_ chunks: Chunks, trailers: @escaping @Sendable () -> Header?, onCancel: @escaping @Sendable () -> Void) {
        self.iterator = chunks.makeAsyncIterator()
        self.finalTrailers = trailers
        self.onCancel = onCancel
    }

    deinit { cancel() }

    func next() async throws -> Data? {
        try await CallScope.isolating { try await self.read() }
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
            if !chunk.isEmpty { return chunk }
        }
    }

    /// - Throws: `CancellationError` if the body was canceled.
    private nonisolated var isOpen: Bool {
        get throws {
            let state = state.withLock { $0 }
            if state == .canceled { throw CancellationError() }
            return state == .open
        }
    }

    func collect(upTo maximumBytes: Int) async throws -> Data {
        try await CallScope.isolating { try await self.collectChunks(upTo: maximumBytes) }
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
    package static let readTwice = TransportError(
        code: .unsupported,
        message: "the response body is read by two tasks at once; read it from one task",
        phase: .receiving
    )
}
