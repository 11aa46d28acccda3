import Foundation
import Requests

extension Data {
    /// These bytes in chunks, in ways that must not make a difference: whole, byte by byte, and in two at each point.
    var cuts: [[Data]] {
        [[self], map { Data([$0]) }] + indices.dropFirst().map { [self[..<$0], self[$0...]] }
    }
}

extension ResponseBody {
    /// A body of these chunks, and the error that it ends with.
    init(chunks: [Data], failure: (any Error)? = nil, onCancel: @escaping @Sendable () -> Void = {}) {
        let stream = AsyncThrowingStream<Data, any Error> { continuation in
            for chunk in chunks { continuation.yield(chunk) }
            continuation.finish(throwing: failure)
        }
        self.init(stream, onCancel: onCancel)
    }
}

extension AsyncSequence {
    /// What it gives, and the error that it ends with.
    func elements() async -> (elements: [Element], error: (any Error)?) {
        var elements: [Element] = []
        do {
            for try await element in self { elements.append(element) }
            return (elements, nil)
        } catch {
            return (elements, error)
        }
    }
}
