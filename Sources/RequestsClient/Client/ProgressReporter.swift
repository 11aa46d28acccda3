import Requests

/// Receives the number of bytes so far, and the total if it is known.
package typealias Progress = @Sendable (_ bytes: Int64, _ total: Int64?) -> Void

/// Reports progress as often as a person can see it, and the last state in any case.
package final class ProgressReporter: Sendable {
    private struct State {
        var nextReport = Duration.zero
        /// The progress since the last report.
        var pending: (bytes: Int64, total: Int64?)?
    }

    private let report: Progress
    private let interval: Duration
    private let stopwatch: Stopwatch
    private let state = Locked(State())

    package init(_ report: @escaping Progress, _ configuration: Client.Configuration) {
        self.report = report
        interval = configuration.progressInterval
        stopwatch = configuration.clock.stopwatch()
    }

    package func update(_ bytes: Int64, of total: Int64?) {
        let now = stopwatch.elapsed
        let isDue = state.withLock { state in
            guard now >= state.nextReport || bytes == total else {
                state.pending = (bytes, total)
                return false
            }
            state.pending = nil
            state.nextReport = now + interval
            return true
        }
        if isDue { report(bytes, total) }
    }

    /// Reports the progress since the last report.
    package func finish() {
        guard let last = state.withLock({ $0.pending.take() }) else { return }
        report(last.bytes, last.total)
    }
}

extension CallPlan {
    /// The observer of an attempt: the request's own, and the progress of its body.
    func observer(of request: PreparedRequest) -> (@Sendable (PreparedRequest.Event) -> Void)? {
        let own = request.options.observer ?? policies.options.observer
        guard let progress else { return own }
        return { event in
            switch event {
            case .sent(let bytes, let total): progress.update(bytes, of: total)
            case .requestSent, .ended: progress.finish()
            default: break
            }
            own?(event)
        }
    }
}
