import Foundation

/// What a request carries: a description of bytes, not the bytes on their way.
///
/// A body knows its length, or says that it does not, and whether it can be sent again. Printing, comparing and
/// building a request never read it; a transport does, through ``makeReader()``.
///
/// Bodies of bytes are equal when their bytes are, bodies of files when path and range are, all others when they are
/// the same stream or sequence.
public struct RequestBody: Sendable {
    enum Source {
        case none
        case data(Data)
        case file(FileSlice)
        case stream(OneShotStream)
        case opener(Identified<@Sendable () throws -> sending InputStream>)
        case sequence(BodySequence)
        case joined([RequestBody])
        case invalid(RequestError)
    }

    let source: Source

    /// The number of bytes, `nil` when only the end of the source will tell.
    public let length: Int64?

    /// How much of a body is read at a time.
    package static let pieceSize = 256 << 10

    private init(_ source: Source, length: Int64?) {
        self.source = source
        self.length = length
    }

    /// No body. Methods that expect one (`POST`, `PUT`, `PATCH`) send `Content-Length: 0`.
    public static let none = RequestBody(.none, length: 0)

    /// A body of bytes in memory. An empty one is a body all the same: it has a `Content-Length` of 0.
    public static func data(_ data: Data) -> RequestBody {
        RequestBody(.data(data), length: Int64(data.count))
    }

    /// A body of a file, or of a part of it, read while it is sent.
    ///
    /// A file that cannot be read, or that lacks the range, makes the build throw
    /// ``RequestError/Code/unreadableFile``; one that is shorter when it is sent ends the exchange.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - range: The bytes to send; `nil`, the default, for all.
    public static func file(_ url: URL, range: Range<Int64>? = nil) -> RequestBody {
        do throws(RequestError) {
            let slice = try FileSlice(url, range: range)
            return RequestBody(.file(slice), length: slice.length)
        } catch {
            return RequestBody(.invalid(error), length: nil)
        }
    }

    /// A body that is read once from a stream, while it is sent.
    ///
    /// - Parameters:
    ///   - stream: An unopened stream. It is handed over: nothing else may use it afterwards.
    ///   - length: The number of bytes it will give; `nil`, the default, when that is unknown. Fewer or more are an
    ///     error of the request, never a shorter or longer one.
    public static func stream(_ stream: sending InputStream, length: Int64? = nil) -> RequestBody {
        RequestBody(.stream(OneShotStream(stream)), length: length).withValidLength
    }

    /// A body that is read from a new stream each time it is sent.
    ///
    /// - Parameters:
    ///   - length: The number of bytes a stream will give, as for ``stream(_:length:)``.
    ///   - open: Makes an unopened stream, when it is read. Its error ends the exchange.
    public static func stream(
        length: Int64? = nil,
        opening open: @escaping @Sendable () throws -> sending InputStream
    ) -> RequestBody {
        RequestBody(.opener(Identified(open)), length: length).withValidLength
    }

    /// A body of a sequence of pieces, each waited for when the one before it was sent.
    ///
    /// - Parameters:
    ///   - pieces: The bytes. Its error ends the exchange.
    ///   - length: The number of bytes it will give, as for ``stream(_:length:)``.
    ///   - isReplayable: Whether iterating the sequence again gives the same bytes, so that the body can be sent again;
    ///     `false` by default.
    public static func chunks<Pieces: AsyncSequence & Sendable>(
        _ pieces: Pieces,
        length: Int64? = nil,
        isReplayable: Bool = false
    ) -> RequestBody where Pieces.Element: DataProtocol {
        RequestBody(.sequence(BodySequence(pieces, isReplayable: isReplayable)), length: length).withValidLength
    }

    /// A body of a sequence of single bytes: they are sent in pieces of 16 KiB, so that the
    /// last ones wait until there are as many, or no more.
    ///
    /// - Parameters: As of ``chunks(_:length:isReplayable:)-(Pieces,_,_)``.
    public static func chunks<Bytes: AsyncSequence & Sendable>(
        _ bytes: Bytes,
        length: Int64? = nil,
        isReplayable: Bool = false
    ) -> RequestBody where Bytes.Element == UInt8 {
        .chunks(BytePieces(bytes: bytes), length: length, isReplayable: isReplayable)
    }

    /// One body after the other: bytes, files and streams, but no sequences.
    static func joined(_ bodies: [RequestBody]) -> RequestBody {
        for body in bodies { if case .invalid = body.source { return body } }
        let lengths = bodies.compactMap(\.length)
        let length = lengths.count == bodies.count ? lengths.reduce(0, +) : nil
        return RequestBody(.joined(bodies), length: length)
    }

    private var withValidLength: RequestBody {
        guard let length, length < 0 else { return self }
        let error = RequestError(
            code: .bodyLengthMismatch,
            culprit: "length",
            message: "the body's length is \(length); state how many bytes there are, or nil where that is unknown"
        )
        return RequestBody(.invalid(error), length: nil)
    }

    /// Whether there is no body at all.
    public var isNone: Bool {
        if case .none = source { true } else { false }
    }

    /// Whether the body can be sent a second time: by a retry, a redirect or an authentication.
    public var isReplayable: Bool {
        switch source {
        case .none, .data, .file, .opener, .invalid: true
        case .stream: false
        case .sequence(let sequence): sequence.isReplayable
        case .joined(let bodies): bodies.allSatisfy(\.isReplayable)
        }
    }

    /// The bytes of a body that is in memory; `nil` for all others.
    public var data: Data? {
        if case .data(let data) = source { data } else { nil }
    }

    /// What the body is made of, one after the other; `nil` where it is one thing.
    var joinedBodies: [RequestBody]? {
        if case .joined(let bodies) = source { bodies } else { nil }
    }

    /// Throws why there can be no such body.
    func validate() throws(RequestError) {
        if case .invalid(let error) = source { throw error }
    }
}

extension RequestBody: Equatable {
    /// Compares bytes by value, files by path and range, streams and sequences by identity.
    public static func == (lhs: RequestBody, rhs: RequestBody) -> Bool {
        guard lhs.length == rhs.length else { return false }
        return switch (lhs.source, rhs.source) {
        case (.none, .none): true
        case (.data(let left), .data(let right)): left == right
        case (.file(let left), .file(let right)): left == right
        case (.stream(let left), .stream(let right)): left === right
        case (.opener(let left), .opener(let right)): left == right
        case (.sequence(let left), .sequence(let right)): left === right
        case (.joined(let left), .joined(let right)): left == right
        case (.invalid(let left), .invalid(let right)): left == right
        default: false
        }
    }
}

extension RequestBody: CustomStringConvertible {
    /// What kind of body it is and how long, never its content.
    public var description: String {
        let size = length.map { "\($0) bytes" } ?? "unknown length"
        return switch source {
        case .none: "no body"
        case .data(let data): "\(data.count) bytes"
        case .file(let slice): "\(slice.length) bytes of the file \(Redaction.quoted(slice.url.lastPathComponent))"
        case .stream, .opener: "a stream of \(size)"
        case .sequence: "chunks of \(size)"
        case .joined(let bodies): "\(bodies.count) parts of \(size)"
        case .invalid(let error): "no body that can be sent (\(error.code))"
        }
    }
}
