import RequestsCurl
import RequestsTesting
import Testing

@Suite("Request trailers", .timeLimit(.minutes(5)))
struct RequestTrailersTests {
    private struct Failure: Error {}

    private let server: LoopbackServer
    private var api: BaseURL { BaseURL(baseURL: server.baseURL) }

    init() throws {
        server = try LoopbackServer.http(recording: true) { request in
            let trailers = request.trailers.map { "\($0.name)=\($0.value)" }.joined(separator: ";")
            return .init(200, .plainText, "\(request.body.count) \(trailers)")
        }
    }

    private func body(_ trailers: @escaping @Sendable () throws -> Header) -> BodyProvider {
        let chunks = AsyncStream<Data> { continuation in
            continuation.yield(Data("abc".utf8))
            continuation.finish()
        }
        return .chunks(chunks, trailers: trailers)
    }

    @Test("libcurl sends them on handles and connections that other chunked bodies used before and use after")
    func reuse() async throws {
        defer { server.stop() }
        let client = Client(transport: try CurlTransport())
        for number in 0..<5 {
            let trailers: Header = [Field(name: "X-Sum", value: "\(number)"), Field(name: "X-Empty", value: "")]
            let sent = try await client.send(api.post(body { trailers }, to: "/", receiving: .text))
            #expect(sent == "3 X-Sum=\(number);X-Empty=")
            let chunks = AsyncStream<Data> { continuation in
                for _ in 0..<100 { continuation.yield(Data("abc".utf8)) }
                continuation.finish()
            }
            #expect(try await client.send(api.post(.chunks(chunks), to: "/", receiving: .text)) == "300 ")
            #expect(try await client.send(api.get(.text, from: "/")) == "0 ")
        }
    }

    @Test("The request fails if they can't be made, or aren't allowed after a body", arguments: [true, false])
    func failure(throwing: Bool) async throws {
        defer { server.stop() }
        for transport in [try CurlTransport(), StubTransport(script: [.reply(200)])] as [any Transport] {
            let error = await #expect(throws: TransportError.self) {
                let body = body { if throwing { throw Failure() } else { ["Content-Length": "3"] } }
                return try await Client(transport: transport).send(api.put(body, to: "/"))
            }
            #expect(error?.code == .sourceFailed)
        }
        #expect(server.requests.isEmpty)
    }

    @Test("They are sent up to libcurl's limit, and above it the error names the limit", arguments: [0, 1])
    func limit(excess: Int) async throws {
        defer { server.stop() }
        // The name, a colon, a space and the line break have 9 bytes.
        let value = String(repeating: "x", count: (64 << 10) - 3 - 9 + excess)
        let client = Client(transport: try CurlTransport())
        let request = api.put(body { [Field(name: "X-Sum", value: value)] }, to: "/", receiving: .text)
        guard excess > 0 else { return #expect(try await client.send(request) == "3 X-Sum=\(value)") }
        let error = await #expect(throws: TransportError.self) { try await client.send(request) }
        #expect(error?.code == .sourceFailed)
        #expect(error?.message.contains("the trailers have 65534 bytes; send less than 64 KiB") == true)
    }

    @Test("They are rejected where they would be lost: over HTTP/2 without negotiation, and by a cassette")
    func rejections() async throws {
        defer { server.stop() }
        var configuration = CurlTransport.Configuration()
        configuration.httpVersion = .http2WithPriorKnowledge
        let file = FileManager.default.temporaryDirectory.appending(path: "trailers-\(UUID()).har")
        let cassette = try Cassette(file, mode: .record(over: CurlTransport()))
        for transport in [try CurlTransport(configuration: configuration), cassette] as [any Transport] {
            let error = await #expect(throws: TransportError.self) {
                try await Client(transport: transport).send(api.put(body { [:] }, to: "/"))
            }
            #expect(error?.code == .unsupported)
        }
        #expect(server.acceptedConnections == 0)
    }

    @Test("A stub records them")
    func stub() async throws {
        defer { server.stop() }
        let stub = StubTransport(script: [.reply(200)])
        let client = Client(transport: stub)
        let body = body { ["X-Sum": "532"] }
        try await client.send(api.put(body, to: "/"))
        #expect(stub.requests[0].body.data == Data("abc".utf8))
        #expect(try stub.requests[0].body.trailers?() == ["X-Sum": "532"])
    }
}
