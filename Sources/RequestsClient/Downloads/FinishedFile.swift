import Requests
import RequestsSystem

/// The body of a download, which is complete in its partial file.
final class FinishedFile: ResponseBodySource {
    private enum State {
        case unread
        case reading(OpenFile, offset: Int64)
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
            let (open, offset): (OpenFile, Int64)
            switch state {
            case .unread: (open, offset) = (try OpenFile(file.path), 0)
            case .reading(let reading, let position): (open, offset) = (reading, position)
            case .read: return nil
            case .canceled: throw CancellationError()
            }
            let chunk = try open.read(upTo: 64 << 10, at: offset)
            state = chunk.map { .reading(open, offset: offset + Int64($0.count)) } ?? .read
            return chunk
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
