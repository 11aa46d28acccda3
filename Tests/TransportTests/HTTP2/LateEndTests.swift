#if os(Linux) || os(macOS)
import Dispatch
import Foundation
import RequestsConformance
import RequestsTestSupport
import RequestsTesting
import Testing

@testable import RequestsCurl

/// Servers that end an HTTP/2 stream in another frame, as node, hypercorn and twisted do.
@Suite("Late ends of HTTP/2 streams", .timeLimit(.minutes(5)))
struct LateEndTests {
    /// Responds with two bytes, and ends the stream in the same write, or after a pause from one request on.
    private func server(lateFrom first: Int) throws -> LoopbackServer {
        let count = Locked(0)
        return try LoopbackServer { connection in
            try connection.acceptHTTP2()
            try connection.readStreams { stream in
                let head = HTTP2.Frame.headers([":status": "200", "content-length": "2"], on: stream)
                let body = HTTP2.Frame.data("ok", on: stream, endStream: false)
                let end = HTTP2.Frame.data("", on: stream)
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                guard number >= first else { return try connection.write(head, body, end) }
                try connection.write(head, body)
                usleep(5000)
                try connection.write(end)
            }
        }
    }

    private func connections(to server: LoopbackServer, waitsWithEpoll: Bool) async throws -> Int {
        let relay = try TLSRelay(to: server.baseURL)
        var configuration = CurlTransport.Configuration()
        configuration.tls.dangerouslyUnverifiedHosts = ["127.0.0.1"]
        configuration.waitsWithEpoll = waitsWithEpoll
        let transport = try CurlTransport(configuration: configuration)
        let request = try PreparedRequest(url: RequestURL(relay.url.absoluteString))
        for _ in 0..<40 {
            let response = try await transport.send(request)
            #expect(try await response.content.collect(upTo: 2) == Data("ok".utf8))
            // The late end arrives over an idle connection.
            try await Task.sleep(for: .milliseconds(15))
        }
        return server.acceptedConnections
    }

    @Test("Requests share a connection to a server that ends streams late", arguments: [true, false])
    func always(waitsWithEpoll: Bool) async throws {
        #expect(try await connections(to: server(lateFrom: 1), waitsWithEpoll: waitsWithEpoll) == 1)
    }

    @Test(
        "A frame over an idle connection doesn't harm the next request",
        arguments: [
            Named("PING", [HTTP2.Frame.ping()]), Named("SETTINGS", [.settings([.initialWindowSize: 100_000])]),
            Named("WINDOW_UPDATE", [.windowUpdate(0, 1000)]), Named("GOAWAY", [.goAway(after: 1)]),
        ],
        [true, false]
    )
    func unasked(frames: Named<[HTTP2.Frame]>, waitsWithEpoll: Bool) async throws {
        let (isAnswered, isWritten) = (DispatchSemaphore(value: 0), Promise<Void>())
        let isFirst = Locked(true)
        let server = try LoopbackServer { connection in
            try connection.acceptHTTP2()
            let writesFrames = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            try connection.readStreams { stream in
                let head = HTTP2.Frame.headers([":status": "200", "content-length": "2"], on: stream)
                try connection.write(head, .data("ok", on: stream, endStream: true))
                guard writesFrames, stream == 1 else { return }
                isAnswered.wait()
                for frame in frames.value { try connection.write(frame) }
                usleep(20_000)
                isWritten.give(.success(()))
            }
        }
        let relay = try TLSRelay(to: server.baseURL)
        var configuration = CurlTransport.Configuration()
        configuration.tls.dangerouslyUnverifiedHosts = ["127.0.0.1"]
        configuration.waitsWithEpoll = waitsWithEpoll
        let transport = try CurlTransport(configuration: configuration)
        let request = try PreparedRequest(url: RequestURL(relay.url.absoluteString))
        #expect(try await transport.send(request).content.collect(upTo: 2) == Data("ok".utf8))
        isAnswered.signal()
        try await isWritten.take()
        for _ in 1...3 { #expect(try await transport.send(request).content.collect(upTo: 2) == Data("ok".utf8)) }
    }

    @Test("Requests share connections to a server that begins to end streams late", arguments: [true, false])
    func later(waitsWithEpoll: Bool) async throws {
        #expect(try await connections(to: server(lateFrom: 20), waitsWithEpoll: waitsWithEpoll) <= 2)
    }
}
#endif
