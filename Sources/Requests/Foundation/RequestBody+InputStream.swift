#if FullFoundation
import Foundation

extension RequestBody {
    /// A stream that is opened each time the body is sent.
    ///
    /// - Parameters:
    ///   - length: The number of bytes. Default: `nil`, unknown.
    ///   - open: Returns an unopened stream. Its errors are rethrown.
    public static func stream(
        length: Int64? = nil,
        opening open: @escaping @Sendable () throws -> sending InputStream
    ) -> RequestBody {
        stream(length: length, reading: { try OpenStream(open()).read(upTo:) })
    }

    /// A stream that is read once.
    package static func stream(_ stream: sending InputStream, length: Int64? = nil) -> RequestBody {
        let identity = ObjectIdentifier(stream)
        let unopened = UnopenedStream(stream)
        let source = BodyStream(isReplayable: false, identity: identity) { OpenStream(unopened.take()).read(upTo:) }
        return .stream(source, length: length)
    }

    /// Returns a stream over the body. `nil` for a body in memory and for a sequence.
    package func makeInputStream() -> InputStream? {
        switch source {
        case .none, .data, .sequence, .invalid: nil
        case .file, .stream, .joined: BodyInputStream(self)
        }
    }

    /// Throws if a `URLRequest` can't have this body.
    func checkFoundationSupport() throws(RequestError) {
        try validate()
        if case .sequence = source { throw .sequenceNotBlocking }
    }
}

extension BodyProvider {
    /// A stream that is read once, while the request is sent.
    ///
    /// - Parameters:
    ///   - stream: An unopened stream. The body owns it from now on.
    ///   - length: The number of bytes, or `nil` if it is unknown. Sending fails if the stream has fewer or more bytes.
    ///   - contentType: The media type. Default: `application/octet-stream`. `nil` keeps the request's own.
    public static func raw(
        stream: sending InputStream,
        length: Int64? = nil,
        contentType: MediaType? = .binary
    ) -> BodyProvider {
        BodyProvider(.stream(stream, length: length), contentType: contentType)
    }

    /// A stream that is opened each time the body is sent.
    ///
    /// - Parameters:
    ///   - length: The number of bytes, or `nil` if it is unknown. Sending fails if a stream has fewer or more bytes.
    ///   - contentType: The media type. Default: `application/octet-stream`. `nil` keeps the request's own.
    ///   - open: Returns an unopened stream. An error ends the attempt.
    public static func raw(
        length: Int64? = nil,
        contentType: MediaType? = .binary,
        opening open: @escaping @Sendable () throws -> sending InputStream
    ) -> BodyProvider {
        BodyProvider(.stream(length: length, opening: open), contentType: contentType)
    }
}

extension FileSlice {
    /// Opens the file at the slice's first byte.
    func openStream() throws -> sending RequestBody.Read {
        guard let stream = InputStream(url: url) else { throw CocoaError(.fileReadUnknown) }
        if offset > 0 { _ = stream.setProperty(NSNumber(value: offset), forKey: .fileCurrentOffsetKey) }
        let file = OpenStream(stream)
        var left = length
        return { maximumBytes in
            let chunk = left > 0 ? try file.read(upTo: min(Int(clamping: left), maximumBytes)) : nil
            left -= Int64(chunk?.count ?? 0)
            return chunk
        }
    }
}

/// A stream on its way from its owner to the body that reads it.
private final class UnopenedStream: Sendable {
    /// Safe: the initializer takes ownership, nothing here reads the stream, and ``take()`` is called only once.
    private nonisolated(unsafe) let stream: InputStream

    init(_ stream: sending InputStream) { unsafe self.stream = stream }

    func take() -> sending InputStream { unsafe stream }
}

/// A stream that is open until it is dropped.
private final class OpenStream {
    private let stream: InputStream

    init(_ stream: InputStream) {
        self.stream = stream
        stream.open()
    }

    deinit { stream.close() }

    func read(upTo maximumBytes: Int) throws -> Data? {
        // `Data(count:)` would fill the memory with zeros first.
        guard let bytes = unsafe malloc(maximumBytes) else { throw POSIXError(.ENOMEM) }
        let count = unsafe stream.read(bytes.assumingMemoryBound(to: UInt8.self), maxLength: maximumBytes)
        if count > 0 { return unsafe Data(bytesNoCopy: bytes, count: min(count, maximumBytes), deallocator: .free) }
        unsafe free(bytes)
        if count < 0 { throw stream.reportedError ?? CocoaError(.fileReadUnknown) }
        return nil
    }
}

extension InputStream {
    /// The stream's error. Foundation on Linux crashes if it is requested from a stream that has none.
    fileprivate var reportedError: (any Error)? { streamStatus == .error ? streamError : nil }
}
#endif
