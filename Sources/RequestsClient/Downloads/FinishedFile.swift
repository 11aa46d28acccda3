import Foundation
import Requests

/// The body of a download, which is complete in its partial file.
final class FinishedFile: ResponseBodySource {
    private enum State {
        case unread
        case reading(FileHandle)
        case read
        case canceled
    }

    private let file: URL
    private let state = Locked(State.unread)

    init(_ file: URL) {
        self.file = file
    }

    @concurrent
    func next() async throws -> Data? {
        try state.withLock { state in
            let handle: FileHandle
            switch state {
            case .unread: handle = try FileHandle(forReadingFrom: file)
            case .reading(let open): handle = open
            case .read: return nil
            case .canceled: throw CancellationError()
            }
            state = .reading(handle)
            if let chunk = try handle.read(upToCount: 64 << 10), !chunk.isEmpty { return chunk }
            try? handle.close()
            state = .read
            return nil
        }
    }

    func collect(upTo maximumBytes: Int) async throws -> Data {
        try await collectChunks(upTo: maximumBytes)
    }

    func cancel() {
        state.withLock { state in
            if case .read = state { return }
            state = .canceled
        }
    }

    var trailers: Header? { nil }
    var isComplete: Bool { true }
    var isRead: Bool { state.withLock { if case .read = $0 { true } else { false } } }
}

extension ResponseBody {
    /// Whether the body is the finished file of a download, read or not.
    var isFinishedFile: Bool { source is FinishedFile }
}
