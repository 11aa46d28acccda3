import RequestsConformance
import RequestsTesting
import Testing

/// The policies themselves are tested offline. These tests check that no transport interferes.
@Suite("Client policies over each transport", .timeLimit(.minutes(5)))
final class PoliciesOverTransportsTests: Sendable {
    private let seen = Locked<[LoopbackServer.Request]>([])

    /// Starts a server that sends one response after another, and then repeats the last one.
    private func server(_ answers: LoopbackServer.Answer...) throws -> LoopbackServer {
        try LoopbackServer.http { [self] request in
            let count = seen.withLock { seen in
                seen.append(request)
                return seen.count
            }
            return answers[min(count, answers.count) - 1]
        }
    }

    private var requests: [LoopbackServer.Request] { seen.withLock { $0 } }

    private func client(_ kind: TransportKind, _ change: (inout Client.Configuration) -> Void = { _ in }) throws
        -> Client
    {
        var configuration = Client.Configuration()
        change(&configuration)
        return Client(transport: try kind.makeTransport(), configuration: configuration)
    }

    @Test("A redirect to another port drops credentials, and the body by default", arguments: TransportKind.allCases)
    func redirect(kind: TransportKind) async throws {
        let other = try LoopbackServer.http { [self] request in
            seen.withLock { $0.append(request) }
            return .init(200, .plainText, "there")
        }
        let first = try server(.init(307, header: [Field(name: .location, value: "\(other.baseURL)/b")]))
        let request = BaseURL(baseURL: first.baseURL).post(.text("body"), to: "/a")
            .authenticated(with: .bearerToken("s3cret"))
            .adding(headerFields: [.cookie(["a": "s3cret"]), Field(name: "X-Key", value: "s3cret").sensitive()])
            .receiving(.text)
        let error = await #expect(throws: ClientError.self) { try await client(kind).send(request) }
        #expect(error?.code == .crossOriginBody)
        #expect(requests.map(\.line) == ["POST /a HTTP/1.1"])
        seen.withLock { $0 = [] }
        let policy = RedirectPolicy.follow(sendsBodyToOtherOrigins: true)
        let response = try await client(kind).response(for: request.redirecting(policy))
        #expect(response.content == "there")
        #expect(response.history.map(\.statusCode) == [307])
        #expect(requests.map(\.line) == ["POST /a HTTP/1.1", "POST /b HTTP/1.1"])
        #expect(requests.map { $0.header.contains { $0.value.contains("s3cret") } } == [true, false])
        #expect(requests.last?.body == Data("body".utf8))
    }

    @Test("A 503 and a truncated response are retried", arguments: TransportKind.allCases)
    func retries(kind: TransportKind) async throws {
        let server = try LoopbackServer { [self] connection in
            while let request = try connection.readRequest() {
                switch seen.withLock({ seen in
                    seen.append(request); return seen.count
                }) {
                case 1, 3: try connection.write(.init(503, .plainText, "later"))
                case 2: return try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc")
                default: try connection.write(.init(200, .plainText, "now"))
                }
            }
        }
        let client = try client(kind) { $0.retries = .fixed(.zero, limit: 3) }
        let api = BaseURL(baseURL: server.baseURL)
        #expect(try await client.send(api.get(.text, from: "/")) == "now")
        #expect(requests.count == 4)
    }

    @Test(
        "A truncated download resumes where it stopped, also if the server sends the rest with status 200",
        arguments: TransportKind.allCases,
        [(206, true), (200, true), (200, false)]
    )
    func download(kind: TransportKind, rest: (status: Int, hasPosition: Bool)) async throws {
        let whole = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 % 251) })
        let tag = Field(name: .eTag, value: "\"v1\"")
        let server = try LoopbackServer { [self] connection in
            while let request = try connection.readRequest() {
                let isFirst = seen.withLock { seen in
                    seen.append(request)
                    return seen.count == 1
                }
                let range = request.header[.range].flatMap { Int($0.dropFirst(6).dropLast()) }
                if isFirst {
                    try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\(tag)\r\n\r\n")
                    return try connection.write(whole.prefix(100_000))
                }
                let field = range.map { Field(name: "Content-Range", value: "bytes \($0)-299999/300000") }
                let header = Header([tag] + (rest.hasPosition ? [field].compactMap(\.self) : []))
                try connection.write(.init(rest.status, header: header, body: whole.dropFirst(range ?? 0)))
            }
        }
        let file = FileManager.default.temporaryDirectory.appending(path: "requests-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        let client = try client(kind)
        let request = BaseURL(baseURL: server.baseURL).get(.none, from: "/")
        let error = await #expect(throws: TransportError.self) {
            try await client.download(request, to: file, resume: true)
        }
        #expect(error?.code == .truncated)
        try await client.download(request, to: file, resume: true)
        #expect(try Data(contentsOf: file) == whole)
        #expect(requests[1].header[.ifRange] == tag.value)
        // Without its position, the rest isn't recognized, and the file starts again.
        #expect(requests.map { $0.header.contains(.range) } == [false, true] + (rest.hasPosition ? [] : [false]))
    }

    @Test("A truncated download of a compressed body restarts from the beginning", arguments: TransportKind.allCases)
    func compressedDownload(kind: TransportKind) async throws {
        let compressed = try Subprocess.run("/bin/gzip", ["-c"], input: Data(count: 5_000_000)).output
        let server = try LoopbackServer { [self] connection in
            while let request = try connection.readRequest() {
                seen.withLock { $0.append(request) }
                let head = "Content-Length: \(compressed.count)\r\nContent-Encoding: gzip\r\nETag: \"v1\"\r\n"
                try connection.write("HTTP/1.1 200 OK\r\n\(head)\r\n")
                return try connection.write(compressed.prefix(compressed.count / 2))
            }
        }
        let file = FileManager.default.temporaryDirectory.appending(path: "requests-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        let client = try client(kind)
        let request = BaseURL(baseURL: server.baseURL).get(.none, from: "/")
        for _ in 0..<2 {
            await #expect(throws: (any Error).self) { try await client.download(request, to: file, resume: true) }
        }
        #expect(requests.count >= 2 && !requests.contains { $0.header.contains(.range) })
    }

    @Test(
        "A download with unrequested compression gives the same file with and without resume",
        arguments: TransportKind.allCases
    )
    func unrequestedCompression(kind: TransportKind) async throws {
        let compressed = try Subprocess.run("/bin/gzip", ["-c"], input: Data("abc".utf8)).output
        let server = try LoopbackServer.http { _ in
            .init(
                200,
                header: [Field(name: .contentEncoding, value: "gzip"), Field(name: .eTag, value: "\"v1\"")],
                body: compressed
            )
        }
        let file = FileManager.default.temporaryDirectory.appending(path: "requests-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        let client = try client(kind)
        let request = BaseURL(baseURL: server.baseURL).get(.none, from: "/")
        for resume in [false, true] {
            try await client.download(request, to: file, resume: resume)
            #expect(try Data(contentsOf: file) == Data("abc".utf8))
        }
    }
}
