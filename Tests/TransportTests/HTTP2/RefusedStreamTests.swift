import Dispatch
import RequestsConformance
import RequestsTesting
import Testing

@testable import RequestsCurl

/// A server that sends `REFUSED_STREAM` hasn't processed the request (RFC 9113 §8.7).
@Suite("Refused HTTP/2 streams and connections that end", .timeLimit(.minutes(5)))
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

    private static func transportOverRelays() throws -> CurlTransport {
        var configuration = CurlTransport.Configuration()
        configuration.tls.dangerouslyUnverifiedHosts = ["127.0.0.1"]
        return try CurlTransport(configuration: configuration)
    }

    private static func request(
        _ method: HTTPMethod,
        _ body: RequestBody = .none,
        over relay: TLSRelay
    ) throws -> PreparedRequest {
        try PreparedRequest(
            method: method,
            url: RequestURL(relay.url.absoluteString),
            body: body,
            options: CallOptions(timeouts: .unlimited)
        )
    }

    /// Sends requests to a server whose connections take `limit` requests each, and refuse others by a GOAWAY frame.
    private func exchange(_ method: HTTPMethod, count: Int, width: Int, limit: Int) async throws -> Served {
        let served = Served()
        let server = try LoopbackServer { connection in
            served.connections.withLock { $0 += 1 }
            var streams = 0
            try connection.acceptHTTP2()
            try connection.readStreams { stream in
                streams += 1
                guard streams <= limit else { return }
                if streams == limit { try connection.write(.goAway(after: stream)) }
                served.requests.withLock { $0 += 1 }
                try connection.write(
                    .headers([":status": "200", "content-length": "2"], on: stream),
                    .data("ok", on: stream)
                )
            }
        }
        defer { server.stop() }
        let relay = try TLSRelay(to: server.baseURL)
        let transport = try Self.transportOverRelays()
        let request = try Self.request(method, over: relay)
        await withTaskGroup { group in
            for _ in 0..<width {
                group.addTask {
                    for _ in 0..<count / width {
                        do {
                            let body = try await transport.send(request).content
                            _ = try await body.collect(upTo: 2)
                        } catch {
                            served.errors.withLock { $0.append(error) }
                        }
                    }
                }
            }
        }
        return served
    }

    private final class Served: Sendable {
        let connections = Locked(0)
        let requests = Locked(0)
        let errors = Locked<[any Error]>([])
    }

    @Test(
        "Requests that a kept connection refuses share the next one",
        .enabled(if: !Quirks.linked.switchesAgain, "libcurl 7.88 doesn't send all of them again")
    )
    func sharing() async throws {
        let served = try await exchange(.get, count: 200, width: 20, limit: 50)
        #expect(served.errors.withLock { $0.map { "\($0)" } } == [])
        #expect(served.requests.withLock { $0 } == 200)
        // Four are needed.
        #expect(served.connections.withLock { $0 } <= 10)
    }

    @Test("Only the first two connections that end after as many requests as others cost POSTs")
    func rollovers() async throws {
        let served = try await exchange(.post, count: 800, width: 16, limit: 50)
        // Each of the first two refuses at most what was in flight.
        let errors = served.errors.withLock { $0 }
        #expect(errors.count <= 32)
        #expect(served.requests.withLock { $0 } == 800 - errors.count)
        // 16 are needed.
        #expect(served.connections.withLock { $0 } <= 24)
    }

    @Test(
        "A POST that a kept connection refuses is sent again",
        .enabled(if: Quirks.linked.logsRefusals, "libcurl before 8.19 doesn't tell why it would send it again")
    )
    func refusedPost() async throws {
        let served = try await exchange(.post, count: 200, width: 20, limit: 50)
        #expect(served.errors.withLock { $0.map { "\($0)" } } == [])
        #expect(served.requests.withLock { $0 } == 200)
    }

    /// A client can't know whether a connection that ends without a GOAWAY frame has delivered its requests.
    @Test(
        "If a shared HTTP/2 connection ends without a response, only idempotent requests are sent again, over one other",
        arguments: [(HTTPMethod.get, 1, true), (.put, 1, true), (.get, 20, true), (.post, 1, true), (.get, 20, false)]
    )
    func end(method: HTTPMethod, width: Int, isKept: Bool) async throws {
        let connections = Locked(0)
        let server = try LoopbackServer { connection in
            let isFirst = connections.withLock { count in
                count += 1
                return count == 1
            }
            var streams = 0
            try connection.acceptHTTP2()
            while let frame = try connection.readFrame() {
                try connection.acknowledge(frame)
                guard frame.kind == .headers else { continue }
                streams += 1
                // Only the request before the others gets a response over the first connection.
                if !isFirst || streams == 1 && isKept {
                    try connection.write(.headers([":status": "204"], on: frame.stream, endStream: true))
                } else if streams == width + (isKept ? 1 : 0) {
                    return
                }
            }
        }
        defer { server.stop() }
        // libcurl 7.88 shares no connections without TLS.
        let relay = try TLSRelay(to: server.baseURL)
        let transport = try Self.transportOverRelays()
        let request = try Self.request(method, over: relay)
        if isKept { _ = try await transport.send(request) }
        let errors = await withTaskGroup(of: TransportError?.self) { group in
            for _ in 0..<width {
                group.addTask {
                    do {
                        _ = try await transport.send(request)
                        return nil
                    } catch {
                        return error as? TransportError
                    }
                }
            }
            return await group.reduce(into: [TransportError?]()) { $0.append($1) }
        }
        let expected = method == .post ? TransportError.Code.closed : nil
        #expect(errors.map { $0?.code } == Array(repeating: expected, count: width))
        #expect(errors.allSatisfy { $0?.requestMayHaveBeenProcessed != false })
        #expect(connections.withLock { $0 } == (method == .post ? 1 : 2))
    }

    @Test("The metrics of a request that is sent again include its first attempt", arguments: [HTTPMethod.get, .put])
    func metrics(method: HTTPMethod) async throws {
        let (arrivals, didArrive) = AsyncStream.makeStream(of: Void.self)
        let mayEnd = DispatchSemaphore(value: 0)
        let isFirst = Locked(true)
        let server = try LoopbackServer { connection in
            let isFirst = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            try connection.acceptHTTP2()
            while let frame = try connection.readFrame() {
                try connection.acknowledge(frame)
                guard frame.kind == .headers else { continue }
                guard !isFirst || frame.stream == 1 else {
                    didArrive.yield()
                    mayEnd.wait()
                    return
                }
                try connection.write(.headers([":status": "204"], on: frame.stream, endStream: true))
            }
        }
        defer { server.stop() }
        let relay = try TLSRelay(to: server.baseURL)
        let transport = try Self.transportOverRelays()
        let request = try Self.request(method, method == .put ? .data(Data("a".utf8)) : .none, over: relay)
        _ = try await transport.send(request)
        let sending = Task { try await transport.send(request).metrics }
        for await _ in arrivals { break }
        // The first attempt takes longer than another exchange meanwhile.
        let other = try LoopbackServer.http { _ in LoopbackServer.Answer(204) }
        defer { other.stop() }
        let shorter = try await CurlTransport().send(
            PreparedRequest(url: RequestURL(other.baseURL.absoluteString))
        )
        let least = try #require(shorter.metrics?.responseEnd)
        mayEnd.signal()
        let metrics = try #require(try await sending.value)
        let times = [metrics.requestStart, metrics.responseStart, metrics.responseEnd].compactMap(\.self)
        #expect(times.count == 3 && times.sorted() == times && times[0] >= least, "\(times), at least \(least)")
    }

    @Test("A tunnel that ends, and can't be opened again, ends the request", arguments: [true, false])
    func endOfTunnel(responds: Bool) async throws {
        let connects = Locked(0)
        let requests = Locked(0)
        let proxy = try LoopbackServer { connection in
            while let head = try connection.readHead() {
                if head.hasPrefix("CONNECT") {
                    let count = connects.withLock { count in
                        count += 1
                        return count
                    }
                    // More than the transport may try, so that a loop has an end.
                    guard count == 1 || count > 10 else {
                        if responds { try connection.write("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n") }
                        return
                    }
                    try connection.write("HTTP/1.1 200 OK\r\n\r\n")
                    continue
                }
                let isFirst = requests.withLock { count in
                    count += 1
                    return count == 1
                }
                guard isFirst || connects.withLock({ $0 }) > 10 else { return }
                try connection.write("HTTP/1.1 204 No Content\r\n\r\n")
            }
        }
        defer { proxy.stop() }
        var configuration = CurlTransport.Configuration()
        configuration.proxy = .http("127.0.0.1", port: Int(proxy.port)).tunneling()
        let transport = try CurlTransport(configuration: configuration)
        let request = try PreparedRequest(
            url: RequestURL("http://api.example/"),
            options: CallOptions(timeouts: .unlimited)
        )
        _ = try await transport.send(request)
        await #expect(throws: TransportError.self) { _ = try await transport.send(request) }
        #expect(connects.withLock { $0 } <= 4)
    }

    @Test("The idle timeout ends an upload that the server doesn't read, although the system's buffer grows")
    func unreadUpload() async throws {
        let isOver = DispatchSemaphore(value: 0)
        let server = try LoopbackServer { _ in isOver.wait() }
        defer {
            isOver.signal()
            server.stop()
        }
        let request = try PreparedRequest(
            method: .put,
            url: RequestURL(server.baseURL.absoluteString),
            body: .data(Data(count: 30_000_000)),
            options: CallOptions(timeouts: Timeouts(idle: .milliseconds(1500), total: .seconds(10)))
        )
        let error = await #expect(throws: TransportError.self) { _ = try await CurlTransport().send(request) }
        #expect(error?.code == .timedOut(.idle))
    }
}
