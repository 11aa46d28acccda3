/// Marks the tasks of some work, so that a request can tell that it is a part of it.
///
/// A call must not wait for a place that its own call holds, and a refresh must not wait for itself. Tasks inherit the
/// marks of the task that started them, and may outlive the work, so a mark ends with its work.
final class TaskMark: Sendable {
    /// The marks of this task.
    @TaskLocal private static var marks: [TaskMark] = []

    private let owner: ObjectIdentifier
    private let isOver = Locked(false)

    private init(_ owner: ObjectIdentifier) { self.owner = owner }

    private var isValid: Bool { isOver.withLock { !$0 } }

    /// Whether this task belongs to an owner's work that hasn't ended.
    static func isPresent(of owner: ObjectIdentifier) -> Bool { marks.contains { $0.owner == owner && $0.isValid } }

    /// Runs an owner's work, whose tasks have the mark until it ends.
    static func run<Value>(of owner: ObjectIdentifier, _ work: () async throws -> Value) async rethrows -> Value {
        let mark = TaskMark(owner)
        defer { mark.isOver.withLock { $0 = true } }
        return try await $marks.withValue(marks.filter(\.isValid) + [mark], operation: work)
    }
}
