import RequestsConformance
import RequestsCurl
import RequestsTesting
import Testing

/// The server reads the whole second request, and closes the reused connection without a response.
@Suite("Uploads over a reused connection that closes", .timeLimit(.minutes(5)))
struct StaleUploadTests {
    private static let content = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })

    private struct Outcome {
        let result: Result<Data, any Error>
        let requests: Int
    }

    private func upload(_ body: RequestBody, by method: HTTPMethod) async throws -> Outcome {
        let requests = Locked(0)
        let server = try LoopbackServer { connection in
            while let request = try connection.readRequest() {
                let count = requests.withLock { count in
                    count += 1
                    return count
                }
                if count == 2 { return }
                try connection.write(LoopbackServer.Answer(200, body: request.body))
            }
        }
        let transport = try CurlTransport()
        let url = try RequestURL(server.baseURL.absoluteString)
        _ = try await transport.send(PreparedRequest(url: url)).content.collect(upTo: .max)
        let request = try PreparedRequest(method: method, url: url, header: [.contentType(.binary)], body: body)
        do {
            let answer = try await transport.send(request).content.collect(upTo: .max)
            return Outcome(result: .success(answer), requests: requests.withLock { $0 })
        } catch {
            return Outcome(result: .failure(error), requests: requests.withLock { $0 })
        }
    }

    private func withFile<Value>(_ use: (URL) async throws -> Value) async throws -> Value {
        let file = FileManager.default.temporaryDirectory.appending(path: "stale-upload-\(UUID()).bin")
        defer { try? FileManager.default.removeItem(at: file) }
        try Self.content.write(to: file)
        return try await use(file)
    }

    @Test("A PUT over a reused connection that closes is sent again if its body is replayable")
    func replayed() async throws {
        let outcomes = try await withFile { file in
            [
                try await upload(.file(file), by: .put),
                try await upload(.replayable(Self.content), by: .put),
                try await upload(.replayable(Self.content, length: 200_000), by: .put),
                try await upload(.chunks(Chunks(), isReplayable: true), by: .put),
            ]
        }
        for outcome in outcomes {
            #expect(try outcome.result.get() == Self.content)
            #expect(outcome.requests == 3)
        }
    }

    @Test("A closed connection is replaced more often than libcurl's limit of five")
    func often() async throws {
        let server = try LoopbackServer { connection in
            // The second request on a connection gets no response.
            guard try connection.readRequest() != nil else { return }
            try connection.write(LoopbackServer.Answer(200, .plainText, "ok"))
            _ = try connection.readRequest()
        }
        let transport = try CurlTransport()
        let request = try PreparedRequest(url: RequestURL(server.baseURL.absoluteString))
        for _ in 0..<20 {
            let body = try await transport.send(request).content.collect(upTo: .max)
            #expect(body == Data("ok".utf8))
        }
    }

    @Test("After two kept connections that close, a request gets a new one", arguments: [HTTPMethod.get, .put])
    func manyKept(_ method: HTTPMethod) async throws {
        let count = 8
        let waiting = Locked<[LoopbackServer.Connection]>([])
        let server = try LoopbackServer { connection in
            guard let first = try connection.readRequest() else { return }
            if first.path == "/kept" {
                // Responds when all requests have arrived, so that each has its connection.
                let all = waiting.withLock { waiting in
                    waiting.append(connection)
                    return waiting.count == count ? waiting : []
                }
                for connection in all { try connection.write(LoopbackServer.Answer(200)) }
                _ = try connection.readRequest()
            } else {
                try connection.write(LoopbackServer.Answer(200, body: first.body))
                _ = try connection.readRequest()
            }
        }
        defer { server.stop() }
        let transport = try CurlTransport()
        let url = server.baseURL.absoluteString
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask {
                    let request = try PreparedRequest(url: RequestURL(url + "/kept"))
                    _ = try await transport.send(request).content.collect(upTo: .max)
                }
            }
            try await group.waitForAll()
        }
        let body: RequestBody = method == .get ? .none : .replayable(Self.content)
        let request = try PreparedRequest(method: method, url: RequestURL(url + "/new"), body: body)
        let answer = try await transport.send(request).content.collect(upTo: .max)
        #expect(answer == (method == .get ? Data() : Self.content))
        #expect(server.acceptedConnections == count + 1)
    }

    @Test("A PUT with a single-use body over a reused connection that closes fails as closed")
    func readOnce() async throws {
        let outcome = try await upload(.oneShot(Self.content, length: 200_000), by: .put)
        let error = #expect(throws: TransportError.self) { try outcome.result.get() }
        #expect(error?.code == .closed)
        #expect(error?.requestMayHaveBeenProcessed == true)
        #expect(error?.message.contains("use a replayable body") == true)
        #expect(outcome.requests == 2)
    }

    @Test("A POST over a reused connection that closes isn't sent again")
    func notIdempotent() async throws {
        let outcome = try await withFile { try await upload(.file($0), by: .post) }
        let error = #expect(throws: TransportError.self) { try outcome.result.get() }
        #expect(error?.code == .closed)
        #expect(error?.message.contains("isn't safe to resend") == true)
        #expect(outcome.requests == 2)
    }

    /// The content in three chunks.
    private struct Chunks: AsyncSequence, Sendable {
        struct AsyncIterator: AsyncIteratorProtocol {
            var offsets = [0..<70_000, 70_000..<140_000, 140_000..<200_000]

            mutating func next() async -> Data? {
                offsets.isEmpty ? nil : StaleUploadTests.content[offsets.removeFirst()]
            }
        }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
    }
}
