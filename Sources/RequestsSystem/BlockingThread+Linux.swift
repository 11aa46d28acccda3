#if !canImport(Darwin)
#if canImport(Musl)
import Musl
#else
import Glibc
#endif

extension BlockingThread {
    private final class Body {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    /// Runs a function on a new thread.
    ///
    /// - Throws: The system's error if it can't start another thread.
    package static func start(_ body: @escaping @Sendable () -> Void) throws(POSIXError) {
        let context = unsafe Unmanaged.passRetained(Body(body))
        let error = unsafe create(context.toOpaque())
        guard error != 0 else { return }
        unsafe context.release()
        throw POSIXError(number: error)
    }

    /// Creates a thread that calls ``runBlockingThread(_:)``. Returns 0 or the number of the error.
    private static func create(_ context: UnsafeMutableRawPointer) -> Int32 {
        unsafe withUnsafeTemporaryAllocation(of: pthread_t.self, capacity: 1) { thread in
            guard let thread = thread.baseAddress else { return ENOMEM }
            let error = unsafe pthread_create(thread, nil, runBlockingThread, context)
            if error == 0 { pthread_detach(unsafe thread.pointee) }
            return error
        }
    }

    fileprivate static func run(_ context: UnsafeMutableRawPointer) {
        unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
    }
}

/// Not a closure, because one within the closure above crashes the compiler of Swift 6.3.
private func runBlockingThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let context = unsafe context { unsafe BlockingThread.run(context) }
    return nil
}
#endif
