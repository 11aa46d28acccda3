import Requests
import RequestsClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A body that is read from the file of an entry, chunk by chunk.
final class StoredFile: ResponseBodySource {
    private enum State {
        case reading(Range<Int64>, Checksum)
        case read
        case canceled
    }

    private let file: File
    private let checksum: UInt64?
    private let path: String
    private let state: Locked<State>

    private static let chunkLength = 64 << 10

    /// - Parameters:
    ///   - bytes: The positions in the file.
    ///   - checksum: The checksum of the bytes. `nil` if it's unknown.
    init(_ file: File, _ bytes: Range<Int64>, _ checksum: UInt64?, _ path: String) {
        self.file = file
        self.checksum = checksum
        self.path = path
        state = Locked(.reading(bytes, Checksum()))
    }

    @concurrent
    func next() async throws -> Data? {
        try state.withLock { state in
            switch state {
            case .canceled: throw CancellationError()
            case .read: return nil
            case .reading(let bytes, let sum) where bytes.isEmpty:
                state = .read
                if let checksum, checksum != sum.value { throw damage() }
                return nil
            case .reading(let bytes, var sum):
                let chunk = try file.read(
                    Int(min(Int64(StoredFile.chunkLength), Int64(bytes.count))),
                    at: bytes.lowerBound
                )
                guard !chunk.isEmpty else { throw damage() }
                if checksum != nil { sum.add(chunk) }
                state = .reading((bytes.lowerBound + Int64(chunk.count))..<bytes.upperBound, sum)
                return chunk
            }
        }
    }

    /// Removes the file.
    private func damage() -> TransportError {
        File.remove(path)
        return TransportError(
            code: .truncated,
            message: "the stored body is damaged and was removed; send the request again",
            phase: .receiving
        )
    }

    func collect(upTo maximumBytes: Int) async throws -> Data { try await collectChunks(upTo: maximumBytes) }

    func cancel() {
        state.withLock { state in
            if case .reading = state { state = .canceled }
        }
    }

    var trailers: Header? { nil }
    var isComplete: Bool { true }
    var isRead: Bool { state.withLock { if case .read = $0 { true } else { false } } }
}
