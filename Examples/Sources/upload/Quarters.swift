import Synchronization

/// A progress report that prints one line for each quarter.
final class Quarters: Sendable {
    private let last = Mutex<Int64>(0)

    func report(_ count: Int64, of total: Int64) {
        let quarter = total > 0 ? count * 4 / total : 4
        let isNew = last.withLock { last in
            defer { last = max(last, quarter) }
            return quarter > last
        }
        if isNew { print("\(quarter * 25)% of \(total) bytes") }
    }
}
