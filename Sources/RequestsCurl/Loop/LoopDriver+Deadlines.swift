import CRequestsCurl
import Requests
import RequestsClient

/// Ends the transfers that take too long.
extension LoopDriver {
    func awaitSettings(of origin: OriginCache.Origin) {
        let end = clock.now + UInt64(settings.configuration.settlingTime / .nanoseconds(1))
        settling.append((origin, end))
        sweepDeadline = min(end, sweepDeadline ?? .max)
    }

    /// Ends the transfers whose deadline has passed, and finds the next deadline.
    func sweep() {
        sweepDeadline = nil
        if settings.configuration.quirks.reportsErrorsLate { poller.serveAll() }
        while let first = settling.first, first.end <= clock.now {
            settling.removeFirst()
            noteSettled(first.origin)
        }
        sweepDeadline = settling.first?.end
        for transfer in transfers {
            if let limit = transfer.deadlines.reached(at: clock.now) {
                // A complete response need not wait for the request body.
                end(
                    transfer,
                    transfer.isWhole ? transfer.outcome(of: CURLE_SEND_ERROR) : .failure(transfer.timedOut(limit))
                )
            } else {
                noteDeadline(of: transfer)
            }
        }
    }

    func noteDeadline(of transfer: Transfer) {
        guard !transfer.isEnded else { return }
        let nextServe = settings.configuration.quirks.reportsErrorsLate ? clock.now + 1_000_000_000 : .max
        sweepDeadline = min(nextServe, transfer.deadlines.next ?? .max, sweepDeadline ?? .max)
    }
}

extension Result<Header?, any Error> {
    var isConnectTimeout: Bool {
        if case .failure(let error as TransportError) = self { error.code == .timedOut(.connect) } else { false }
    }
}
