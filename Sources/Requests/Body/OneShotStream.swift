import Foundation

/// A stream that can be taken once.
final class OneShotStream: Sendable {
    private let stream: Guarded<InputStream?>

    init(_ stream: sending InputStream) {
        self.stream = Guarded(stream)
    }

    func take() throws(RequestError) -> sending InputStream {
        let taken = stream.withLock { stream in
            let taken = stream
            stream = nil
            return taken
        }
        guard let taken else { throw .bodyAlreadyRead("stream") }
        return taken
    }
}

extension InputStream {
    /// The stream's error. Where it has none, Foundation on Linux traps when it is asked for.
    var reportedError: (any Error)? { streamStatus == .error ? streamError : nil }
}
