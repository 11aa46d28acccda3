#if canImport(Darwin)
import Foundation

extension BlockingThread {
    /// Runs a function on a thread of its own.
    package static func start(_ body: @escaping @Sendable () -> Void) throws(POSIXError) {
        Thread.detachNewThread(body)
    }
}
#endif
