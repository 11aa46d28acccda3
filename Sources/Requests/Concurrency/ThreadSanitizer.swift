import Foundation

/// The runtime of Thread Sanitizer, where the process was built with it.
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
