#if FullFoundation && !canImport(Darwin)
import Foundation
import RequestsClient

/// A session's delegate queue that records whether a call into Foundation added an operation to it.
///
/// Foundation doesn't expose whether a task has a delegate or a completion handler. But for a delegate it adds an
/// operation with the data to this queue, and for a completion handler it doesn't.
final class DelegateQueue: OperationQueue, @unchecked Sendable {
    // Unchecked only because the superclass is: the queue is a constant that is Sendable.
    @TaskLocal private static var use: Use?
    private let target: OperationQueue?

    /// - Parameter target: The queue that runs the operations. `nil` for this queue, which runs them one by one.
    init(passingTo target: OperationQueue?) {
        self.target = target
        super.init()
        maxConcurrentOperationCount = 1
    }

    /// Returns the queue to which a call adds an operation, or `nil` if it adds none.
    static func used(by call: () -> Void) -> DelegateQueue? {
        let use = Use()
        $use.withValue(use, operation: call)
        return use.queue.withLock { $0 }
    }

    /// Waits until all operations added so far have run, or until the current task is canceled.
    func drain() async {
        let end = Promise<Void>()
        addOperation { end.give(.success(())) }
        await withTaskCancellationHandler {
            try? await end.take()
        } onCancel: {
            end.give(.success(()))
        }
    }

    override func addOperation(_ block: @Sendable @escaping () -> Void) {
        DelegateQueue.use?.queue.withLock { $0 = self }
        if let target { target.addOperation(block) } else { super.addOperation(block) }
    }

    override func addOperation(_ operation: Operation) {
        if let target { target.addOperation(operation) } else { super.addOperation(operation) }
    }

    /// The queue that a call used.
    private final class Use: Sendable {
        let queue = Locked<DelegateQueue?>(nil)
    }
}
#endif
