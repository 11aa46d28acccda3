#if canImport(Darwin)
import Foundation
import Requests

/// Collects the metrics of the last transaction of an exchange.
extension SessionDelegate {
    @objc(URLSession:task:didFinishCollectingMetrics:)
    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
        guard let transaction = metrics.transactionMetrics.last, let start = transaction.fetchStartDate else { return }
        func mark(_ date: Date?) -> Duration? { date.map { .seconds($0.timeIntervalSince(start)) } }
        exchange(of: task)?.note { known in
            known.nameResolved = mark(transaction.domainLookupEndDate)
            known.connected = mark(transaction.connectEndDate)
            known.secured = mark(transaction.secureConnectionEndDate)
            known.requestStarted = mark(transaction.requestStartDate)
            known.responseStarted = mark(transaction.responseStartDate)
            known.isConnectionReused = transaction.isReusedConnection
            known.httpVersion = ["http/1.1": .http1_1, "h2": .http2][transaction.networkProtocolName ?? ""]
            known.localAddress = transaction.localAddress.map { "\($0):\(transaction.localPort ?? 0)" }
            known.remoteAddress = transaction.remoteAddress.map { "\($0):\(transaction.remotePort ?? 0)" }
            known.receivedBodyBytes = transaction.countOfResponseBodyBytesReceived
        }
    }
}
#endif
