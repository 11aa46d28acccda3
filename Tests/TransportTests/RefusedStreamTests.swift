import Foundation
import Requests
import RequestsClient
import RequestsCurl
import RequestsTesting
import Testing

/// What a server refuses with `REFUSED_STREAM` it has not begun to process (RFC 9113 §8.7).
@Suite("A request that a server of HTTP/2 refuses", .timeLimit(.minutes(5)))
struct RefusedStreamTests {
    /// Sends a request to a server that refuses as many as are said.
    private func exchange(_ method: HTTPMethod, refusing count: Int) async throws -> (status: Int, asked: Int) {
        let asked = Locked(0)
        let server = try LoopbackServer { connection in
            try Frames.readStreams(of: connection) { stream in
                let number = asked.withLock { asked in
                    asked += 1
                    return asked
                }
                let frames =
                    number <= count
                    ? [Frames.reset(stream, 7)]
                    : [
                        Frames.head([":status": "200", "content-length": "2"], on: stream),
                        Frames.data("ok", on: stream),
                    ]
                for frame in frames { try connection.write(frame) }
            }
        }
        defer { server.stop() }
        var configuration = CurlTransport.Configuration()
        configuration.httpVersion = .http2WithPriorKnowledge
        let request = try PreparedRequest(
            method: method,
            url: RequestURL(server.baseURL.absoluteString),
            options: RequestOptions(timeouts: .unlimited)
        )
        do {
            let response = try await CurlTransport(configuration: configuration).send(request)
            return (response.head.statusCode, asked.withLock { $0 })
        } catch let error as TransportError {
            #expect(error.code == .closed)
            #expect(!error.requestMayHaveBeenProcessed)
            return (0, asked.withLock { $0 })
        }
    }

    @Test("is sent again, whatever its method", arguments: ["GET", "POST"] as [HTTPMethod])
    func once(method: HTTPMethod) async throws {
        let (status, asked) = try await exchange(method, refusing: 1)
        #expect((status, asked) == (200, 2))
    }

    @Test("is an error when the server refuses it again", arguments: ["GET", "POST"] as [HTTPMethod])
    func always(method: HTTPMethod) async throws {
        let (status, asked) = try await exchange(method, refusing: .max)
        #expect((status, asked) == (0, 2))
    }
}
