import Requests

/// A content encoding for request bodies, compressed with zlib.
///
/// Specification: RFC 9110 §8.4.1.
public struct ContentCoding: Hashable, Sendable {
    /// The name for `Content-Encoding`.
    public let name: String

    /// zlib's parameter that selects the format.
    let windowBits: Int32

    /// `gzip`, supported by nearly all servers that accept compressed requests.
    public static let gzip = ContentCoding(name: "gzip", windowBits: 15 + 16)

    /// `deflate`, in the zlib format of RFC 1950.
    public static let deflate = ContentCoding(name: "deflate", windowBits: 15)
}

extension BodyProvider {
    /// Returns a provider that compresses the body and adds `Content-Encoding`.
    ///
    /// ```swift
    /// let upload = api.post(.json(encoded: user).compressed(.gzip), to: "/users")
    /// ```
    ///
    /// Bodies in memory and sequences of chunks can be compressed. A sequence is compressed as it is sent, so its
    /// length is unknown. Servers rarely announce that they accept compressed requests, so check the API's
    /// documentation.
    ///
    /// Building the request throws `RequestError.Code.unsupportedBody` for a file or a stream.
    ///
    /// - Parameters:
    ///   - coding: The content encoding.
    ///   - level: The compression level, from 1 (fastest) to 9 (smallest). Other values are clamped. Default: 6.
    public func compressed(_ coding: ContentCoding, level: Int = 6) -> BodyProvider {
        BodyProvider { header in
            let body = try self.body(updating: &header)
            guard !body.isNone else { return body }
            let encoded = try body.compressed(coding, level: Int32(min(max(level, 1), 9))).made(from: body)
            header.add(Field(name: .contentEncoding, value: coding.name))
            return encoded
        }
    }
}

extension RequestBody {
    fileprivate func compressed(_ coding: ContentCoding, level: Int32) throws -> RequestBody {
        switch source {
        case .data(let data):
            let compressor = try Compressor(coding, level: level)
            return .data(try compressor.compress(data) + compressor.finish())
        case .sequence(let sequence):
            if !isReplayable { try sequence.use() }
            let chunks = CompressedChunks(chunks: sequence.chunks, coding: coding, level: level)
            return RequestBody.chunks(chunks, isReplayable: isReplayable).with(trailers: trailers)
        case .none, .file, .stream, .joined, .invalid:
            try validate()
            throw RequestError(
                code: .unsupportedBody,
                subject: "body",
                message: "\(self) can't be compressed. Read it into memory, or send it as a sequence of chunks."
            )
        }
    }
}

/// A sequence that compresses the chunks of another.
private struct CompressedChunks: AsyncSequence, Sendable {
    typealias Element = Data

    let chunks: any AsyncSequence<Data, any Error> & Sendable
    let coding: ContentCoding
    let level: Int32

    func makeAsyncIterator() -> Iterator { Iterator(chunks: chunks.makeAsyncIterator(), coding: coding, level: level) }

    struct Iterator: AsyncIteratorProtocol {
        private enum State {
            case unopened
            case open(Compressor)
            case over
        }

        private var chunks: any AsyncIteratorProtocol<Data, any Error>
        private let coding: ContentCoding
        private let level: Int32
        private var state = State.unopened

        fileprivate init(chunks: any AsyncIteratorProtocol<Data, any Error>, coding: ContentCoding, level: Int32) {
            self.chunks = chunks
            self.coding = coding
            self.level = level
        }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
            guard let compressor = try opened() else { return nil }
            state = .over
            while let chunk = try await chunks.next(isolation: actor) {
                let compressed = try compressor.compress(chunk)
                guard compressed.isEmpty else {
                    state = .open(compressor)
                    return compressed
                }
            }
            return try compressor.finish()
        }

        private func opened() throws -> Compressor? {
            switch state {
            case .unopened: try Compressor(coding, level: level)
            case .open(let compressor): compressor
            case .over: nil
            }
        }
    }
}
