#if canImport(Darwin)
extension BlockingThread {
    /// Runs a function on a new thread.
    package static func start(_ body: @escaping @Sendable () -> Void) throws(POSIXError) {
        Thread.detachNewThread(body)
    }
}
#endif
