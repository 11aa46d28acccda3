import Requests
import RequestsSystem

extension RequestBody {
    /// Opens the body to read it from start to end.
    ///
    /// Files and streams are opened when the first bytes are read.
    ///
    /// - Throws: `RequestError.Code.bodyAlreadyRead` if the body can be read only once and was already read, or
    ///   `RequestError.Code.unreadableFile`.
    package func makeReader() throws -> Reader {
        switch source {
        case .none: return Reader(data: nil)
        case .data(let data): return Reader(data: data)
        case .sequence(let sequence):
            try sequence.use()
            return Reader(sequence.chunks, length: length)
        case .file, .stream, .joined, .invalid:
            let bytes = try BodyBytes(self) { try OpenFile.reading($0.url.path, from: $0.offset, count: $0.length) }
            return Reader(bytes, length: length)
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
            message: "The body (\(body)) is larger than \(maximumBytes) bytes. Read it in chunks, or raise the limit."
        )
    }
}
