import Foundation

/// Bytes that are read with calls that may block, from start to end.
protocol BodySource: AnyObject {
    /// - Returns: The next bytes; `nil` at the end.
    func read() throws -> Data?
}

/// A Foundation stream, opened when it is read, which may block, and closed at the end.
final class StreamBodySource: BodySource {
    private let stream: InputStream
    private var isOpen = false

    init(_ stream: sending InputStream) {
        self.stream = stream
    }

    deinit { stream.close() }

    func read() throws -> Data? {
        if !isOpen { stream.open() }
        isOpen = true
        // `Data(count:)` would fill it with zeros first, in vain.
        guard let bytes = malloc(RequestBody.pieceSize) else { throw POSIXError(.ENOMEM) }
        let count = stream.read(bytes.assumingMemoryBound(to: UInt8.self), maxLength: RequestBody.pieceSize)
        guard count > 0 else {
            free(bytes)
            if count < 0 { throw stream.reportedError ?? CocoaError(.fileReadUnknown) }
            return nil
        }
        return Data(bytesNoCopy: bytes, count: min(count, RequestBody.pieceSize), deallocator: .free)
    }
}

/// A file, or a part of one.
final class FileBodySource: BodySource {
    private let handle: FileHandle
    private var left: Int64

    init(_ slice: FileSlice) throws {
        handle = try FileHandle(forReadingFrom: slice.url)
        left = slice.length
        if slice.offset > 0 { try handle.seek(toOffset: UInt64(slice.offset)) }
    }

    deinit { try? handle.close() }

    func read() throws -> Data? {
        guard left > 0 else { return nil }
        let piece = try handle.read(upToCount: Int(min(Int64(RequestBody.pieceSize), left)))
        left -= Int64(piece?.count ?? 0)
        return piece
    }
}

/// One body after the other.
final class JoinedBodySource: BodySource {
    private var rest: ArraySlice<RequestBody>
    private var current: (any BodySource)?

    init(_ bodies: [RequestBody]) {
        rest = bodies[...]
    }

    func read() throws -> Data? {
        while true {
            if let piece = try current?.read() { return piece }
            guard let next = rest.popFirst() else { return nil }
            if let data = next.data {
                current = nil
                if !data.isEmpty { return data }
            } else {
                current = try next.makeBlockingSource()
            }
        }
    }
}
