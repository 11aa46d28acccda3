import Foundation
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

/// The sanitizer's runtime, where the process was built with it.
struct ThreadSanitizer: Sendable {
    typealias Annotation = @convention(c) (UnsafeMutableRawPointer) -> Void

    let acquire: Annotation
    let release: Annotation

    static let shared: ThreadSanitizer? = {
        guard let program = dlopen(nil, RTLD_NOW), let acquire = dlsym(program, "__tsan_acquire"),
            let release = dlsym(program, "__tsan_release")
        else { return nil }
        return ThreadSanitizer(
            acquire: unsafeBitCast(acquire, to: Annotation.self),
            release: unsafeBitCast(release, to: Annotation.self)
        )
    }()
}
