import Foundation
import RequestsCurl
import RequestsTesting
import Testing

@Suite("Events and metrics over libcurl", .timeLimit(.minutes(5)))
struct ObservationTests {
    private final class Events: Sendable {
        private let names = Locked<[String]>([])

        func add(_ event: PreparedRequest.Event) {
            let name = String("\(event)".prefix { $0 != "(" })
            // Collapses repeated events, because the number of chunks depends on the system.
            names.withLock { if $0.last != name { $0.append(name) } }
        }

        var all: [String] { names.withLock { $0 } }
    }

    private func exchange(
        _ request: PreparedRequest,
        over transport: any Transport
    ) async throws -> (events: [String], metrics: TransferMetrics?) {
        let events = Events()
        var request = request
        request.options.observer = { events.add($0) }
        let response = try await transport.send(request)
        _ = try await response.content.collect(upTo: .max)
        return (events.all, response.content.metrics)
    }

    @Test("Events are in order on a new and on a reused connection")
    func order() async throws {
        let server = try LoopbackServer { connection in
            while try connection.readRequest() != nil {
                try connection.write("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
        }
        let transport = try CurlTransport()
        let body = RequestBody.data(Data(count: 100_000))
        let request = try PreparedRequest(
            method: .post,
            url: RequestURL(server.baseURL.absoluteString),
            header: [.contentType(.binary)],
            body: body
        )
        let (events, metrics) = try await exchange(request, over: transport)
        let rest = ["sent", "requestSent", "informational", "head", "received", "ended"]
        #expect(events == ["resolved", "connected"] + rest)
        #expect(metrics?.sentBodyBytes == 100_000)
        #expect(metrics?.receivedBodyBytes == 2)
        #expect(metrics?.isConnectionReused == false)
        #expect(metrics?.httpVersion == .http1_1)
        #expect(metrics?.remoteAddress == "127.0.0.1:\(server.port)")
        let marks = [metrics?.connectEnd, metrics?.requestStart, metrics?.responseStart, metrics?.responseEnd]
        let times = marks.compactMap { $0 }
        #expect(times.count == 4)
        #expect(times == times.sorted())

        let (reusedEvents, reusedMetrics) = try await exchange(request, over: transport)
        #expect(reusedEvents == ["connected"] + rest)
        #expect(reusedMetrics?.isConnectionReused == true)
        #expect(reusedMetrics?.connectEnd == nil)
        #expect(reusedMetrics?.tlsEnd == nil)
    }

    @Test("responseStart is the start of the response, not of the request body")
    func responseStart() async throws {
        let server = try LoopbackServer { connection in
            while try connection.readRequest() != nil {
                Thread.sleep(forTimeInterval: 0.05)
                try connection.write(.init(200, .plainText, "ok"))
            }
        }
        for body in [RequestBody.none, .data(Data(count: 10)), .data(Data(count: 1_000_000))] {
            let request = try PreparedRequest(
                method: .put,
                url: RequestURL(server.baseURL.absoluteString),
                body: body
            )
            let response = try await CurlTransport().send(request)
            _ = try await response.content.collect(upTo: 2)
            #expect(response.content.metrics?.responseStart ?? .zero >= .milliseconds(50))
        }
    }

    @Test("Progress events have the number of bytes and the total")
    func progress() async throws {
        let server = try LoopbackServer.http { _ in .init(200, body: Data(count: 1_000_000)) }
        var request = try PreparedRequest(
            method: .put,
            url: RequestURL(server.baseURL.absoluteString),
            header: [.contentType(.binary)],
            body: .data(Data(count: 300_000))
        )
        let steps = Steps()
        request.options.observer = { steps.add($0) }
        _ = try await CurlTransport().send(request).content.collect(upTo: .max)
        for (steps, size) in [(steps.sent, Int64(300_000)), (steps.received, 1_000_000)] {
            #expect(steps.last?.bytes == size)
            #expect(steps.allSatisfy { $0.total == size })
            #expect(steps.map(\.bytes) == steps.map(\.bytes).sorted())
        }
    }

    @Test("The ended event follows a failed exchange")
    func failure() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome")
        }
        let events = Events()
        var request = try PreparedRequest(url: RequestURL(server.baseURL.absoluteString))
        request.options.observer = { events.add($0) }
        await #expect(throws: TransportError.self) {
            _ = try await CurlTransport().send(request).content.collect(upTo: .max)
        }
        #expect(events.all.last == "ended")
    }

    @Test("Metrics have the TLS version", .enabled(if: Nginx.tlsURL != nil))
    func tls() async throws {
        var configuration = CurlTransport.Configuration()
        configuration.tls.authorities = .file(try #require(Nginx.authority))
        configuration.tls.minimumVersion = .v1_3
        let url = try #require(Nginx.tlsURL).appending(path: "json")
        let request = try PreparedRequest(url: RequestURL(url.absoluteString))
        let (events, metrics) = try await exchange(request, over: CurlTransport(configuration: configuration))
        #expect(events == ["resolved", "connected", "secured", "requestSent", "head", "received", "ended"])
        #expect(metrics?.tlsVersion == (LibcurlBuild.usesOpenSSL ? "TLSv1.3" : nil))
        #expect(metrics?.tlsEnd != nil)
        #expect(metrics?.httpVersion == .http2)
    }

    @Test("The response and the log have the same metrics", arguments: TransportKind.allCases)
    func metrics(kind: TransportKind) async throws {
        let server = try LoopbackServer.http { _ in .init(200, .plainText, "hello") }
        let ended = Locked<Duration?>(nil)
        var configuration = Client.Configuration()
        configuration.log = LogDestination { event in
            if case .succeeded(_, _, _, let metrics) = event.kind { ended.withLock { $0 = metrics?.responseEnd } }
        }
        let client = Client(transport: try kind.makeTransport(), configuration: configuration)
        let request = BaseURL(baseURL: server.baseURL).get(.text, from: "/")
        let clock = ContinuousClock()
        let start = clock.now
        let metrics = try #require(try await client.response(for: request).metrics)
        let elapsed = clock.now - start
        let took = try #require(metrics.responseEnd)
        #expect(took > .zero && took <= elapsed)
        #expect(ended.withLock { $0 } == took)
    }
}

/// The reported progress.
private final class Steps: Sendable {
    struct Step {
        let bytes: Int64
        let total: Int64?
    }

    private let steps = Locked<(sent: [Step], received: [Step])>(([], []))

    func add(_ event: PreparedRequest.Event) {
        steps.withLock { steps in
            switch event {
            case .sent(let bytes, let total): steps.sent.append(Step(bytes: bytes, total: total))
            case .received(let bytes, let total): steps.received.append(Step(bytes: bytes, total: total))
            default: break
            }
        }
    }

    var sent: [Step] { steps.withLock { $0.sent } }
    var received: [Step] { steps.withLock { $0.received } }
}
