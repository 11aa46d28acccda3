import Foundation
import RequestsClient
import RequestsConformance
import RequestsTestSupport
import RequestsTesting
import Testing

/// The end of an exchange before its response is complete.
@Suite("Exchange runner", .timeLimit(.minutes(5)))
struct ExchangeRunnerTests {
    struct Broken: Error {}

    let runner = ExchangeRunner(capabilities: [.streamedRequestBodies])

    func request(_ method: HTTPMethod = .get, timeouts: Timeouts = Timeouts()) throws -> PreparedRequest {
        try PreparedRequest(
            method: method,
            url: RequestURL("https://h/?token=s3cret"),
            options: CallOptions(timeouts: timeouts)
        )
    }

    static func head(_ status: Int = 200, _ header: Header = .empty) throws -> ResponseHead {
        try ResponseHead(statusCode: status, header: header, url: RequestURL("https://h/"))
    }

    static func length(_ bytes: Int) -> Header { [Field(name: .contentLength, value: "\(bytes)")] }

    static func wait() async throws {
        for await _ in AsyncStream(Void.self, { _ in }) {}
        try Task.checkCancellation()
    }

    func failure(_ operation: () async throws -> Void) async throws -> TransportError {
        try #require(await #expect(throws: TransportError.self) { try await operation() })
    }

    @Test("A response is returned with its head, followed by its body and trailers")
    func response() async throws {
        let response = try await runner.run(request()) { exchange in
            try exchange.respond(with: ExchangeRunnerTests.head())
            try await exchange.write(Data("one".utf8))
            try await exchange.write(Data())
            try await exchange.write(Data("two".utf8))
            exchange.trailers = [Field(name: "Digest", value: "x")]
        }
        #expect(response.head.statusCode == 200)
        #expect(try await response.content.collect(upTo: 100) == Data("onetwo".utf8))
        #expect(response.content.trailers?["Digest"] == "x")
        #expect(response.content.metrics?.receivedBodyBytes == 6)
    }

    @Test("Informational heads go to the observer and aren't returned")
    func informational() async throws {
        let events = Recorder<String>()
        var request = try request()
        request.options.observer = { events.record(String("\($0)".prefix { $0 != "(" })) }
        let response = try await runner.run(request) { exchange in
            try exchange.respond(with: ExchangeRunnerTests.head(103))
            try exchange.respond(with: ExchangeRunnerTests.head(200, ExchangeRunnerTests.length(2)))
            try await exchange.write(Data("ok".utf8))
        }
        _ = try await response.content.collect(upTo: 100)
        #expect(events.recorded == ["informational", "requestSent", "head", "received", "ended"])
    }

    @Test("The request is reported as sent when its body ends, before the response")
    func requestSent() async throws {
        let events = Recorder<String>()
        var request = try request(.post)
        request.body = .data(Data("b".utf8))
        request.options.observer = { events.record(String("\($0)".prefix { $0 != "(" })) }
        let response = try await runner.run(request) { exchange in
            for try await _ in exchange.requestBody {}
            events.record("responding")
            try exchange.respond(with: ExchangeRunnerTests.head())
        }
        #expect(try await response.content.collect(upTo: 100).isEmpty)
        #expect(events.recorded == ["sent", "requestSent", "responding", "head", "ended"])
        #expect(response.content.metrics?.responseEnd != nil)
    }

    @Test("A write from another task that waits for the reader ends with the exchange")
    func foreignTask() async throws {
        let (tasks, started) = AsyncStream.makeStream(of: Task<Void, any Error>.self)
        let response = try await runner.run(request()) { exchange in
            try exchange.respond(with: ExchangeRunnerTests.head())
            started.yield(Task { try await exchange.write(Data(count: 1 << 20)) })
            try await ExchangeRunnerTests.wait()
        }
        for await task in tasks {
            for _ in 0..<100 { await Task.yield() }
            response.content.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            break
        }
    }

    @Test("A body with another length than its Content-Length fails", arguments: [(1, "truncated"), (3, "malformed")])
    func length(bytes: Int, code: String) async throws {
        let response = try await runner.run(request()) { exchange in
            try exchange.respond(with: ExchangeRunnerTests.head(200, ExchangeRunnerTests.length(2)))
            try await exchange.write(Data(count: bytes))
        }
        let error = try await failure { _ = try await response.content.collect(upTo: 100) }
        #expect(error.code.rawValue == code)
        #expect(error.phase == .receiving)
    }

    @Test("A failure after the last expected byte is ignored", arguments: [HTTPMethod.get, .head])
    func complete(method: HTTPMethod) async throws {
        let response = try await runner.run(request(method)) { exchange in
            try exchange.respond(with: ExchangeRunnerTests.head(200, ExchangeRunnerTests.length(2)))
            if method == .get { try await exchange.write(Data("ok".utf8)) }
            throw Broken()
        }
        #expect(try await response.content.collect(upTo: 100).count == (method == .get ? 2 : 0))
    }

    @Test("Decoding a body removes Content-Encoding and Content-Length", arguments: [HTTPMethod.get, .head])
    func decoded(method: HTTPMethod) async throws {
        let header: Header = [Field(name: .contentLength, value: "2"), Field(name: .contentEncoding, value: "gzip")]
        let response = try await runner.run(request(method)) { exchange in
            try exchange.respond(with: ExchangeRunnerTests.head(200, header), isDecoded: true)
            if method == .get { try await exchange.write(Data("four".utf8)) }
        }
        #expect(response.head.header == (method == .get ? .empty : header))
        #expect(try await response.content.collect(upTo: 100).count == (method == .get ? 4 : 0))
        #expect(response.content.metrics?.receivedBodyBytes == (method == .get ? 2 : 0), "before decoding")
    }

    @Test("An operation without a head fails as closed, without the library's message")
    func noHead() async throws {
        let silent = try await failure { _ = try await runner.run(request()) { _ in } }
        #expect(silent.code == .closed)
        let broken = try await failure { _ = try await runner.run(request()) { _ in throw Broken() } }
        #expect(
            broken.description
                == "closed: GET https://h/?token=REDACTED: the connection was closed before the response began (Broken)"
        )
        #expect(broken.phase == .sending)
        #expect(broken.underlying is Broken)
    }

    @Test("A second head throws")
    func twoHeads() async throws {
        let response = try await runner.run(request()) { exchange in
            try exchange.respond(with: ExchangeRunnerTests.head())
            try exchange.respond(with: ExchangeRunnerTests.head())
        }
        let error = try await failure { _ = try await response.content.collect(upTo: 100) }
        #expect(error.code == .malformed)
    }

    @Test("An error of the library has the code and phase that the transport returns for it")
    func codes() async throws {
        let runner = ExchangeRunner(capabilities: []) { $0 is Broken ? .tlsUntrusted : nil }
        let error = try await failure { _ = try await runner.run(request()) { _ in throw Broken() } }
        #expect(error.code == .tlsUntrusted)
        #expect(error.phase == .connecting)
        let own = TransportError.unsupported("no")
        let refused = try await failure { _ = try await runner.run(request()) { _ in throw own } }
        #expect(refused.code == .unsupported)
    }

    @Test(
        "A timeout ends an operation that hangs, before the head and inside the body",
        arguments: [Timeouts(idle: .seconds(10)), Timeouts(total: .seconds(10))]
    )
    func timeouts(timeouts: Timeouts) async throws {
        let limit: TransportError.Limit = timeouts.idle == nil ? .total : .idle
        let request = try request(timeouts: timeouts)
        let silent = try await failure {
            _ = try await runner.run(request) { _ in
                runner.checkDeadlines(at: Watchdog.now + 11_000_000_000)
                try await ExchangeRunnerTests.wait()
            }
        }
        #expect(silent.code == .timedOut(limit))
        #expect(
            silent.message
                == "GET https://h/?token=REDACTED: the \(limit.rawValue) timeout of 10.0 seconds was reached (timeouts.\(limit.rawValue))"
        )
        #expect(silent.phase == .sending)
        let response = try await runner.run(request) { exchange in
            try exchange.respond(with: ExchangeRunnerTests.head())
            try await ExchangeRunnerTests.wait()
        }
        runner.checkDeadlines(at: Watchdog.now + 9_000_000_000)
        runner.checkDeadlines(at: Watchdog.now + 11_000_000_000)
        let stalled = try await failure { _ = try await response.content.collect(upTo: 100) }
        #expect(stalled.code == .timedOut(limit))
        #expect(stalled.phase == .receiving)
    }

    @Test("A timeout ends an exchange without further calls")
    func ownTimer() async throws {
        let error = try await failure {
            _ = try await runner.run(request(timeouts: Timeouts(total: .milliseconds(5)))) { _ in
                try await ExchangeRunnerTests.wait()
            }
        }
        #expect(error.code == .timedOut(.total))
    }

    @Test("A writer waits while the reader is behind")
    func backPressure() async throws {
        let written = Recorder<Int>()
        let response = try await runner.run(request()) { exchange in
            try exchange.respond(with: ExchangeRunnerTests.head())
            for _ in 0..<100 {
                try await exchange.write(Data(count: 100_000))
                written.record(100_000)
            }
        }
        var read = 0
        for try await chunk in response.content {
            read += chunk.count
            #expect(written.count * 100_000 - read <= 500_000)
        }
        #expect(read == 10_000_000)
    }

    @Test("A body without a head fails")
    func writtenTooEarly() async throws {
        let error = try await failure {
            _ = try await runner.run(request()) { exchange in
                try await exchange.write(Data(count: 1))
                try exchange.respond(with: ExchangeRunnerTests.head())
            }
        }
        #expect(error.code == .malformed)
        #expect(error.message == "GET https://h/?token=REDACTED: there was a body before its head")
    }

    @Test("A request body arrives in pieces of limited size, and the observer sees their count")
    func pieces() async throws {
        let sent = Recorder<Int64>()
        var request = try request(.post)
        request.body = .data(Data(count: 150_000))
        request.options.observer = { if case .sent(let bytes, 150_000) = $0 { sent.record(bytes) } }
        let response = try await runner.run(request) { exchange in
            var sizes: [Int] = []
            for try await piece in exchange.requestBody { sizes.append(piece.count) }
            try exchange.respond(with: ExchangeRunnerTests.head())
            try await exchange.write(Data("\(sizes)".utf8))
        }
        #expect(try await response.content.collect(upTo: 100) == Data("[65536, 65536, 18928]".utf8))
        #expect(sent.recorded == [65_536, 131_072, 150_000])
    }

    @Test("The error of a body's source wins over the library's error")
    func source() async throws {
        var request = try request(.post)
        request.body = .chunks(AsyncThrowingStream<Data, any Error> { $0.finish(throwing: Broken()) })
        let error = try await failure {
            _ = try await runner.run(request) { exchange in
                do {
                    for try await _ in exchange.requestBody {}
                } catch {
                    throw URLError(.unknown)
                }
            }
        }
        #expect(error.code == .sourceFailed)
        #expect(error.underlying is Broken)
    }

    @Test("Dropping the body cancels the operation")
    func dropped() async throws {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        _ = try await runner.run(request()) { exchange in
            defer { end.finish() }
            try exchange.respond(with: ExchangeRunnerTests.head())
            try await ExchangeRunnerTests.wait()
        }
        for await _ in ends {}
    }

    @Test("Shutting down ends running exchanges and rejects later ones")
    func shutdown() async throws {
        let response = try await runner.run(request()) { exchange in
            try exchange.respond(with: ExchangeRunnerTests.head())
            try await ExchangeRunnerTests.wait()
        }
        runner.shutdown()
        let ended = try await failure { _ = try await response.content.collect(upTo: 100) }
        #expect(ended.code == .shutdown)
        let refused = try await failure { _ = try await runner.run(request()) { _ in } }
        #expect(refused.code == .shutdown)
        #expect(refused.phase == .preparing)
    }

    @Test("A failing source ends the exchange even if it is read in another task")
    func sourceInTask() async throws {
        var request = try request(.post)
        request.body = .oneShot(Data("abc".utf8), length: 5)
        let error = try await failure {
            _ = try await runner.run(request) { exchange in
                Task { for try await _ in exchange.requestBody {} }
                try await ExchangeRunnerTests.wait()
            }
        }
        #expect(error.code == .sourceFailed)
    }

    @Test("Trailers have the limits of a head")
    func trailers() async throws {
        let response = try await runner.run(request()) { exchange in
            try exchange.respond(with: ExchangeRunnerTests.head())
            exchange.trailers = Header((0..<5001).map { Field(name: Field.Name("X-\($0)"), value: "") })
        }
        let error = try await failure { _ = try await response.content.collect(upTo: 100) }
        #expect(error.code == .tooLarge)
    }
}
