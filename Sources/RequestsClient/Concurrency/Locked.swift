import RequestsSystem
import Synchronization

/// A value that is protected by a mutex, visible to Thread Sanitizer.
///
/// `Synchronization.Mutex` locks inside a library that isn't instrumented, so the sanitizer would report each access as
/// a race. This type tells the sanitizer about the lock if it is present.
package struct Locked<Value: ~Copyable>: ~Copyable, Sendable {
    private let mutex: Mutex<Value>

    package init(_ value: consuming sending Value) { mutex = Mutex(value) }

    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        guard let sanitizer = ThreadSanitizer.shared else { return try mutex.withLock(body) }
        let address = unsafe withUnsafePointer(to: mutex) { unsafe UnsafeMutableRawPointer(mutating: $0) }
        return try mutex.withLock { value throws(Failure) in
            unsafe sanitizer.acquire(address)
            defer { unsafe sanitizer.release(address) }
            return try body(&value)
        }
    }
}

/// The runtime of Thread Sanitizer. `shared` is `nil` if the process was built without it.
@safe struct ThreadSanitizer: Sendable {
    typealias Annotation = @convention(c) (UnsafeMutableRawPointer) -> Void

    let acquire: Annotation
    let release: Annotation

    static let shared = try? unsafe ThreadSanitizer(
        acquire: ProcessSymbols.find("__tsan_acquire"),
        release: ProcessSymbols.find("__tsan_release")
    )
}
