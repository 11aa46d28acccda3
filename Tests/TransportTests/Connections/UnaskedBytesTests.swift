#if os(Linux)
import Foundation
import RequestsConformance
import RequestsTesting
import Testing

@testable import RequestsCurl

/// What a server sends over a kept connection before the next request must not be read as its response.
@Suite("Bytes on an idle connection", .timeLimit(.minutes(5)))
struct UnaskedBytesTests {
    private func exchange(_ method: HTTPMethod, _ server: LoopbackServer, _ transport: CurlTransport) async throws
        -> String
    {
        let options = CallOptions(timeouts: .unlimited)
        let url = try RequestURL(server.baseURL.absoluteString)
        let response = try await transport.send(PreparedRequest(method: method, url: url, options: options))
        return String(decoding: try await response.content.collect(upTo: .max), as: UTF8.self)
    }

    /// Responds to the first request of its first connection, sends bytes on demand, and then responds to the others.
    private func serve(_ unasked: String, when isAnswered: DispatchSemaphore, sent: DispatchSemaphore) throws
        -> LoopbackServer
    {
        let isFirst = Locked(true)
        return try LoopbackServer { connection in
            guard try connection.readRequest() != nil else { return }
            let mustWait = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            try connection.write(.init(200, .plainText, mustWait ? "first" : "second"))
            guard mustWait else { return }
            isAnswered.wait()
            try connection.write(unasked)
            sent.signal()
            while !(try connection.read().isEmpty) {}
        }
    }

    @Test(
        "Bytes on an idle connection aren't a response, and end the connection",
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil", "x",
            "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
        ],
        ["GET", "POST"] as [HTTPMethod]
    )
    func idle(unasked: String, method: HTTPMethod) async throws {
        // With libcurl 7 only epoll shows it in time.
        let pollers = LinkedLibcurl.version < 800 ? [true] : [true, false]
        for waitsWithEpoll in pollers {
            let (isAnswered, sent) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let server = try serve(unasked, when: isAnswered, sent: sent)
            defer { server.stop() }
            var configuration = CurlTransport.Configuration()
            configuration.waitsWithEpoll = waitsWithEpoll
            let transport = try CurlTransport(configuration: configuration)
            #expect(try await exchange(.get, server, transport) == "first")
            isAnswered.signal()
            await wait(for: sent)
            #expect(try await exchange(method, server, transport) == "second")
            #expect(server.acceptedConnections == 2)
        }
    }

    @Test("Bytes on an idle connection aren't a response while another connection with the same port is paused")
    func sharedPort() async throws {
        let (isAnswered, sent) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let server = try serve("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil", when: isAnswered, sent: sent)
        defer { server.stop() }
        let large = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write(.init(200, body: Data(repeating: 7, count: 8 << 20)))
        }
        defer { large.stop() }
        let unused = try LoopbackServer { _ in }
        unused.stop()
        var configuration = CurlTransport.Configuration()
        configuration.connections.localPort = unused.port
        let transport = try CurlTransport(configuration: configuration)

        let paused = try await startPausing(RequestURL(large.baseURL.absoluteString), transport)
        #expect(try await exchange(.get, server, transport) == "first")
        isAnswered.signal()
        await wait(for: sent)
        #expect(try await exchange(.get, server, transport) == "second")
        #expect(try await paused.content.collect(upTo: .max).count == 8 << 20)
    }

    /// Sends a request and waits until enough of the body has arrived for its reader to be behind.
    private func startPausing(_ url: RequestURL, _ transport: CurlTransport) async throws -> Response<ResponseBody> {
        let isFull = DispatchSemaphore(value: 0)
        let limit = CurlTransport.Configuration().highWaterMark
        var request = try PreparedRequest(url: url, options: CallOptions(timeouts: .unlimited))
        request.options.observer = { event in
            if case .received(let bytes, _) = event, bytes > limit { isFull.signal() }
        }
        let response = try await transport.send(request)
        await wait(for: isFull)
        return response
    }

    private static func answer(on stream: UInt32) -> HTTP2.Frame {
        .headers([":status": "200"], on: stream, endStream: true)
    }

    @Test("A request that a GOAWAY refuses uses a new connection, or fails in a way that allows a retry")
    func refused() async throws {
        let server = try LoopbackServer { connection in
            try connection.acceptHTTP2()
            try connection.readStreams { stream in
                try connection.write(stream == 1 ? Self.answer(on: 1) : .goAway(after: 1))
            }
        }
        defer { server.stop() }
        var configuration = CurlTransport.Configuration()
        configuration.httpVersion = .http2WithPriorKnowledge
        let transport = try CurlTransport(configuration: configuration)
        #expect(try await exchange(.get, server, transport) == "")
        // Libcurl makes a new connection for it, or says that there has to be one.
        do {
            #expect(try await exchange(.get, server, transport) == "")
        } catch let error as TransportError {
            #expect(error.code == .closed)
            #expect(!error.requestMayHaveBeenProcessed)
        }
    }

    /// Libcurl 7.88 finds such a frame when it uses the connection again, and fails this request and all later ones.
    @Test(
        "An HTTP/2 frame on an idle connection doesn't fail the next exchange",
        arguments: [.ping(), .windowUpdate(0, 1), .settings(), HTTP2.Frame(.unknown)] as [HTTP2.Frame]
    )
    func frame(frame: HTTP2.Frame) async throws {
        let (isAnswered, sent) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let server = try LoopbackServer { connection in
            try connection.acceptHTTP2()
            try connection.readStreams { stream in
                try connection.write(Self.answer(on: stream))
                isAnswered.wait()
                try connection.write(frame)
                sent.signal()
            }
        }
        defer { server.stop() }
        var configuration = CurlTransport.Configuration()
        configuration.httpVersion = .http2WithPriorKnowledge
        let transport = try CurlTransport(configuration: configuration)
        for _ in 0..<3 {
            #expect(try await exchange(.get, server, transport) == "")
            isAnswered.signal()
            await wait(for: sent)
        }
    }

    private func wait(for semaphore: DispatchSemaphore) async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                semaphore.wait()
                continuation.resume()
            }
        }
    }

    @Test("Bytes of a response are all read if only its reader is slow")
    func paused() async throws {
        let size = 4 << 20
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write(.init(200, body: Data(repeating: 7, count: size)))
        }
        defer { server.stop() }
        let transport = try CurlTransport()
        let url = try RequestURL(server.baseURL.absoluteString)
        let response = try await transport.send(PreparedRequest(url: url))
        // Other exchanges turn the loop meanwhile.
        let others = try LoopbackServer.http { _ in .init(200, .plainText, "other") }
        defer { others.stop() }
        for _ in 0..<20 { #expect(try await exchange(.get, others, transport) == "other") }
        #expect(try await response.content.collect(upTo: .max).count == size)
    }
}
#endif
