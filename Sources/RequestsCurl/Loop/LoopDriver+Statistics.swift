import Requests
import RequestsClient

extension LoopDriver {
    /// The numbers of requests since the start. Only the loop's thread changes them.
    struct Counts {
        var completed = 0
        var sent = 0
        var reused = 0
    }

    /// Computed on demand, so that exchanges don't pay for it.
    var statistics: TransportStatistics {
        let used = Set(transfers.compactMap(\.connection.socket))
        return TransportStatistics(
            connections: connections.statistics { !used.contains($0) },
            requests: TransportStatistics.Requests.counting(
                transfers.lazy.map { ($0.request.operation, $0.stage == .queued) }
            ),
            completed: counts.completed,
            sent: counts.sent,
            reused: counts.reused
        )
    }
}
