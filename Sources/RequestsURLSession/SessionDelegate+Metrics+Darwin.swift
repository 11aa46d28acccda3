#if FullFoundation && canImport(Darwin)
import Foundation
import Requests
import RequestsClient
import Security

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
            known.setConnection(
                protocolName: transaction.networkProtocolName,
                tlsVersion: transaction.negotiatedTLSProtocolVersion?.rawValue,
                local: (transaction.localAddress, transaction.localPort),
                remote: (transaction.remoteAddress, transaction.remotePort)
            )
        }
    }
}
#endif
