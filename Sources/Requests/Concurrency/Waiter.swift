/// A task that waits, to be resumed once, by whatever thread.
///
/// Unsafe, because the layout of a checked continuation is known only at run time, so that each copy costs a call. Whoever
/// resumes a waiter has removed it from shared state first, so that it is resumed once.
package struct Waiter: Sendable {
    private let continuation: UnsafeContinuation<Void, Never>

    init(_ continuation: UnsafeContinuation<Void, Never>) {
        self.continuation = continuation
    }

    package func resume() { continuation.resume() }

    /// Suspends the task until the waiter is resumed, which may be before it is suspended.
    ///
    /// In that case the runtime leaves Thread Sanitizer without a trace of the order, although there is one: under the
    /// sanitizer, and only there, the order is announced to it.
    ///
    /// - Parameter start: Hands the waiter to who will resume it.
    package static func wait(_ start: (Waiter) -> Void) async {
        // The continuation is its task's address, which is what the runtime names to the sanitizer when it resumes.
        var task: UnsafeMutableRawPointer?
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            if ThreadSanitizer.shared != nil { task = unsafeBitCast(continuation, to: UnsafeMutableRawPointer.self) }
            start(Waiter(continuation))
        }
        if let task { ThreadSanitizer.shared?.acquire(task) }
    }
}
