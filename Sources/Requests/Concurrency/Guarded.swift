import Synchronization

/// A mutex with the value it guards, which Thread Sanitizer can see.
///
/// `Synchronization.Mutex` takes its lock inside a library that is not instrumented, so that the sanitizer reports
/// each guarded access as a race. Under the sanitizer, and only there, the lock is announced to it.
package struct Guarded<Value: ~Copyable>: ~Copyable, Sendable {
    private let mutex: Mutex<Value>

    package init(_ value: consuming sending Value) {
        mutex = Mutex(value)
    }

    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        guard let sanitizer = ThreadSanitizer.shared else { return try mutex.withLock(body) }
        let address = withUnsafePointer(to: mutex) { UnsafeMutableRawPointer(mutating: $0) }
        return try mutex.withLock { value throws(Failure) in
            sanitizer.acquire(address)
            defer { sanitizer.release(address) }
            return try body(&value)
        }
    }
}
