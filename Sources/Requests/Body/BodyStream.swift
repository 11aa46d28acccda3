import Synchronization

extension RequestBody {
    /// Reads the next bytes of a source, at most a number of them. Blocks until there are some. Returns `nil` at the
    /// end.
    public typealias Read = (_ maximumBytes: Int) throws -> Data?
}

/// A source of bytes that is opened when the body is sent. Equal if it is the same source.
package final class BodyStream: Sendable {
    let isReplayable: Bool
    /// The source, if it isn't this instance.
    private let identity: ObjectIdentifier?
    private let source: @Sendable () throws -> sending RequestBody.Read
    private let firstUse = OneTimeUse()

    package init(
        isReplayable: Bool,
        identity: ObjectIdentifier? = nil,
        _ source: @escaping @Sendable () throws -> sending RequestBody.Read
    ) {
        self.isReplayable = isReplayable
        self.identity = identity
        self.source = source
    }

    func isSame(as other: BodyStream) -> Bool {
        self === other || identity != nil && identity == other.identity
    }

    /// Checks that the source may be opened.
    ///
    /// - Throws: ``RequestError/Code/bodyAlreadyRead``.
    func use() throws(RequestError) {
        if !isReplayable { try firstUse.use(of: "stream") }
    }

    /// Opens the source after ``use()``.
    func open() throws -> sending RequestBody.Read { try source() }
}

/// A right that can be used once, such as the right to read a stream.
///
/// A description of a body can't read it, but copies of the description must agree on whether it was read. The flag is
/// a single atomic: it never waits.
package final class OneTimeUse: Sendable {
    private let isUsed = Atomic(false)

    package init() {}

    /// Uses the right.
    ///
    /// - Parameter what: The name of the source, for the error.
    /// - Throws: ``RequestError/Code/bodyAlreadyRead`` after the first time.
    package func use(of what: String) throws(RequestError) {
        guard isUsed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        throw RequestError(
            code: .bodyAlreadyRead,
            subject: "body",
            message: "The body's \(what) was already read. Make a new request each time, or use a body in memory."
        )
    }
}

/// An asynchronous sequence that a body consists of. Equal if it is the same instance.
package final class BodySequence: Sendable {
    /// The chunks, to be iterated once for each successful ``use()``.
    package let chunks: any AsyncSequence<Data, any Error> & Sendable
    let isReplayable: Bool
    private let firstUse = OneTimeUse()

    init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks, isReplayable: Bool)
    where Chunks.Element: DataProtocol {
        self.chunks = DataChunks(chunks: chunks)
        self.isReplayable = isReplayable
    }

    /// Checks that the sequence may be iterated.
    ///
    /// - Throws: ``RequestError/Code/bodyAlreadyRead``.
    package func use() throws(RequestError) {
        if !isReplayable { try firstUse.use(of: "sequence") }
    }
}

/// A sequence of chunks as `Data`.
private struct DataChunks<Chunks: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Chunks.Element: DataProtocol {
    let chunks: Chunks

    func makeAsyncIterator() -> Iterator { Iterator(chunks: chunks.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var chunks: Chunks.AsyncIterator

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
            try await chunks.next(isolation: actor).map { Data($0) }
        }
    }
}

/// A sequence of single bytes, grouped into chunks of 16 KiB.
struct ByteChunks<Bytes: AsyncSequence & Sendable>: AsyncSequence, Sendable where Bytes.Element == UInt8 {
    let bytes: Bytes

    func makeAsyncIterator() -> Iterator { Iterator(bytes: bytes.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        private static var size: Int { 16 << 10 }

        fileprivate var bytes: Bytes.AsyncIterator
        private var isAtEnd = false

        fileprivate init(bytes: Bytes.AsyncIterator) { self.bytes = bytes }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
            var chunk = Data()
            while !isAtEnd, chunk.count < Iterator.size {
                if let byte = try await bytes.next(isolation: actor) { chunk.append(byte) } else { isAtEnd = true }
            }
            return chunk.isEmpty ? nil : chunk
        }
    }
}
