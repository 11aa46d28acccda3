import Dispatch
import Requests
import RequestsSystem

extension RequestBody {
    /// One reading of a body, chunk by chunk.
    ///
    /// A transport requests the next chunk when it has sent the last one, so a slow network slows the source.
    package final class Reader: Sendable {
        fileprivate enum Source: Sendable {
            case memory
            case stream(StreamReader)
            case chunks(ChunkReader)
        }

        private let source: Source
        /// Bytes in memory. `nil` after they were read.
        private let data: Locked<Data?>
        /// The number of bytes left of the body's length. `nil` if it has none.
        private let left: Locked<Int64?>

        fileprivate init(_ source: Source, data: Data? = nil, length: Int64? = nil) {
            self.source = source
            self.data = Locked(data)
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
            return Task { receive(await Result(awaiting: { try await next() })) }
        }

        private static let chunkSize: Int64 = 256 << 10

        private func read(_ stream: StreamReader) throws -> Data? {
            // One byte more than is left shows that the source is too long before its last chunk is sent. It doesn't
            // wait for that byte, because the source may end only when the response arrives.
            let size = left.withLock { $0.map { $0 > Reader.chunkSize ? Reader.chunkSize : $0 + 1 } }
            let chunk = try stream.next(upTo: size ?? Reader.chunkSize)
            try count(chunk)
            return chunk
        }

        private func count(_ chunk: Data?) throws(RequestError) {
            let missing = left.withLock { left -> Int64? in
                guard let before = left else { return nil }
                let after = before - Int64(chunk?.count ?? 0)
                left = after
                return chunk == nil ? after : min(after, 0)
            }
            guard let missing, missing != 0 else { return }
            throw RequestError(
                code: .bodyLengthMismatch,
                subject: "body",
                message: missing > 0
                    ? "The body's source ended \(missing) bytes before its stated length."
                    : "The body's source has at least \(-missing) bytes more than its stated length."
            )
        }
    }
}

/// Reads files and streams with blocking calls, on its own queue.
private final class StreamReader: Sendable {
    let queue = DispatchQueue(label: "Requests.RequestBody.Reader")
    private let bytes: Locked<BodyBytes>

    init(_ bytes: sending BodyBytes) { self.bytes = Locked(bytes) }

    func next(upTo maximumBytes: Int64) throws -> Data? {
        try bytes.withLock { try $0.next(upTo: Int(clamping: maximumBytes)) }
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

extension RequestBody {
    /// Opens the body to read it from start to end.
    ///
    /// Files and streams are opened when the first bytes are read.
    ///
    /// - Throws: `RequestError.Code.bodyAlreadyRead` if the body can be read only once and was already read, or
    ///   `RequestError.Code.unreadableFile`.
    package func makeReader() throws -> Reader {
        switch source {
        case .none: return Reader(.memory)
        case .data(let data): return Reader(.memory, data: data)
        case .sequence(let sequence):
            try sequence.use()
            return Reader(.chunks(ChunkReader(sequence.chunks)), length: length)
        case .file, .stream, .joined, .invalid:
            let bytes = try BodyBytes(self) { try OpenFile.reading($0.url.path, from: $0.offset, count: $0.length) }
            return Reader(.stream(StreamReader(bytes)), length: length)
        }
    }

    /// Reads the whole body into memory, for a test or a signature.
    ///
    /// A body that can be read only once (`isReplayable` is `false`) can't be sent afterwards.
    ///
    /// - Parameter maximumBytes: The maximum size.
    /// - Throws: `RequestError.Code.bodyTooLarge` if the body is larger, without reading it if its length is known.
    ///   `RequestError.Code.bodyAlreadyRead`, `RequestError.Code.unreadableFile`, and errors of the source.
    public func collect(upTo maximumBytes: Int) async throws -> Data {
        if let length, length > maximumBytes { throw RequestError.bodyTooLarge(self, maximumBytes) }
        let reader = try makeReader()
        var bytes = Data()
        while let chunk = try await reader.next() {
            guard bytes.count + chunk.count <= maximumBytes else { throw RequestError.bodyTooLarge(self, maximumBytes) }
            bytes += chunk
        }
        return bytes
    }
}

extension RequestError {
    fileprivate static func bodyTooLarge(_ body: RequestBody, _ maximumBytes: Int) -> RequestError {
        RequestError(
            code: .bodyTooLarge,
            subject: "body",
            message: "The body (\(body)) is larger than \(maximumBytes) bytes. Read it in chunks, or raise upTo:."
        )
    }
}
