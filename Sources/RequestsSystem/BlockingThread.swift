#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A thread for calls that block, such as those of a socket.
package enum BlockingThread {
    private final class Body {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    /// Runs a function on a thread of its own.
    ///
    /// - Throws: The system's error if it can't start another thread.
    package static func start(_ body: @escaping @Sendable () -> Void) throws(POSIXError) {
        let context = unsafe Unmanaged.passRetained(Body(body))
        let error = unsafe create(context.toOpaque())
        guard error != 0 else { return }
        unsafe context.release()
        throw POSIXError(number: error)
    }

    /// Runs the function that ``start(_:)`` got, on the new thread.
    static func run(_ context: UnsafeMutableRawPointer) {
        unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
    }
}
