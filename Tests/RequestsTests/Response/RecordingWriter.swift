import Requests

/// A writer of a channel that does nothing but call back.
final class RecordingWriter: BodyChannel.Writer {
    private let onResume: @Sendable () -> Void
    private let onCancel: @Sendable () -> Void

    init(onResume: @escaping @Sendable () -> Void, onCancel: @escaping @Sendable () -> Void = {}) {
        self.onResume = onResume
        self.onCancel = onCancel
    }

    func resumeWriting() { onResume() }
    func cancelWriting() { onCancel() }
}
