import RequestsConformance
import RequestsTesting
import Testing

@testable import RequestsCurl

@Suite("Responses beside their uploads", .timeLimit(.minutes(5)))
struct DuplexTests {
    @Test("A response is read while its upload waits, also if frames of other requests arrive with it")
    func echo() async throws {
        let server = try LoopbackServer { connection in
            var streams: [UInt32] = []
            try connection.acceptHTTP2()
            while let frame = try connection.readFrame() {
                try connection.acknowledge(frame)
                if frame.kind == .headers {
                    streams.append(frame.stream)
                    try connection.write(.headers([":status": "200"], on: frame.stream))
                } else if frame.kind == .data, !frame.payload.isEmpty {
                    // In one piece, so that libcurl reads it for any one of the requests.
                    try connection.write(streams.map { .data("echo", on: $0, endStream: false) })
                }
            }
        }
        defer { server.stop() }
        var configuration = CurlTransport.Configuration()
        configuration.tls.dangerouslyUnverifiedHosts = ["127.0.0.1"]
        let transport = try CurlTransport(configuration: configuration)
        // libcurl 7.88 shares no connections without TLS.
        let relay = try TLSRelay(to: server.baseURL)
        let url = try RequestURL(relay.url.absoluteString)
        let options = CallOptions(timeouts: .unlimited)
        let (chunks, source) = AsyncStream.makeStream(of: Data.self)
        let get = try PreparedRequest(url: url, options: options)
        let post = try PreparedRequest(method: .post, url: url, body: .chunks(chunks), options: options)
        let before = try await transport.send(get).content.makeAsyncIterator()
        let upload = try await transport.send(post).content.makeAsyncIterator()
        let after = try await transport.send(get).content.makeAsyncIterator()
        for _ in 0..<20 {
            source.yield(Data("part".utf8))
            for response in [before, upload, after] { #expect(try await response.next() == Data("echo".utf8)) }
        }
        source.finish()
    }
}
