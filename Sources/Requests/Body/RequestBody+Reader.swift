import Foundation

extension RequestBody {
    /// One reading of a body, chunk by chunk.
    ///
    /// A transport asks for the next chunk when it has sent the last: that is how a slow network slows the source.
    public final class Reader: Sendable {
        private enum Source {
            case data(Data?)
            case stream(InputStream, remaining: Int64?)
        }

        private let source: Guarded<Source>

        /// Streams block: they are read on a queue of their own, never on the caller's thread.
        private let queue: DispatchQueue?

        private static let chunkSize = 64 * 1024

        init(data: Data?) {
            source = Guarded(.data(data))
            queue = nil
        }

        init(stream: sending InputStream, length: Int64?) {
            stream.open()
            source = Guarded(.stream(stream, remaining: length))
            queue = DispatchQueue(label: "Requests.RequestBody.Reader")
        }

        deinit {
            source.withLock { if case .stream(let stream, _) = $0 { stream.close() } }
        }

        /// Reads on.
        ///
        /// - Returns: The next bytes, never empty; `nil` at the end.
        /// - Throws: The stream's error, or ``RequestError/Code/bodyLengthMismatch``.
        public func next() async throws -> Data? {
            guard let queue else { return try read() }
            return try await withCheckedThrowingContinuation { continuation in
                queue.async { continuation.resume(with: Result { try self.read() }) }
            }
        }

        private func read() throws -> Data? {
            try source.withLock { source in
                switch source {
                case .data(let data):
                    source = .data(nil)
                    return data.flatMap { $0.isEmpty ? nil : $0 }
                case .stream(let stream, let remaining):
                    let chunk = try Reader.read(from: stream)
                    let count = Int64(chunk?.count ?? 0)
                    if let remaining {
                        guard chunk == nil ? remaining == 0 : count <= remaining else {
                            throw RequestError.bodyLengthMismatch(missing: remaining - count)
                        }
                        source = .stream(stream, remaining: remaining - count)
                    }
                    return chunk
                }
            }
        }

        private static func read(from stream: InputStream) throws -> Data? {
            var chunk = Data(count: chunkSize)
            let count = chunk.withUnsafeMutableBytes { bytes in
                bytes.bindMemory(to: UInt8.self).baseAddress.map { stream.read($0, maxLength: bytes.count) } ?? -1
            }
            guard count >= 0 else { throw stream.reportedError ?? CocoaError(.fileReadUnknown) }
            return count == 0 ? nil : chunk.prefix(count)
        }
    }
}

extension RequestError {
    fileprivate static func bodyLengthMismatch(missing: Int64) -> RequestError {
        RequestError(
            code: .bodyLengthMismatch,
            culprit: "body",
            message: missing > 0
                ? "the body's source ended \(missing) bytes before the stated length"
                : "the body's source gave \(-missing) bytes or more beyond the stated length"
        )
    }
}
