import RequestsClient

extension Data {
    /// The bytes in chunks that must not make a difference: whole, byte by byte, and cut at each position.
    var cuts: [[Data]] {
        [[self], map { Data([$0]) }] + indices.dropFirst().map { [self[..<$0], self[$0...]] }
    }
}

extension ResponseBody {
    /// Creates a body of chunks that ends with an error, if there is one.
    init(chunks: [Data], failure: (any Error)? = nil, onCancel: @escaping @Sendable () -> Void = {}) {
        let stream = AsyncThrowingStream<Data, any Error> { continuation in
            for chunk in chunks { continuation.yield(chunk) }
            continuation.finish(throwing: failure)
        }
        self.init(stream, onCancel: onCancel)
    }
}

extension AsyncSequence {
    /// The elements, and the error at the end.
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
