#if FullFoundation && canImport(Darwin)
import Foundation
import Requests
import RequestsClient

/// Collects the metrics of an exchange's last transaction.
extension SessionDelegate {
    @objc(URLSession:task:didFinishCollectingMetrics:)
    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
        guard let transaction = metrics.transactionMetrics.last, let start = transaction.fetchStartDate else { return }
        func mark(_ date: Date?) -> Duration? { date.map { .seconds($0.timeIntervalSince(start)) } }
        exchange(of: task)?.exchange.measure { known in
            known.domainLookupEnd = mark(transaction.domainLookupEndDate)
            known.connectEnd = mark(transaction.connectEndDate)
            known.tlsEnd = mark(transaction.secureConnectionEndDate)
            known.requestStart = mark(transaction.requestStartDate)
            known.responseStart = mark(transaction.responseStartDate)
            known.isConnectionReused = transaction.isReusedConnection
            known.httpVersion = ["http/1.1": .http1_1, "h2": .http2][transaction.networkProtocolName ?? ""]
            known.localAddress = transaction.localAddress.map { "\($0):\(transaction.localPort ?? 0)" }
            known.remoteAddress = transaction.remoteAddress.map { "\($0):\(transaction.remotePort ?? 0)" }
        }
    }
}
#endif
