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
        guard let taken else {
            throw RequestError(
                code: .bodyAlreadyRead,
                culprit: "body",
                message:
                    "the body's stream was already read; make a new request for each sending, or use a body of data"
            )
        }
        return taken
    }
}

/// An input stream that takes its bytes from a one-shot stream, and only when it is opened.
final class OneShotInputStream: InputStream {
    private let source: OneShotStream
    private var taken: InputStream?
    private var failure: RequestError?

    init(_ source: OneShotStream) {
        self.source = source
        super.init(data: Data())
    }

    override func open() {
        do {
            taken = try source.take()
            taken?.open()
        } catch {
            failure = error
        }
    }

    override func close() {
        taken?.close()
    }

    override var hasBytesAvailable: Bool { taken?.hasBytesAvailable ?? false }

    override var streamStatus: Stream.Status {
        failure == nil ? taken?.streamStatus ?? .notOpen : .error
    }

    override var streamError: (any Error)? { failure ?? taken?.reportedError }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
        taken?.read(buffer, maxLength: maxLength) ?? -1
    }

    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
        length: UnsafeMutablePointer<Int>
    ) -> Bool {
        false
    }
}

extension InputStream {
    /// The stream's error. Where it has none, Foundation on Linux traps when it is asked for.
    var reportedError: (any Error)? { streamStatus == .error ? streamError : nil }
}
