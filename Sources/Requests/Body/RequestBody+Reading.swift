import Foundation

extension RequestBody {
    /// Opens the body for one reading from start to end.
    ///
    /// Files, and streams that are made for each reading, are opened when the first bytes are asked for.
    ///
    /// - Throws: ``RequestError/Code/bodyAlreadyRead`` when it can be read once only and was, or
    ///   ``RequestError/Code/unreadableFile``.
    public func makeReader() throws -> Reader {
        switch source {
        case .none: Reader(data: nil)
        case .data(let data): Reader(data: data)
        case .sequence(let sequence): Reader(try sequence.makePieces(), length: length)
        // Opening may block: it is done where they are read, and not on the transport's thread.
        case .file, .opener: Reader(JoinedBodySource([self]), length: length)
        case .stream, .joined, .invalid: Reader(try makeBlockingSource(), length: length)
        }
    }

    /// Reads all of the body into memory, for a test or a signature.
    ///
    /// One that can be read once (``isReplayable``) is then read, and cannot be sent any more.
    ///
    /// - Parameter maximumBytes: How much there may be.
    /// - Throws: ``RequestError/Code/bodyTooLarge`` for a body that is known to be larger, unread, and for another as soon
    ///   as more than `maximumBytes` have been read; what ``makeReader()`` and the source throw.
    public func collect(upTo maximumBytes: Int) async throws -> Data {
        if let length, length > maximumBytes { throw RequestError.bodyTooLarge(self, maximumBytes) }
        let reader = try makeReader()
        var bytes = Data()
        while let piece = try await reader.next() {
            guard bytes.count + piece.count <= maximumBytes else { throw RequestError.bodyTooLarge(self, maximumBytes) }
            bytes += piece
        }
        return bytes
    }

    /// Opens a body that can be read with blocking calls.
    func makeBlockingSource() throws -> sending any BodySource {
        switch source {
        case .none: JoinedBodySource([])
        case .data: JoinedBodySource([self])
        case .file(let slice): try FileBodySource(slice)
        case .stream(let stream): StreamBodySource(try stream.take())
        case .opener(let opener): StreamBodySource(try opener.call())
        case .joined(let bodies): JoinedBodySource(bodies)
        case .sequence: throw RequestError.noFoundationStream
        case .invalid(let error): throw error
        }
    }

    /// A Foundation stream over a body that is neither in memory nor a sequence; `nil` for those.
    package func makeInputStream() -> InputStream? {
        switch source {
        case .none, .data, .sequence, .invalid: nil
        case .file, .stream, .opener, .joined: BodyInputStream(length: length) { try makeBlockingSource() }
        }
    }

    /// The file that is the whole body, all of it.
    package var wholeFile: URL? {
        if case .file(let slice) = source, slice.isWhole { slice.url } else { nil }
    }

    /// Throws where the file that is the whole body is gone, or has another size than it had: for transports that leave
    /// the reading to others.
    package func checkWholeFile() throws(RequestError) {
        if case .file(let slice) = source, slice.isWhole { try slice.checkSize() }
    }

    /// Throws for a body that Foundation's requests cannot carry.
    package func checkFoundationCarries() throws(RequestError) {
        try validate()
        if case .sequence = source { throw .noFoundationStream }
    }
}

extension RequestError {
    fileprivate static func bodyTooLarge(_ body: RequestBody, _ maximumBytes: Int) -> RequestError {
        RequestError(
            code: .bodyTooLarge,
            culprit: "body",
            message:
                "the body (\(body)) is larger than \(maximumBytes) bytes; read it piece by piece, or raise the limit"
        )
    }

    fileprivate static let noFoundationStream = RequestError(
        code: .unsupportedBody,
        culprit: "body",
        message: "a sequence of chunks has to be waited for, which no Foundation request can; use a stream or a file"
    )

    static func bodyAlreadyRead(_ what: String) -> RequestError {
        RequestError(
            code: .bodyAlreadyRead,
            culprit: "body",
            message: "the body's \(what) was already read; make a new request for each sending, or use a body of data"
        )
    }
}
