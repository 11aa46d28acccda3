import Foundation
import Requests
import RequestsCurl
import RequestsTesting
import Testing

/// The server resets the connection when its answer has arrived, and the source of the request has more to give.
@Suite("An answer before the end of its request")
struct EarlyAnswerTests {
    private func upload(answeredBy reply: String) async throws -> String {
        let mayReset = DispatchSemaphore(value: 0)
        let (isReset, resets) = AsyncStream.makeStream(of: Void.self)
        let server = try LoopbackServer { connection in
            // The head, and the first chunk.
            var received = ""
            while !received.hasSuffix("\r\n1\r\na\r\n") {
                received += String(decoding: try connection.read(), as: UTF8.self)
            }
            try connection.write(reply)
            mayReset.wait()
            connection.reset()
            resets.finish()
        }
        defer { server.stop() }
        let (source, pieces) = AsyncStream.makeStream(of: Data.self)
        let request = try PreparedRequest(
            method: .put,
            url: RequestURL(server.baseURL.absoluteString),
            header: [.contentType(.binary)],
            body: .chunks(source)
        )
        pieces.yield(Data("a".utf8))
        let body = try await CurlTransport().send(request).content.makeAsyncIterator()
        var answer = ""
        while answer.count < 2, let piece = try await body.next() { answer += String(decoding: piece, as: UTF8.self) }
        mayReset.signal()
        for await _ in isReset {}
        for _ in 0..<10 { pieces.yield(Data(count: 100_000)) }
        pieces.finish()
        while let piece = try await body.next() { answer += String(decoding: piece, as: UTF8.self) }
        return answer
    }

    @Test(
        "is whole where its framing says so, however the connection ends",
        arguments: ["Content-Length: 2\r\n\r\nok", "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"]
    )
    func whole(reply: String) async throws {
        #expect(try await upload(answeredBy: "HTTP/1.1 200 OK\r\n\(reply)") == "ok")
    }

    @Test(
        "is cut where its framing says that there is more",
        arguments: ["Content-Length: 3\r\n\r\nok", "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n", "\r\nok"]
    )
    func cut(reply: String) async throws {
        let error = await #expect(throws: TransportError.self) {
            try await upload(answeredBy: "HTTP/1.1 200 OK\r\n\(reply)")
        }
        #expect(error?.code == .truncated)
    }
}
