import Foundation
import Requests

extension RequestBody {
    /// One reading of a body, chunk by chunk.
    ///
    /// A transport requests the next chunk when it has sent the last one, so a slow network slows the source.
    package final class Reader: Sendable {
        private enum Source: Sendable {
            case memory
            case stream(StreamReader)
            case chunks(ChunkReader)
        }

        private let source: Source
        /// Bytes in memory. `nil` after they were read.
        private let data: Locked<Data?>
        /// The number of bytes left of the body's length. `nil` if it has none.
        private let left: Locked<Int64?>

        init(data: Data?) {
            source = .memory
            self.data = Locked(data)
            left = Locked(nil)
        }

        init(_ stream: sending InputStream, length: Int64?) {
            source = .stream(StreamReader(stream))
            data = Locked(nil)
            left = Locked(length)
        }

        init(_ chunks: any AsyncSequence<Data, any Error> & Sendable, length: Int64?) {
            source = .chunks(ChunkReader(chunks))
            data = Locked(nil)
            left = Locked(length)
        }

        /// Reads the next chunk.
        ///
        /// - Returns: The next bytes, never empty. `nil` at the end.
        /// - Throws: The source's error, or `RequestError.Code.bodyLengthMismatch`.
        package func next() async throws -> Data? {
            if case .stream(let stream) = source {
                return try await withCheckedThrowingContinuation { continuation in
                    stream.queue.async { continuation.resume(with: Result { try self.read(stream) }) }
                }
            }
            while true {
                let chunk: Data? =
                    switch source {
                    case .chunks(let chunks): try await chunks.next()
                    case .memory, .stream: data.withLock { $0.take() }
                    }
                try count(chunk)
                if chunk?.isEmpty != true { return chunk }
            }
        }

        /// Reads the next chunk for callers outside a task. Blocking sources call back on their own queue.
        ///
        /// - Parameter receive: Called once, later, with the result of ``next()``.
        /// - Returns: The task that waits for the bytes, to cancel it. `nil` if the source can't be canceled.
        package func next(_ receive: @escaping @Sendable (Result<Data?, any Error>) -> Void) -> Task<Void, Never>? {
            if case .stream(let stream) = source {
                stream.queue.async { receive(Result { try self.read(stream) }) }
                return nil
            }
            return Task {
                do {
                    receive(.success(try await next()))
                } catch {
                    receive(.failure(error))
                }
            }
        }

        private func read(_ stream: StreamReader) throws -> Data? {
            let chunk = try stream.next()
            try count(chunk)
            // Notices more bytes before the last chunk is sent, unless the stream has to wait for them: it may end only
            // when the response arrives.
            if chunk != nil, left.withLock({ $0 == 0 }), stream.hasBytes { try count(stream.next()) }
            return chunk
        }

        private func count(_ chunk: Data?) throws(RequestError) {
            let missing = left.withLock { left -> Int64? in
                guard let before = left else { return nil }
                let after = before - Int64(chunk?.count ?? 0)
                left = after
                return chunk == nil ? after : min(after, 0)
            }
            if let missing, missing != 0 { throw .bodyLengthMismatch(missing: missing) }
        }
    }
}

/// Reads a stream with blocking calls, on its own queue.
private final class StreamReader: Sendable {
    private static let chunkSize = 256 << 10

    let queue = DispatchQueue(label: "Requests.RequestBody.Reader")
    private let state: Locked<(stream: InputStream, isOpen: Bool)>

    init(_ stream: sending InputStream) {
        state = Locked((stream, false))
    }

    deinit { state.withLock { $0.stream.close() } }

    /// Whether the next chunk is there without waiting.
    var hasBytes: Bool { state.withLock { $0.stream.hasBytesAvailable } }

    func next() throws -> Data? {
        try state.withLock { state in
            let stream = state.stream
            if !state.isOpen { stream.open() }
            state.isOpen = true
            // `Data(count:)` would fill the memory with zeros first.
            guard let bytes = unsafe malloc(StreamReader.chunkSize) else { throw POSIXError(.ENOMEM) }
            let count = unsafe stream.read(bytes.assumingMemoryBound(to: UInt8.self), maxLength: StreamReader.chunkSize)
            guard count > 0 else {
                unsafe free(bytes)
                if count < 0 { throw stream.reportedError ?? CocoaError(.fileReadUnknown) }
                return nil
            }
            return unsafe Data(bytesNoCopy: bytes, count: min(count, StreamReader.chunkSize), deallocator: .free)
        }
    }
}

/// Iterates a sequence of chunks.
private actor ChunkReader {
    private var iterator: (any AsyncIteratorProtocol<Data, any Error>)?

    init(_ chunks: any AsyncSequence<Data, any Error> & Sendable) {
        iterator = chunks.makeAsyncIterator()
    }

    func next() async throws -> Data? {
        // Taken out while it is in use, so that two readers can't share it.
        guard var reading = iterator else {
            throw RequestError(
                code: .bodyAlreadyRead,
                subject: "body",
                message: "Two tasks read the body's sequence. Read it from one task."
            )
        }
        iterator = nil
        defer { iterator = reading }
        return try await reading.next(isolation: self)
    }
}

extension RequestError {
    fileprivate static func bodyLengthMismatch(missing: Int64) -> RequestError {
        RequestError(
            code: .bodyLengthMismatch,
            subject: "body",
            message: missing > 0
                ? "The body's source ended \(missing) bytes before its stated length."
                : "The body's source has at least \(-missing) bytes more than its stated length."
        )
    }
}
