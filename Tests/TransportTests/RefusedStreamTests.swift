import Foundation
import Requests
import RequestsClient
import RequestsConformance
import RequestsCurl
import RequestsTesting
import Testing

/// A server that sends `REFUSED_STREAM` hasn't processed the request (RFC 9113 §8.7).
@Suite("Refused HTTP/2 streams", .timeLimit(.minutes(5)))
struct RefusedStreamTests {
    /// Sends a request to a server that refuses the first `count` streams.
    private func exchange(_ method: HTTPMethod, refusing count: Int) async throws -> (status: Int, received: Int) {
        let received = Locked(0)
        let server = try LoopbackServer { connection in
            try connection.acceptHTTP2()
            try connection.readStreams { stream in
                let number = received.withLock { received in
                    received += 1
                    return received
                }
                if number <= count { return try connection.write(.resetStream(stream, .refusedStream)) }
                try connection.write(
                    .headers([":status": "200", "content-length": "2"], on: stream),
                    .data("ok", on: stream)
                )
            }
        }
        defer { server.stop() }
        var configuration = CurlTransport.Configuration()
        configuration.httpVersion = .http2WithPriorKnowledge
        let request = try PreparedRequest(
            method: method,
            url: RequestURL(server.baseURL.absoluteString),
            options: CallOptions(timeouts: .unlimited)
        )
        do {
            let response = try await CurlTransport(configuration: configuration).send(request)
            return (response.head.statusCode, received.withLock { $0 })
        } catch let error as TransportError {
            #expect(error.code == .closed)
            #expect(!error.requestMayHaveBeenProcessed)
            return (0, received.withLock { $0 })
        }
    }

    @Test("A refused HTTP/2 stream is retried for every method", arguments: ["GET", "POST"] as [HTTPMethod])
    func once(method: HTTPMethod) async throws {
        let (status, received) = try await exchange(method, refusing: 1)
        #expect((status, received) == (200, 2))
    }

    @Test("A request is an error after a second refused HTTP/2 stream", arguments: ["GET", "POST"] as [HTTPMethod])
    func always(method: HTTPMethod) async throws {
        let (status, received) = try await exchange(method, refusing: .max)
        #expect((status, received) == (0, 2))
    }
}
