import Requests
import Testing

@Suite("What an exchange took", .timeLimit(.minutes(5)))
struct TransferMetricsTests {
    @Test("is one line of what is known")
    func description() {
        var metrics = TransferMetrics()
        #expect(metrics.description == "")
        metrics.ended = .milliseconds(13)
        #expect(metrics.description == "ended after 13 ms")
        metrics.remoteAddress = "127.0.0.1:80"
        #expect(metrics.description == "ended after 13 ms, 127.0.0.1:80")
        metrics.connected = .microseconds(15)
        metrics.requestStarted = .microseconds(80)
        metrics.responseStarted = .microseconds(12_300)
        metrics.httpVersion = .http2
        metrics.tlsVersion = "TLSv1.3"
        let steps = "connected after 15 µs, sending after 80 µs, answered after 12 ms, ended after 13 ms"
        #expect(metrics.description == "\(steps), HTTP/2 over TLSv1.3 with 127.0.0.1:80")
    }
}
