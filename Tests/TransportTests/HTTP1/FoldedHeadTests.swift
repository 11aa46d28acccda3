import Foundation
import RequestsTesting
import Testing

@testable import RequestsCurl

@Suite("Folded header lines over libcurl", .timeLimit(.minutes(5)))
struct FoldedHeadTests {
    private func get(_ reply: String, over transport: CurlTransport) async throws -> Response<ResponseBody> {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write(reply)
        }
        defer { server.stop() }
        let url = try RequestURL(server.baseURL.absoluteString)
        let options = CallOptions(timeouts: .unlimited)
        return try await transport.send(PreparedRequest(method: .get, url: url, options: options))
    }

    @Test("Many folded header lines are parsed in linear time")
    func many() throws {
        var reader = HeadReader()
        let folded = Array(repeating: " a\r\n", count: 20_000)
        let start = try cpuTime()
        for line in ["HTTP/1.1 200 OK\r\n", "X-A: a\r\n"] + folded + [
            "X-B: b\r\n", " c\r\n", " \r\n", "X-C:\r\n", " d\r\n",
        ] {
            _ = try Array(line.utf8).withUnsafeBytes { try reader.read($0) }
        }
        #expect(try cpuTime() - start < 2)
        #expect(reader.header.map(\.value.utf8.count) == [40_001, 3, 1])
    }

    /// The CPU time of this thread in seconds, which excludes the other tests.
    private func cpuTime() throws -> Double {
        var time = timespec()
        try #require(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    @Test("A long first field isn't mistaken for a folded line")
    func long() async throws {
        for padding in 0..<3 {
            let value = String(repeating: "a", count: padding) + String(repeating: "b ", count: 20_000)
            let reply = "HTTP/1.1 200 OK\r\nX: \(value)c\r\nContent-Length: 0\r\n\r\n"
            #expect(try await get(reply, over: CurlTransport()).head.header["X"]?.utf8.count == padding + 40_001)
        }
    }

    @Test("A folded line before the first field is malformed, whatever the previous response was")
    func first() async throws {
        let transport = try CurlTransport()
        for size in 1..<40 {
            let fields = (0..<size).map { "X-\($0): \(String(repeating: "x", count: size * 7))\r\n" }.joined()
            _ = try await get("HTTP/1.1 200 OK\r\n\(fields)Content-Length: 0\r\n\r\n", over: transport)
            let error = await #expect(throws: TransportError.self) {
                try await get("HTTP/1.1 200 OK\r\n  b: c\r\n\r\n", over: transport)
            }
            #expect(error?.code == .malformed)
        }
    }
}
