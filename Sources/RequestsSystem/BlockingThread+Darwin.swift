#if canImport(Darwin)
import Foundation

extension BlockingThread {
    /// Runs a function on a separate thread.
    package static func start(_ body: @escaping @Sendable () -> Void) throws(POSIXError) {
        Thread.detachNewThread(body)
    }
}
#endif
