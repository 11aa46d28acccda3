/// A suspended task, which any thread can resume once.
///
/// The continuation is unsafe, because the layout of a checked one is known only at run time, so that each copy costs a
/// call. It is resumed only once, because callers remove the waiter from shared state before they resume it.
@safe package struct Waiter: Sendable {
    private let continuation: UnsafeContinuation<Void, Never>

    init(_ continuation: UnsafeContinuation<Void, Never>) {
        unsafe self.continuation = continuation
    }

    package func resume() { unsafe continuation.resume() }

    /// Suspends the task until the waiter is resumed.
    ///
    /// If it is resumed before the task is suspended, the runtime doesn't tell Thread Sanitizer about the order, so
    /// this function does.
    ///
    /// - Parameter start: Stores the waiter for the code that resumes it.
    package static func wait(_ start: (Waiter) -> Void) async {
        // The continuation is the task's address, which the runtime passes to the sanitizer when it resumes the task.
        var task: UnsafeMutableRawPointer?
        unsafe await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            if ThreadSanitizer.shared != nil {
                unsafe task = unsafeBitCast(continuation, to: UnsafeMutableRawPointer.self)
            }
            unsafe start(Waiter(continuation))
        }
        if let task = unsafe task { unsafe ThreadSanitizer.shared?.acquire(task) }
    }
}
