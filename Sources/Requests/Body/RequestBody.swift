/// The body of a request: a description of bytes, not the bytes on their way.
///
/// A body knows its length, or that it doesn't, and whether it can be sent again. Printing, comparing and building a
/// request never read it. Make one with a ``BodyProvider``; a custom provider uses the factories here.
///
/// Bytes in memory compare by value, files by path and range, and streams and sequences by identity.
public struct RequestBody: Sendable {
    package enum Source: Sendable {
        case none
        case data(Data)
        case file(FileSlice)
        case stream(BodyStream)
        case sequence(BodySequence)
        case joined([RequestBody])
        case invalid(RequestError)
    }

    package let source: Source

    /// The number of bytes. `nil` if it isn't known before the end.
    public let length: Int64?

    /// Returns the fields to send after the body (RFC 9110 §6.5). Called when the last chunk was read, each time that
    /// the body is sent. `nil` if there are none.
    public private(set) var trailers: (@Sendable () throws -> Header)?

    /// Whether the body was marked with ``sensitive()``, or made from one that was.
    package private(set) var isSensitive = false

    /// The number of parts of a multipart body. `nil` for other bodies.
    private var partCount: Int?

    private init(_ source: Source, length: Int64?) {
        self.source = source
        self.length = length
    }

    /// No body. `POST`, `PUT` and `PATCH` requests send `Content-Length: 0`.
    public static let none = RequestBody(.none, length: 0)

    /// Bytes in memory. Even empty data is a body, with a `Content-Length` of 0.
    public static func data(_ data: Data) -> RequestBody {
        RequestBody(.data(data), length: Int64(data.count))
    }

    /// A file, or a part of one, read when the body is sent.
    ///
    /// - Parameters:
    ///   - url: The URL of the file. If it can't be read, building throws ``RequestError/Code/unreadableFile``.
    ///   - range: The bytes of the file, starting at 0. Default: `nil`, all of them.
    public static func file(_ url: URL, range: Range<Int64>? = nil) -> RequestBody {
        do throws(RequestError) {
            let slice = try FileSlice(url, range: range)
            return RequestBody(.file(slice), length: slice.length)
        } catch {
            return RequestBody(.invalid(error), length: nil)
        }
    }

    /// A source that is opened each time the body is sent, and read with blocking calls on a separate queue.
    ///
    /// - Parameters:
    ///   - length: The number of bytes. Default: `nil`, unknown.
    ///   - open: Opens the source, and returns the function that reads it. Errors of both are rethrown.
    public static func stream(
        length: Int64? = nil,
        reading open: @escaping @Sendable () throws -> sending Read
    ) -> RequestBody {
        stream(BodyStream(isReplayable: true, open), length: length)
    }

    package static func stream(_ stream: BodyStream, length: Int64?) -> RequestBody {
        RequestBody(.stream(stream), length: length).withValidLength
    }

    /// A sequence of chunks, each sent as soon as it is there.
    ///
    /// - Parameters:
    ///   - chunks: The chunks.
    ///   - length: The number of bytes. Default: `nil`, unknown.
    ///   - isReplayable: Whether the sequence can be iterated again, for a retry or a redirect. Default: `false`.
    public static func chunks<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks,
        length: Int64? = nil,
        isReplayable: Bool = false
    ) -> RequestBody where Chunks.Element: DataProtocol {
        RequestBody(.sequence(BodySequence(chunks, isReplayable: isReplayable)), length: length).withValidLength
    }

    /// A sequence of chunks whose total length is unknown, followed by trailer fields.
    ///
    /// - Parameters:
    ///   - chunks: The chunks.
    ///   - isReplayable: Whether the sequence can be iterated again, for a retry or a redirect. Default: `false`.
    ///   - trailers: Returns the trailer fields, such as a checksum of the body. If it throws, the attempt fails.
    public static func chunks<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks,
        isReplayable: Bool = false,
        trailers: @escaping @Sendable () throws -> Header
    ) -> RequestBody where Chunks.Element: DataProtocol {
        RequestBody.chunks(chunks, isReplayable: isReplayable).with(trailers: trailers)
    }

    /// Several bodies, one after the other. Sequences aren't supported.
    package static func joined(_ bodies: [RequestBody]) -> RequestBody {
        for body in bodies { if case .invalid = body.source { return body } }
        let lengths = bodies.compactMap(\.length)
        let length = lengths.count == bodies.count ? lengths.reduce(0, +) : nil
        let body = RequestBody(.joined(bodies), length: length)
        return bodies.contains(where: \.isSensitive) ? body.sensitive() : body
    }

    /// Returns the body marked as sensitive, so that descriptions hide all of its content. In forms and JSON, the
    /// values of credentials are hidden without it, by the names of fields and members.
    public func sensitive() -> RequestBody {
        var copy = self
        copy.isSensitive = true
        return copy
    }

    /// Returns the body, which is sensitive if the one that it was made from is.
    package func made(from original: RequestBody) -> RequestBody { original.isSensitive ? sensitive() : self }

    func with(partCount: Int) -> RequestBody {
        var copy = self
        copy.partCount = partCount
        return copy
    }

    package func with(trailers: (@Sendable () throws -> Header)?) -> RequestBody {
        var copy = self
        copy.trailers = trailers
        return copy
    }

    private var withValidLength: RequestBody {
        guard let length, length < 0 else { return self }
        let error = RequestError(
            code: .bodyLengthMismatch,
            subject: "length",
            message: "The body's length is \(length). Pass the number of bytes, or nil if it is unknown."
        )
        return RequestBody(.invalid(error), length: nil)
    }
}

extension RequestBody {
    /// Whether there is no body at all.
    public var isNone: Bool { if case .none = source { true } else { false } }

    /// Whether the body can be sent again, for a retry, a redirect or an authentication challenge.
    public var isReplayable: Bool {
        switch source {
        case .none, .data, .file, .invalid: true
        case .stream(let stream): stream.isReplayable
        case .sequence(let sequence): sequence.isReplayable
        case .joined(let bodies): bodies.allSatisfy(\.isReplayable)
        }
    }

    /// The bytes if the body is in memory, otherwise `nil`.
    public var data: Data? { if case .data(let data) = source { data } else { nil } }

    /// The file if the body is a whole file, otherwise `nil`.
    package var wholeFile: URL? {
        if case .file(let slice) = source, slice.isWhole { slice.url } else { nil }
    }

    /// Throws if the body is a whole file that is missing or has changed its size. For transports that pass the file to
    /// other code.
    package func checkWholeFile() throws(RequestError) {
        if case .file(let slice) = source, slice.isWhole { try slice.checkSize() }
    }

    /// Throws if the body was created with invalid arguments.
    package func validate() throws(RequestError) {
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
        case (.stream(let left), .stream(let right)): left.isSame(as: right)
        case (.sequence(let left), .sequence(let right)): left === right
        case (.joined(let left), .joined(let right)): left == right
        case (.invalid(let left), .invalid(let right)): left == right
        default: false
        }
    }
}

extension RequestBody: Redacted {
    /// The kind and the length of the body, never its content.
    public var description: String {
        let size = length.map { "\($0) bytes" } ?? "unknown length"
        let parts = partCount.map { $0 == 1 ? "1 part, " : "\($0) parts, " } ?? ""
        return parts + content(of: size)
    }

    private func content(of size: String) -> String {
        switch source {
        case .none: "no body"
        case .data(let data): "\(data.count) bytes"
        case .file(let slice): "\(slice.length) bytes of the file \(Redaction.quoted(slice.url.lastPathComponent))"
        case .stream: "a stream of \(size)"
        case .sequence: "chunks of \(size)"
        case .joined: "\(size) in memory and in files"
        case .invalid(let error): "an invalid body (\(error.code))"
        }
    }
}

extension RequestBody {
    /// Returns the body without its credentials, for printing. What can't be read is replaced by its size.
    func redacted(in header: Header) -> RequestBody {
        if isSensitive { return .data(Data(Redaction.placeholder.utf8)) }
        switch source {
        case .data(let data): return .data(Redaction.readable(data, header) ?? Data("<\(self)>".utf8))
        case .joined(let bodies): return .joined(bodies.map { $0.redacted(in: header) })
        case .none, .file, .stream, .sequence, .invalid: return self
        }
    }
}

/// The bytes of a body, part after part, read with blocking calls. Each part is opened when its first bytes are read.
package struct BodyBytes {
    private var rest: ArraySlice<RequestBody>
    private var current: RequestBody.Read?
    private let openFile: @Sendable (FileSlice) throws -> sending RequestBody.Read

    /// Starts to read a body.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - openFile: Opens a file, which this module doesn't do.
    /// - Throws: ``RequestError/Code/bodyAlreadyRead``, or ``RequestError/Code/unsupportedBody`` for a sequence, which
    ///   can't be read with blocking calls.
    package init(
        _ body: RequestBody,
        openFile: @escaping @Sendable (FileSlice) throws -> sending RequestBody.Read
    ) throws(RequestError) {
        try body.useStreams()
        rest = [body]
        self.openFile = openFile
    }

    /// Returns the next bytes, usually at most a number of them, and never empty. `nil` at the end.
    package mutating func next(upTo maximumBytes: Int) throws -> Data? {
        while true {
            if let read = current {
                guard let chunk = try read(maximumBytes) else {
                    current = nil
                    continue
                }
                if !chunk.isEmpty { return chunk }
            } else if let body = rest.popFirst() {
                switch body.source {
                case .data(let data): if !data.isEmpty { return data }
                case .file(let slice): current = try open(slice)
                case .stream(let stream): current = try stream.open()
                case .joined(let bodies): rest = bodies + rest
                case .none, .sequence, .invalid: break
                }
            } else {
                return nil
            }
        }
    }

    private func open(_ slice: FileSlice) throws -> RequestBody.Read {
        // Checked first for a clear error.
        try slice.checkReadable()
        do {
            return try openFile(slice)
        } catch {
            throw RequestError.unreadableFile(slice.url, "it can't be opened")
        }
    }
}

extension RequestBody {
    fileprivate func useStreams() throws(RequestError) {
        switch source {
        case .none, .data, .file: break
        case .stream(let stream): try stream.use()
        case .joined(let bodies): for body in bodies { try body.useStreams() }
        case .sequence: throw .sequenceNotBlocking
        case .invalid(let error): throw error
        }
    }
}

extension RequestError {
    static let sequenceNotBlocking = RequestError(
        code: .unsupportedBody,
        subject: "body",
        message: "An asynchronous body can't be read with blocking calls, as a URLRequest does. Use a stream or a file."
    )
}
