import Requests
import RequestsClient

/// The body of a stub's response. Reading it enforces the request's timeouts, and updates the metrics and the observer.
final class StubBody: ForwardingSource {
    let base: any ResponseBodySource
    private let total: Int64?
    private let exchange: StubExchange
    private let measures: Bool

    init(_ response: Response<ResponseBody>, of exchange: StubExchange, to method: HTTPMethod, measures: Bool) {
        base = response.content.source
        total = response.head.expectedBytes(to: method)
        self.exchange = exchange
        self.measures = measures
    }

    deinit { exchange.end() }

    func next() async throws -> Data? {
        do {
            let chunk = try await exchange.limited { [base] in try await base.next() }
            if let chunk { exchange.noteReceived(chunk, total: total) } else { exchange.end() }
            return chunk
        } catch {
            cancel()
            throw error
        }
    }

    func cancel() {
        base.cancel()
        exchange.end()
    }

    var boxedMetrics: TransferMetrics.Boxed? { measures ? TransferMetrics.Boxed(exchange.metrics) : nil }
}
