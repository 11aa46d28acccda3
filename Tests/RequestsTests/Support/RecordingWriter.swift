import RequestsClient

/// A writer of a channel that only calls back.
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

extension BodyChannel {
    /// A channel whose writer records `resume` and `cancel`.
    static func recorded(in events: Recorder<String>, highWater: Int) throws -> BodyChannel {
        let channel = BodyChannel(from: try RequestURL("https://h/?token=s3cret"), highWater: highWater)
        channel.attach(
            RecordingWriter(onResume: { events.record("resume") }, onCancel: { events.record("cancel") })
        )
        return channel
    }
}

/// A body of this number of bytes.
func bytes(_ count: Int) -> Data { Data(repeating: 0x61, count: count) }
