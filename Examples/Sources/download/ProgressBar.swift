import Foundation
import Synchronization

/// A progress bar. If the output isn't a terminal, it prints a line for each quarter.
final class ProgressBar: Sendable {
    private let shown = Mutex(-1)
    private let isTerminal = isatty(STDOUT_FILENO) == 1

    func show(_ received: Int64, of total: Int64?) {
        guard let total, total > 0 else { return }
        let percent = Int(received * 100 / total)
        let step = isTerminal ? percent : percent / 25 * 25
        let isNew = shown.withLock { shown in
            defer { shown = step }
            return step != shown
        }
        guard isNew else { return }
        let bar = String(repeating: "█", count: percent / 4).padding(toLength: 25, withPad: "░", startingAt: 0)
        print("\(isTerminal ? "\r" : "")\(bar) \(percent)%", terminator: isTerminal ? "" : "\n")
    }
}
