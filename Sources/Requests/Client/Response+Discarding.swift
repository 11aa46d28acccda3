extension Response<ResponseBody> {
    /// How much of a body is read for nothing, in bytes.
    private static var maximumBytes: Int { 64 << 10 }

    /// How long the end of a body is waited for: about what another connection would take.
    private static var patience: Duration { .milliseconds(250) }

    /// Reads what is left of a body that nobody wants, so that the connection can be kept, or frees it where that would
    /// take too much.
    ///
    /// - Parameters:
    ///   - method: The method that was answered.
    ///   - clock: The clock of the wait.
    func discard(of method: HTTPMethod, on clock: any Clock<Duration>) async {
        defer { content.cancel() }
        guard !content.isComplete, head.expectedBytes(to: method) ?? 0 <= Self.maximumBytes else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = try? await content.collect(upTo: Self.maximumBytes) }
            group.addTask { try? await clock.sleep(for: Self.patience) }
            await group.next()
            // A reader that is cancelled gives up the body, and comes back at once.
            group.cancelAll()
        }
    }
}
