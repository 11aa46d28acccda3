import Requests
import Testing

@Suite("Transfer metrics", .timeLimit(.minutes(5)))
struct TransferMetricsTests {
    @Test("The description is one line of the known values")
    func description() {
        var metrics = TransferMetrics()
        #expect(metrics.description == "")
        metrics.responseEnd = .milliseconds(13)
        #expect(metrics.description == "ended after 13 ms")
        metrics.remoteAddress = "127.0.0.1:80"
        #expect(metrics.description == "ended after 13 ms, 127.0.0.1:80")
        metrics.connectEnd = .microseconds(15)
        metrics.requestStart = .microseconds(80)
        metrics.responseStart = .microseconds(12_300)
        metrics.httpVersion = .http2
        metrics.tlsVersion = "TLSv1.3"
        let steps = "connected after 15 µs, request after 80 µs, response after 12 ms, ended after 13 ms"
        #expect(metrics.description == "\(steps), HTTP/2 over TLSv1.3 with 127.0.0.1:80")
    }
}
