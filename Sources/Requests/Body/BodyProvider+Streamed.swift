import Foundation

extension BodyProvider {
    /// A file, or a part of it, read while it is sent.
    ///
    /// - Parameters:
    ///   - url: The file. One that cannot be read makes the build throw ``RequestError/Code/unreadableFile``.
    ///   - range: The bytes to send; `nil`, the default, for all.
    ///   - contentType: Their media type, `application/octet-stream` by default.
    public static func file(
        _ url: URL,
        range: Range<Int64>? = nil,
        contentType: MediaType = .binary
    ) -> BodyProvider {
        BodyProvider { header in
            header.set(.contentType(contentType))
            return .file(url, range: range)
        }
    }

    /// A sequence of pieces, each waited for when the one before it was sent.
    ///
    /// - Parameters:
    ///   - pieces: The bytes.
    ///   - length: The number of bytes it will give; `nil`, the default, when that is unknown.
    ///   - isReplayable: Whether iterating it again gives the same bytes; `false` by default.
    ///   - contentType: Their media type, `application/octet-stream` by default.
    public static func chunks<Pieces: AsyncSequence & Sendable>(
        _ pieces: Pieces,
        length: Int64? = nil,
        isReplayable: Bool = false,
        contentType: MediaType = .binary
    ) -> BodyProvider where Pieces.Element: DataProtocol {
        .constant(.chunks(pieces, length: length, isReplayable: isReplayable), contentType: contentType)
    }

    /// A sequence of single bytes, sent in pieces of 16 KiB: see ``RequestBody/chunks(_:length:isReplayable:)-(Bytes,_,_)``.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - length: The number of bytes it will give; `nil`, the default, when that is unknown.
    ///   - isReplayable: Whether iterating it again gives the same bytes; `false` by default.
    ///   - contentType: Their media type, `application/octet-stream` by default.
    public static func chunks<Bytes: AsyncSequence & Sendable>(
        _ bytes: Bytes,
        length: Int64? = nil,
        isReplayable: Bool = false,
        contentType: MediaType = .binary
    ) -> BodyProvider where Bytes.Element == UInt8 {
        .constant(.chunks(bytes, length: length, isReplayable: isReplayable), contentType: contentType)
    }

    /// A stream that is opened anew each time the body is sent.
    ///
    /// - Parameters:
    ///   - length: The number of bytes a stream will give; `nil`, the default, when that is unknown.
    ///   - contentType: Their media type, `application/octet-stream` by default.
    ///   - open: Makes an unopened stream, when it is read. Its error ends the exchange.
    public static func raw(
        length: Int64? = nil,
        contentType: MediaType = .binary,
        opening open: @escaping @Sendable () throws -> sending InputStream
    ) -> BodyProvider {
        .constant(.stream(length: length, opening: open), contentType: contentType)
    }
}
