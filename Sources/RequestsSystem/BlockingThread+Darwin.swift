#if canImport(Darwin)
import Darwin

extension BlockingThread {
    /// Creates a thread that calls ``runBlockingThread(_:)``. Returns 0 or the number of the error.
    static func create(_ context: UnsafeMutableRawPointer) -> Int32 {
        unsafe withUnsafeTemporaryAllocation(of: pthread_t?.self, capacity: 1) { thread in
            guard let thread = unsafe thread.baseAddress else { return ENOMEM }
            return unsafe pthread_create(thread, nil, runBlockingThread, context)
        }
    }
}

/// Not a closure, because one within the closure above crashes the compiler of Swift 6.3.
private func runBlockingThread(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    unsafe BlockingThread.run(context)
    return nil
}
#endif
