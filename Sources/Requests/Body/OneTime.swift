import Foundation
import Synchronization

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

/// A stream that can be taken once.
package final class OneTimeStream: Sendable {
    /// Safe: the initializer takes ownership (`sending`), nothing here reads the stream, and ``take()`` returns it only
    /// once, to the one caller that wins the atomic exchange.
    private nonisolated(unsafe) let stream: InputStream
    private let use = OneTimeUse()

    init(_ stream: sending InputStream) {
        unsafe self.stream = stream
    }

    /// Whether this is the same stream.
    func isSame(as other: OneTimeStream) -> Bool { unsafe stream === other.stream }

    package func take() throws(RequestError) -> sending InputStream {
        try use.use(of: "stream")
        return unsafe stream
    }
}

/// A closure that makes a stream for each reading. Equal if it is the same instance.
package final class StreamOpener: Sendable {
    let open: @Sendable () throws -> sending InputStream

    init(_ open: @escaping @Sendable () throws -> sending InputStream) {
        self.open = open
    }
}
