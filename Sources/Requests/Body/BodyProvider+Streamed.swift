extension BodyProvider {
    /// A file, or a range of it, read while it is sent.
    ///
    /// - Parameters:
    ///   - url: The file. Building the request throws ``RequestError/Code/unreadableFile`` if it can't be read. Sending
    ///     fails if the file is shorter by then.
    ///   - range: The bytes to send. Default: the whole file.
    ///   - contentType: The media type. Default: `application/octet-stream`. `nil` keeps the request's own.
    public static func file(
        _ url: URL,
        range: Range<Int64>? = nil,
        contentType: MediaType? = .binary
    ) -> BodyProvider {
        BodyProvider { header in
            if let contentType { header.set(.contentType(contentType)) }
            return .file(url, range: range)
        }
    }

    /// A sequence of chunks. The next one is requested after the last one was sent.
    ///
    /// - Parameters:
    ///   - chunks: The bytes. An error of the sequence ends the attempt.
    ///   - length: The number of bytes, or `nil` if it is unknown. Sending fails if there are fewer or more bytes.
    ///   - isReplayable: Whether iterating again gives the same bytes, so that the body can be sent again. Default:
    ///     `false`.
    ///   - contentType: The media type. Default: `application/octet-stream`. `nil` keeps the request's own.
    public static func chunks<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks,
        length: Int64? = nil,
        isReplayable: Bool = false,
        contentType: MediaType? = .binary
    ) -> BodyProvider where Chunks.Element: DataProtocol {
        BodyProvider(.chunks(chunks, length: length, isReplayable: isReplayable), contentType: contentType)
    }

    /// A sequence of chunks of unknown length, with fields that are sent after the last one (RFC 9110 §6.5).
    ///
    /// A transport without the capability `requestTrailers` rejects the request before it sends anything.
    ///
    /// - Parameters:
    ///   - chunks: The bytes. An error of the sequence ends the exchange.
    ///   - isReplayable: Whether iterating again gives the same bytes, so that the body can be sent again. Default:
    ///     `false`.
    ///   - contentType: The media type. Default: `application/octet-stream`. `nil` keeps the request's own.
    ///   - trailers: Returns the fields when the last chunk was read, each time the body is sent. Sending fails with
    ///     `TransportError.Code.sourceFailed` if it throws, or if a field isn't allowed after a body
    ///     (``RequestError/Code/invalidFieldName``), such as `Content-Length` or `Authorization`.
    public static func chunks<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks,
        isReplayable: Bool = false,
        contentType: MediaType? = .binary,
        trailers: @escaping @Sendable () throws -> Header
    ) -> BodyProvider where Chunks.Element: DataProtocol {
        BodyProvider(.chunks(chunks, isReplayable: isReplayable, trailers: trailers), contentType: contentType)
    }

    /// A sequence of single bytes, sent in chunks of 16 KiB.
    ///
    /// Bytes wait until a chunk is full or the sequence ends.
    ///
    /// - Parameters:
    ///   - bytes: The bytes. An error of the sequence ends the attempt.
    ///   - length: The number of bytes, or `nil` if it is unknown. Sending fails if there are fewer or more bytes.
    ///   - isReplayable: Whether iterating again gives the same bytes, so that the body can be sent again. Default:
    ///     `false`.
    ///   - contentType: The media type. Default: `application/octet-stream`. `nil` keeps the request's own.
    public static func chunks<Bytes: AsyncSequence & Sendable>(
        _ bytes: Bytes,
        length: Int64? = nil,
        isReplayable: Bool = false,
        contentType: MediaType? = .binary
    ) -> BodyProvider where Bytes.Element == UInt8 {
        chunks(ByteChunks(bytes: bytes), length: length, isReplayable: isReplayable, contentType: contentType)
    }
}
