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
